package utility

import (
	"encoding/json"
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
	for asked := range orderCases(f, "testdata/orders.txt") {
		var c orderCase
		if err := json.Unmarshal([]byte(asked), &c); err != nil {
			f.Fatal(err)
		}
		f.Add(c.File, uint8(0), false)
		f.Add(c.File, uint8(6), true)
	}
	f.Add("label,x\nA,1e308\nB,-1e308\n", uint8(2), false)
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
