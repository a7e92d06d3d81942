package utility

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// An Error is a spec that cannot be used. Its texts are one line each and name
// letters only where the spec or a file of the user names them.
type Error struct {
	What string // what is wrong, with file, line and column
	Hint string // what to do; may be empty
	Err  error  // cause, may be nil
}

func (e *Error) Error() string { return e.What }

func (e *Error) Unwrap() error { return e.Err }

// A MissingError is an order without a row for some input letters. The caller
// knows how often and in which rows of the data they stand.
type MissingError struct {
	Spec    string   // of the order where values can be added to it, else ""
	Cause   Error    // What and Hint; Error returns its text
	Letters []int    // input letters without a row, ascending
	Named   []string // labels of those that may be named (Input.Known)
}

func (e *MissingError) Error() string { return e.Cause.What }

// Unwrap makes a MissingError an *Error for errors.As.
func (e *MissingError) Unwrap() error { return &e.Cause }

func errorf(hint, format string, args ...any) *Error {
	return &Error{What: fmt.Sprintf(format, args...), Hint: hint}
}

// A failure stops the building of an order: whatever reads a spec panics with one,
// and stopped returns its error.
type failure struct{ err error }

func fail(err error) { panic(failure{err}) }

// stopped runs f and returns what it failed with.
func stopped(f func()) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case failure:
			err = p.err
		default:
			panic(p)
		}
	}()
	f()
	return nil
}

// maxNamed is how many letters one error names.
const maxNamed = 5

// missing is the error for input letters of which what is true, for example
// "have no row in x.csv".
func (b *builder) missing(letters []int, what, hint string) error {
	e := &MissingError{Letters: letters}
	for _, x := range letters {
		if x == len(b.in.Letters.Label) {
			e.Named = append(e.Named, "null")
		} else if l := b.in.Letters.Label[x]; b.in.Known != nil && b.in.Known(l) {
			e.Named = append(e.Named, quote(l))
		}
	}
	e.Cause = Error{Hint: hint, What: fmt.Sprintf("%s: %d of %d input values %s%s",
		b.form, len(letters), b.in.Letters.Len(), what, among(e.Named, len(letters)))}
	return e
}

func among(named []string, of int) string {
	if len(named) == 0 {
		return ""
	}
	text := ": "
	if len(named) < of || len(named) > maxNamed {
		text = ", among them "
	}
	return text + strings.Join(named[:min(len(named), maxNamed)], ", ")
}

// quote is a label as errors print it: quoted, on one line, shortened.
func quote(label string) string {
	const most = 60
	if utf8.RuneCountInString(label) > most {
		label = string([]rune(label)[:most]) + "..."
	}
	return strconv.Quote(label)
}

// oneLine is s as it is where it has no control character, else quoted.
func oneLine(s string) string {
	for _, r := range s {
		if r < ' ' || r == 0x7f {
			return strconv.Quote(s)
		}
	}
	return s
}
