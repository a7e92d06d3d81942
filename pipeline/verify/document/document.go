package document

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// maxDocument bounds a report, plan or order, in bytes.
const maxDocument = 4 << 30

// An Error says that a file cannot be read, is of another format, or does not
// belong to the others: there is nothing to check then.
type Error struct {
	What string
	Hint string
	Err  error // cause, may be nil; not printed
}

func (e *Error) Error() string { return e.What }

func (e *Error) Unwrap() error { return e.Err }

// Errorf is an Error with a hint of what to do.
func Errorf(hint, format string, args ...any) *Error {
	return &Error{What: fmt.Sprintf(format, args...), Hint: hint}
}

// Read reads a whole file of a release.
func Read(path, flag string) ([]byte, error) {
	st, err := os.Stat(path)
	if err == nil && st.Size() > maxDocument {
		return nil, Errorf("name another file", "%s is larger than %d GiB", path, maxDocument>>30)
	}
	var data []byte
	if err == nil {
		data, err = os.ReadFile(path)
	}
	if err != nil {
		return nil, Unreadable(path, flag, err)
	}
	return data, nil
}

// Unreadable is the Error of a file that cannot be opened or read.
func Unreadable(path, flag string, err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	e := Errorf("check the path given to "+flag, "%s cannot be read: %v", path, err)
	e.Err = err
	return e
}

// Decode reads one JSON document strictly: no member that is not known, none
// twice, none in other letters, nothing behind the end. What the library says
// of a bad one may quote it and is dropped.
func Decode(data []byte, path string, into any) error {
	bad := func(what string) error {
		return Errorf("it was cut short, changed, or written by another version", "%s %s", path, what)
	}
	schema, what := Members(data)
	if want := into.(interface{ format() string }).format(); what == "" && schema != want {
		what = "is not of format " + want
	}
	if what != "" {
		return bad(what)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return bad("has a member that is not known, or of another type")
	}
	return nil
}

// Members finds the format that the document names, and what is wrong with
// the names of members, "" if nothing is: Go takes the last of several of a
// name, in any case, and other readers take another.
func Members(data []byte) (schema, what string) {
	if !json.Valid(data) {
		return "", "is not a JSON document"
	}
	var open []map[string]bool // the names so far of each object, nil for a list
	name, named := "", false   // of the member whose value is next
	for at := 0; at < len(data); at++ {
		switch data[at] {
		case '{':
			open, named = append(open, map[string]bool{}), false
		case '[':
			open, named = append(open, nil), false
		case '}', ']':
			open = open[:len(open)-1]
		case ',':
			named = false
		case '"':
			from := at + 1
			for at = from; data[at] != '"'; at++ {
				if data[at] == '\\' {
					at++
				}
			}
			text, depth := data[from:at], len(open)
			switch {
			case depth == 0 || open[depth-1] == nil:
			case !named:
				if open[depth-1][string(text)] {
					return "", "has a member twice"
				}
				if bytes.ContainsFunc(text, func(c rune) bool { return (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_' }) {
					return "", "has a member that is not known"
				}
				name, named = string(text), true
				open[depth-1][name] = true
			case depth == 1 && name == "schema":
				schema = string(text)
			}
		}
	}
	return schema, ""
}

// Names are those of a list as flags have it: between commas, one that holds a
// comma in double quotes as in CSV.
func Names(list string) []string {
	r := csv.NewReader(strings.NewReader(list))
	r.LazyQuotes = true
	names, err := r.Read()
	if err != nil || strings.ContainsAny(list, "\r\n") {
		return strings.Split(list, ",")
	}
	return names
}
