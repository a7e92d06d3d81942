package request

import (
	"errors"
	"fmt"
	"os"

	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// Keys are the options that may stand in a job file.
func Keys() (out []*Option) {
	for _, t := range Table {
		if !t.Once && t.Name != "config" {
			out = append(out, t)
		}
	}
	return out
}

// A Value is what a job file gives a key, as its flag takes it: lists of names are
// joined by commas. There is one text, or one for each private column.
type Value struct {
	Key  string
	Each []string
}

// A File is a job file.
type File struct {
	Values []Value
	About  *report.About  // nil where the file has no about:
	Inside *report.Inside // of about:, what is for inside only; nil where it has none

	// Columns are the private columns under columns:, nil where there is none:
	// values by key as their flags take them.
	Columns []map[string]string
}

// maxFile bounds a job file, in bytes.
const maxFile = 1 << 20

// Read reads the job file at path, in which only keys and about: may stand.
func Read(path string, keys []*Option) (*File, error) {
	st, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, fault.Unreadable("--config", path, err)
	case !st.Mode().IsRegular():
		return nil, fault.Unreadable("--config", path, errors.New("it is not a file"))
	case st.Size() > maxFile:
		return nil, fault.Unreadable("--config", path, fmt.Errorf("it is larger than %d KiB", maxFile>>10))
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fault.Unreadable("--config", path, err)
	}
	return Parse(path, data, keys)
}
