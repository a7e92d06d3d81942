package figures

import (
	"context"
	"os"
	"testing"
)

func compute(t *testing.T) *Paper {
	t.Helper()
	f, err := os.Open("../../../testdata/paper/paper.json")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err := Read(f)
	if err != nil {
		t.Fatal(err)
	}
	a, err := Compute(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestX(t *testing.T) {
	a := compute(t)
	for _, c := range a.Agreement {
		t.Log(c, c.Holds())
	}
	for _, q := range a.One {
		t.Logf("%+v", q)
	}
	for _, q := range a.Lexical {
		t.Logf("%+v", q)
	}
	for _, q := range append(a.Two, a.Three...) {
		t.Log(q.Floor, q.LargestBefore, q.Safe, q.Optimal, q.Below)
	}
	t.Log(a.Floors, a.Values)
}
