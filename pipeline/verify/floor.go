package verify

import (
	"fmt"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
)

// A level is the floor of an order whose values stand in groups.
type level struct {
	At int64 `json:"at"`
	Of int64 `json:"of"`
}

// floorOf is the floor that a report states as reached.
func floorOf(floor document.Node) *figure {
	f := &figure{Rank: floor.Int("rank"), Of: floor.Int("of"), Exact: true}
	if floor.Has("level") {
		f.Level = &level{floor.Int("level.at"), floor.Int("level.of")}
	}
	return f
}

// place says where a floor is: at a level, or else at a rank.
func (f *figure) place() string {
	if f.Level != nil {
		return fmt.Sprintf("level %d of %d", f.Level.At, f.Level.Of)
	}
	return fmt.Sprintf("rank %d of %d", f.Rank, f.Of)
}
