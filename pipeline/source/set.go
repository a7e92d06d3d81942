package source

import (
	"fmt"
	"io/fs"

	"github.com/tacet-privacy/tacet/io/publish"
)

// OpenSet begins a set of outputs, none of which may be the input; nil stands
// for no input.
func OpenSet(s *Input) (*publish.Set, error) {
	var inputs []fs.FileInfo
	if s != nil {
		st, err := s.Local.Stat()
		if err != nil {
			return nil, fmt.Errorf("looking at the input: %w", err)
		}
		inputs = append(inputs, st)
	}
	return publish.NewSet(inputs...), nil
}
