package utility

import (
	"errors"
	"slices"
	"testing"
)

func TestNamed(t *testing.T) {
	for _, c := range []struct {
		spec, text string
		want       []string
	}{
		{"matrix:f", "x,P,Q\nB,1,2\nA,2,1\n", []string{"B", "A"}},
		{"pairs:f", "from,to,utility\nB,P,1\nA,P,1\nB,Q,2\n", []string{"B", "A"}},
		{"positions:f", "label,x\nB,1\nA,2\n", []string{"B", "A"}},
		{"ordered:B,A", "", []string{"B", "A"}},
		{"circular:@f", "B\nA\n", []string{"B", "A"}},
		{"hierarchy:f", "B;*\nA;*\n", []string{"B", "A"}},
		{"tree:f", "code,parent\nB,A\nA,\n", []string{"B", "A"}},
	} {
		l, err := Named(c.spec, file(c.text))
		if err != nil || !slices.Equal(l.Label, c.want) || l.Null {
			t.Errorf("%s: %v, error %v", c.spec, l, err)
		}
	}
	for _, spec := range []string{"numeric", "prefix:naics"} {
		if _, err := Named(spec, nil); !errors.Is(err, ErrNoLetters) {
			t.Errorf("%s: error %v", spec, err)
		}
	}
	var e *Error
	if _, err := Named("tree:f", file("code,parent\nA,A\n")); !errors.As(err, &e) {
		t.Errorf("a broken file: error %v", err)
	}
}
