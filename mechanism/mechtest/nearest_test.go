package mechtest_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/design"
	"github.com/tacet-privacy/tacet/mechanism/mechtest"
)

// To come nearest is to be as useful as what a limit of that shift allows, at its floor:
// no closed form of the same shift stands in the way.
func TestNearestIsUseful(t *testing.T) {
	const letters, instances = 12, 20
	for name, family := range mechtest.Families {
		reached := 0
		for seed := range uint64(instances) {
			rng := rand.New(rand.NewPCG(seed, 41))
			p, s := family(letters, rng)
			value, stands := make([][]float64, letters), make([]int, letters)
			for x := range value {
				stands[x] = x
				for y := range letters {
					v := -9.0
					if s.Allowed(x, y) || x == y {
						v = -float64(1 + rng.IntN(3))
					}
					if x == y {
						v = 0
					}
					value[x] = append(value[x], v)
				}
			}
			o := mechtest.Matrix(t, value)
			goal := design.Goal{Epsilon: mechtest.Epsilon(t, "log(6)"), ByValue: true, Nearest: true, Stands: stands}
			_, near, err := design.Make(context.Background(), p, o, goal)
			if err != nil {
				continue
			}
			reached++
			goal.Nearest, goal.MaxShift, goal.Floor = false, near.Shares.Shift, &near.Floor
			m, e, err := design.Make(context.Background(), p, o, goal)
			if err != nil {
				t.Fatalf("%s %d: within the shift of the nearest: %v", name, seed, err)
			}
			if e.ExpectedUtility > near.ExpectedUtility+1e-5 { // a millionth of the range
				t.Errorf("%s %d: the nearest, %s, is worth %v, and %s within its shift %v", name, seed, near.Kind,
					near.ExpectedUtility, e.Kind, e.ExpectedUtility)
			}
			if f := m.Factor(p); !goal.Epsilon.Admits(f) || mechanism.Nats(f) == 0 {
				t.Errorf("%s %d: factor %v", name, seed, f)
			}
		}
		if reached < instances/2 {
			t.Errorf("%s: %d of %d instances have a mechanism", name, reached, instances)
		}
	}
}
