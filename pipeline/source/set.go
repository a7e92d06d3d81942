package source

import (
	"fmt"
	"io/fs"
	"os"

	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/pipeline/options"
)

// OpenSet begins a set of outputs, none of which may be the input, or a file
// that the options name to be read. Without an input there are counts.
func OpenSet(s *Input, each ...*options.Options) (*publish.Set, error) {
	var inputs []fs.FileInfo
	if s != nil {
		st, err := s.Local.Stat()
		if err != nil {
			return nil, fmt.Errorf("looking at the input: %w", err)
		}
		inputs = append(inputs, st)
	}
	for _, o := range each {
		paths := o.Reads()
		if s == nil {
			paths = append(paths, o.Counts)
		}
		for _, path := range paths {
			if st, err := os.Stat(path); err == nil { // else reading it says what is wrong
				inputs = append(inputs, st)
			}
		}
	}
	return publish.NewSet(inputs...), nil
}
