package frontier

import (
	"context"
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/mechtest"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
)

func TestCoarseOrder(t *testing.T) {
	if got := coarse(9); !reflect.DeepEqual(got, [][]int{{8, 0}, {4}, {6, 2}, {7, 5, 3, 1}}) {
		t.Errorf("nine floors are taken in the order %v", got)
	}
	for n := range 300 {
		all := slices.Concat(coarse(n)...)
		slices.Sort(all)
		for i, v := range all {
			if v != i || len(all) != n {
				t.Fatalf("%d floors: %v", n, all)
			}
		}
	}
}

// Beyond what the optimum can be searched for, the utility-safe curve stands,
// with what can be said without a search.
func TestFrontiersLarge(t *testing.T) {
	p, o := mechtest.Plane(1100)
	c := mustFrontiers(t, context.Background(), p, o, Options{Floors: 20})
	for _, q := range c.Points {
		if q.Upper.Cmp(q.Safe.Factor) != 0 || q.Lower.Cmp(q.Upper) > 0 {
			t.Errorf("%v: %v..%v", q.Floor, q.Lower, q.Upper)
		}
	}
	if last := c.Points[19]; last.Open() || last.Upper.Cmp(one) == 0 {
		t.Errorf("the best floor is left at %v..%v", last.Lower, last.Upper)
	}
	if c.Stopped || !c.Large || len(c.Points) != 20 {
		t.Errorf("%d points, stopped %v", len(c.Points), c.Stopped)
	}
}

// The bound without a search is LowerBound, at every floor of every kind.
func TestScarce(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for i := range 100 {
		p, o := tinyOrder(t, rng, i%2 == 0)
		for _, byValue := range []bool{false, true} {
			task, err := NewFloors(t.Context(), p, o, byValue, nil)
			must(t, err)
			s := &survey{Floors: task}
			s.safe()
			for _, k := range s.spot {
				want, err := optimum.LowerBound(p, mechanism.SupportOf(o, k.Floor))
				if err != nil || big.NewRat(p.Total(), k.scarce).Cmp(want) != 0 {
					t.Errorf("%d, %v: %d of %d records, want %v, %v", i, k.Floor, k.scarce, p.Total(), want, err)
				}
				c := optimum.Certificate{Weight: make([]int64, p.Letters()), Lower: want}
				c.Weight[k.scarceLetter] = 1
				if err := c.Verify(p, mechanism.SupportOf(o, k.Floor)); err != nil {
					t.Errorf("%d, %v: %v", i, k.Floor, err)
				}
			}
		}
	}
}
