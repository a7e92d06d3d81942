package utility

import (
	"errors"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
)

func matrixOf(t *testing.T, value [][]float64) mechanism.Order {
	t.Helper()
	o, err := mechanism.NewMatrix(value)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// FuzzSpec feeds any file to any form: no panic, every error is one line and
// typed, and every order that is made is consistent.
func FuzzSpec(f *testing.F) {
	for _, text := range []string{counting, cities, education, countries, "from,to,utility\nA,B,1\n,A,-inf\n",
		"A\n\"B\"\n\n\"\"\n", "x,A,B\nA,2,1\nB,1,2\n", "\ufeffa;*\r\nb;*", "\"", "a\r", "label,x\nA,1e308\nB,-1e308\n"} {
		f.Add(text, uint8(0), false)
		f.Add(text, uint8(6), true)
	}
	specs := []string{"matrix:f", "pairs:f", "positions:f", "ordered:@f", "circular:@f", "hierarchy:f", "tree:f"}
	f.Fuzz(func(t *testing.T, text string, pick uint8, null bool) {
		for _, l := range []Letters{{[]string{"A", "B"}, null}, {[]string{"", "0", "1"}, null}} {
			spec := specs[int(pick)%len(specs)]
			r, err := Build(spec, Input{Letters: l, ReadFile: file(text)})
			if err == nil {
				err := consistent(r)
				if err != nil {
					t.Fatalf("%s: %v", spec, err)
				}
				continue
			}
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("%s: untyped error %v", spec, err)
			}
			if strings.ContainsAny(e.What+e.Hint, "\n\r") || r != nil {
				t.Fatalf("%s: error %q, hint %q, result %v", spec, e.What, e.Hint, r)
			}
		}
	})
}
