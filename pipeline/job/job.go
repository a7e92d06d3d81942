// Package job reads job files: YAML whose keys are the long flags of a
// command, and about:, what people say of the release. Whatever is wrong in
// one is said with its line and column.
//
// The language is small: one mapping, values of the type that the key takes,
// lists for flags that take several. Anchors, aliases, tags and further
// documents are refused, so that what a reader sees is what is done. JSON is
// YAML and may be used instead.
package job

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/tacet-privacy/tacet/pipeline/report"
)

// A Kind is the type of value that a key takes.
type Kind int

// The kinds.
const (
	Text     Kind = iota // a string
	Boolean              // true or false
	Whole                // an integer
	Number               // a decimal, passed on as written
	Bound                // a decimal, or a string such as log(7/3)
	Duration             // a string such as 60s
	List                 // a sequence of strings
	Secret               // a string that names where a secret lies, never the secret
)

// A Key may stand in a job file.
type Key struct {
	Name    string
	Kind    Kind
	Usage   string   // one line
	Choices []string // for Text: what the value may be; nil for anything
	Many    bool     // a list of values may stand there too, one for each private column
}

// A Value is what a job file gives a key, as its flag takes it: lists are
// joined by commas.
type Value struct {
	Key, Text string
	Each      []string // for Many: the values, where a list stands there; Text is the first
}

// A File is a job file.
type File struct {
	Values []Value
	About  *report.About // nil where the file has no about:

	// Columns are the private columns under columns:, nil where there is none:
	// values by key as their flags take them, and by nameKey.
	Columns []map[string]string
}

// An Error names the place of what is wrong.
type Error struct {
	What, Hint string
	Unreadable bool // there is no YAML to look at
}

func (e *Error) Error() string { return e.What }

// maxFile bounds a job file, in bytes.
const maxFile = 1 << 20

// Read reads the job file at path, in which only keys and about: may stand.
// Its errors are of type *Error.
func Read(path string, keys []Key) (*File, error) {
	unreadable := func(why string) error {
		return &Error{What: path + " " + why, Hint: "check the path given to --config", Unreadable: true}
	}
	st, err := os.Stat(path)
	if err == nil && !st.Mode().IsRegular() {
		return nil, unreadable("is no file")
	}
	if err == nil && st.Size() > maxFile {
		return nil, unreadable(fmt.Sprintf("is larger than %d KiB", maxFile>>10))
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
		return nil, unreadable("cannot be read: " + err.Error())
	}
	return Parse(path, data, keys)
}
