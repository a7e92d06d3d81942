package mechtest_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/design"
	"github.com/tacet-privacy/tacet/mechanism/mechtest"
)

// of is the design of that kind as the suite asks for it.
func of(kind string) mechtest.Design {
	return func(p mechanism.Prior, o mechanism.Order, g mechtest.Goal) (*mechanism.Mechanism, error) {
		goal := design.Goal{Kind: kind, Epsilon: g.Epsilon, Floor: g.Floor, ByValue: g.ByValue}
		m, _, err := design.Make(context.Background(), p, o, goal)
		var short *design.UnreachableError
		if errors.As(err, &short) {
			return nil, &mechtest.Unreachable{Least: short.Least, AtFloor: short.AtFloor}
		}
		return m, err
	}
}

func TestDesigns(t *testing.T) {
	for _, kind := range append(design.Kinds(), "auto") {
		goals := 50
		if kind == "blocks" { // for outputs that stand for letters
			goals = 20
		}
		mechtest.Run(t, kind, of(kind), goals)
	}
}

// Every design on every reference instance, outputs worth (7x+3y+xy) mod 11
// and all else forbidden, at half, all and twice the nats of the optimum.
func TestInstances(t *testing.T) {
	for _, i := range mechtest.Instances(t) {
		value := make([][]float64, len(i.Counts))
		for x := range value {
			value[x] = make([]float64, i.Outputs)
			for y := range value[x] {
				value[x][y] = math.Inf(-1)
			}
			for _, y := range i.Allowed[x] {
				value[x][y] = float64((7*x + 3*y + x*y) % 11)
			}
		}
		p, o := mechtest.Prior(t, i.Counts...), mechtest.Matrix(t, value)
		floor := mechanism.RankFloor(1)
		for _, kind := range append(design.Kinds(), "auto") {
			if i.Expect != "" {
				var none *mechanism.NoOutputError
				if _, err := of(kind)(p, o, mechtest.Goal{}); !errors.As(err, &none) {
					t.Errorf("%s: error %v", i.Name, err)
				}
				continue
			}
			for _, share := range []float64{.5, 2} {
				e := mechtest.Epsilon(t, trim(i.Eps*share))
				m := mechtest.Check(t, of(kind), p, o, mechtest.Goal{Epsilon: e, Floor: &floor})
				if share < 1 && i.Eps > 0 && m != nil {
					t.Errorf("%s: %s is below the proven optimum", i.Name, kind)
				}
			}
		}
	}
}

func trim(v float64) string {
	b, _ := json.Marshal(v)
	return string(b)
}
