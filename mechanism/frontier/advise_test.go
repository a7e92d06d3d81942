package frontier

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/mechtest"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
)

// The advice of a point is that of its floor, and a merger is proven.
func TestCurvesAdvise(t *testing.T) {
	p, o := mechtest.Plane(25)
	curves := mustFrontiers(t, context.Background(), p, o, Options{})
	helped := 0
	for i := range curves.Points {
		q := &curves.Points[i]
		a, err := Advise(context.Background(), p, o, q.Floor, q.Proven(), optimum.Options{})
		must(t, err)
		if (a.Letter < 0) != (q.Lower.Cmp(one) == 0) {
			t.Errorf("%v: letter %d at factor %v", q.Floor, a.Letter, q.Lower)
		}
		if a.Letter < 0 {
			continue
		}
		byWeight, sum, most := slices.Clone(q.Weight), 0., 0.
		slices.Sort(byWeight)
		slices.Reverse(byWeight)
		for i, w := range byWeight {
			if sum += float64(w); i < a.Carriers-1 {
				most += float64(w)
			}
		}
		if w := byWeight[0]; q.Weight[a.Letter] != w || !(math.Abs(a.Share-float64(w)/sum) <= 1e-15) ||
			most >= .9*sum || most+float64(byWeight[a.Carriers-1]) < .9*sum {
			t.Errorf("%v: %+v", q.Floor, a)
		}
		count := p.Counts()
		count[a.Merge.Into] += count[a.Merge.Letter]
		count[a.Merge.Letter] = 0
		_, c, err := optimum.Least(context.Background(), mechtest.Prior(count...), mechanism.SupportOf(o, q.Floor),
			optimum.Options{})
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
