package design

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/mechtest"
)

// Of as many groups as letters the grouped design is the optimum; of fewer it is within
// epsilon and near it. What cannot be kept is refused with a factor that can.
func TestGrouped(t *testing.T) {
	defer func(before int) { mostGroups = before }(mostGroups)
	p, o := mechtest.Plane(60)
	e := mechtest.Epsilon("log(5.01)")
	for _, byValue := range []bool{false, true} {
		_, best, err := Make(t.Context(), p, o, Goal{Epsilon: e, ByValue: byValue, Kind: "optimal"})
		must(t, err)
		for groups, lost := range map[int]float64{60: 1e-4, 30: .3} {
			mostGroups = groups
			g := Goal{Epsilon: e, ByValue: byValue, Kind: "grouped"}
			m, ev, err := Make(t.Context(), p, o, g)
			must(t, err)
			rank, value := m.Floor(o)
			if !e.Admits(m.Factor(p)) || rank > best.WorstRank && !byValue || rank != ev.WorstRank || value != ev.WorstValue ||
				!(math.Abs(ev.ExpectedUtility/best.ExpectedUtility-1) <= lost) {
				t.Errorf("%d groups: factor %v, rank %d and mean %v, the optimum has %d and %v", groups, m.Factor(p), rank,
					ev.ExpectedUtility, best.WorstRank, best.ExpectedUtility)
			}
			g.Floor, g.Epsilon = &best.Floor, mechanism.LogOf(oneOf)
			var far *UnreachableError
			if _, _, err := Make(t.Context(), p, o, g); !errors.As(err, &far) || far.Least == nil {
				t.Fatalf("%d groups: epsilon 0: %v", groups, err)
			}
			g.Epsilon = mechanism.LogOf(far.Least)
			if m, _, err := Make(t.Context(), p, o, g); err != nil || m.Factor(p).Cmp(far.Least) > 0 {
				t.Errorf("%d groups: the factor %v that is said to fit: %v", groups, far.Least, err)
			}
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := Make(ended, p, o, Goal{Epsilon: e, Kind: "grouped"}); !errors.Is(err, context.Canceled) {
		t.Errorf("without time: %v", err)
	}
}
