package releases

import (
	"math/big"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/composition"
)

// TestHeldAlone: two outputs that even each other out tell nothing together, and a row that
// shows one of them tells what its single draw does.
func TestHeldAlone(t *testing.T) {
	law, err := mechanism.New(2, []mechanism.Row{mechanism.WeightedRow([]uint16{0, 1}, []int64{3, 1}),
		mechanism.WeightedRow([]uint16{0, 1}, []int64{1, 3})})
	if err != nil {
		t.Fatal(err)
	}
	prior, err := mechanism.NewPrior([]int64{1, 1})
	if err != nil {
		t.Fatal(err)
	}
	c := composition.Channel{Law: law, Letter: []int32{0, 1}}
	series, err := composition.New(prior, []composition.Channel{c, c})
	if err != nil {
		t.Fatal(err)
	}
	row := Row{Output: 1, Held: true, Told: series.Start().After(0, 0).After(1, 1), Alone: big.NewRat(3, 2)}
	if f := row.Told.Factor(); f.Cmp(big.NewRat(1, 1)) != 0 {
		t.Fatalf("both together have the factor %v", f)
	}
	s, o := newHeld(), newHeld()
	s.take(&Drawing{Row: row}, 0)
	row.Alone = big.NewRat(5, 4)
	o.take(&Drawing{Row: row}, 1)
	if o.merge(&s); o.rows != 2 || o.factor() == nil || o.factor().RatString() != "3/2" {
		t.Errorf("%d rows tell %v, want 3/2", o.rows, o.factor())
	}
}
