package request

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/tacet-privacy/tacet/pipeline/report"
)

// Keys are the options that may stand in a job file.
func Keys() (out []Option) {
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

// An Error names the place of what is wrong.
type Error struct {
	What, Hint string
	Unreadable bool  // there is no YAML to look at
	Err        error // cause, may be nil; not printed
}

func (e *Error) Error() string { return e.What }

func (e *Error) Unwrap() error { return e.Err }

// maxFile bounds a job file, in bytes.
const maxFile = 1 << 20

// Read reads the job file at path, in which only keys and about: may stand.
// Its errors are of type *Error.
func Read(path string, keys []Option) (*File, error) {
	unreadable := func(why string, cause error) error {
		return &Error{What: path + " " + why, Hint: "check the path given to --config", Unreadable: true, Err: cause}
	}
	st, err := os.Stat(path)
	if err == nil && !st.Mode().IsRegular() {
		return nil, unreadable("is not a file", nil)
	}
	if err == nil && st.Size() > maxFile {
		return nil, unreadable(fmt.Sprintf("is larger than %d KiB", maxFile>>10), nil)
	}
	var data []byte
	if err == nil {
		data, err = os.ReadFile(path)
	}
	if err != nil {
		var p *fs.PathError
		if errors.As(err, &p) {
			err = p.Err
		}
		return nil, unreadable("cannot be read: "+err.Error(), err)
	}
	return Parse(path, data, keys)
}
