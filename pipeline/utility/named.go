package utility

import (
	"errors"
	"slices"
)

// ErrNoLetters says that a spec orders whatever letters there are and names
// none itself: numeric, prefix.
var ErrNoLetters = errors.New("the order names no values")

// Named are the letters that a spec itself has a row for, in its own order.
// It fails with ErrNoLetters where there are none, and as Build does.
func Named(spec string, readFile func(path string) ([]byte, error)) (Letters, error) {
	form, arg, err := parse(spec)
	if err != nil {
		return Letters{}, err
	}
	b := &builder{in: &Input{ReadFile: readFile}, form: form.Name}
	if err := stopped(func() { form.build(b, arg) }); err != nil {
		var e *Error
		if b.known == nil && errors.As(err, &e) {
			return Letters{}, err
		}
	}
	if len(b.known) == 0 {
		return Letters{}, ErrNoLetters
	}
	var ls []letter
	for l := range b.known {
		ls = append(ls, l)
	}
	slices.SortFunc(ls, func(p, q letter) int { return b.known[p] - b.known[q] })
	return lettersOf(ls), nil
}
