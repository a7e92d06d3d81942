package count

import (
	"fmt"
	"io/fs"
	"os"

	"github.com/tacet-privacy/tacet/io/publish"
)

// OpenSet begins a set of outputs, none of which may be the input, nil for
// none, or one of the files that are read beside it.
func OpenSet(s *Input, files ...string) (*publish.Set, error) {
	var inputs []fs.FileInfo
	if s != nil {
		all, err := s.File.Stat()
		if err != nil {
			return nil, fmt.Errorf("looking at the input: %w", err)
		}
		inputs = all
	}
	for _, path := range files {
		if st, err := os.Stat(path); err == nil { // else reading it says what is wrong
			inputs = append(inputs, st)
		}
	}
	return publish.NewSet(inputs...), nil
}
