package frontier

import (
	"context"
	"math/big"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/mechtest"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
)

// Three letters that may only stay what they are: the rarest carries the
// bound 1/P, and merged with its neighbour it binds no more.
func TestAdvise(t *testing.T) {
	o := mechtest.Matrix(t, [][]float64{{0, -1, -5}, {-3, 0, -2}, {-5, -1, 0}})
	p := mechtest.Prior(t, 50, 40, 10)
	a, err := Advise(context.Background(), p, o, mechanism.RankFloor(3), optimum.LeastOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if a.Lower.Cmp(big.NewRat(10, 1)) != 0 || a.Upper.Cmp(a.Lower) != 0 || a.Letter != 2 || a.Share != 1 ||
		a.Carriers != 1 {
		t.Errorf("%+v", a)
	}
	// Row 2 has the ranks 1 2 3, row 1 has 1 3 2, row 0 has 3 2 1.
	if m := a.Merge; m == nil || m.Letter != 2 || m.Into != 1 || m.Upper.Cmp(big.NewRat(2, 1)) != 0 ||
		m.Lower.Cmp(m.Upper) != 0 {
		t.Errorf("merging gives %+v", a.Merge)
	}
	if a, err = Advise(context.Background(), p, o, mechanism.RankFloor(1), optimum.LeastOptions{}); err != nil ||
		a.Letter != -1 || a.Merge != nil || a.Upper.Cmp(one) != 0 {
		t.Errorf("the free floor: %+v, %v", a, err)
	}
	alone := mechtest.Prior(t, 0, 7, 0)
	if a, err = Advise(context.Background(), alone, o, mechanism.RankFloor(3), optimum.LeastOptions{}); err != nil ||
		a.Merge != nil {
		t.Errorf("one letter: %+v, %v", a, err)
	}
}

// The advice of a point is that of its floor, and a merger is proven.
func TestCurvesAdvise(t *testing.T) {
	p, o := mechtest.Plane(t, 25)
	curves := mustFrontiers(t, context.Background(), p, o, Options{})
	helped := 0
	for i := range curves.Points {
		q := &curves.Points[i]
		a, err := curves.Advise(context.Background(), p, o, i, optimum.LeastOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if (a.Letter < 0) != (q.Lower.Cmp(one) == 0) {
			t.Errorf("%v: letter %d at factor %v", q.Floor, a.Letter, q.Lower)
		}
		if a.Letter < 0 {
			continue
		}
		heavier := 0
		for _, w := range q.Weight {
			if w > q.Weight[a.Letter] {
				heavier++
			}
		}
		if heavier > 0 || !(a.Share > 0 && a.Share <= 1) || a.Carriers < 1 {
			t.Errorf("%v: %+v", q.Floor, a)
		}
		count := p.Counts()
		count[a.Merge.Into] += count[a.Merge.Letter]
		count[a.Merge.Letter] = 0
		_, c, err := optimum.Least(context.Background(), mechtest.Prior(t, count...), mechanism.SupportOf(o, q.Floor),
			optimum.LeastOptions{})
		if err != nil || !mechtest.Close(c.Upper, a.Merge.Upper) || a.Merge.Lower.Cmp(c.Upper) > 0 {
			t.Errorf("%v: merged %v..%v, computed %v", q.Floor, a.Merge.Lower, a.Merge.Upper, c.Upper)
		}
		if !nearly(q.Lower, a.Merge.Upper) {
			helped++
		}
	}
	if helped == 0 {
		t.Error("no merger ever helped")
	}
}

func TestBottleneck(t *testing.T) {
	o := mechtest.Matrix(t, [][]float64{{0, -1, -5}, {-2, 0, -3}, {-5, -1, 0}})
	p := mechtest.Prior(t, 50, 40, 10)
	m, err := mechanism.Safe(p, o, mechanism.RankFloor(2))
	if err != nil {
		t.Fatal(err)
	}
	// Outputs 0, 1, 2 come from letters {0, 1}, all and {2}.
	if b := m.Bottleneck(p); b.Output != 2 || b.Factor.Cmp(big.NewRat(10, 1)) != 0 || b.Letters != 1 || b.Records != 10 ||
		b.Rarest != 2 {
		t.Errorf("%+v", b)
	}
}
