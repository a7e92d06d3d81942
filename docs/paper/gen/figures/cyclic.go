package figures

import (
	"context"
	"fmt"
	"math"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
)

// A Cyclic is epsilon against p_min at one floor of the cyclic order of four
// letters, at the paper's points.
type Cyclic struct {
	Floor         int
	PMin          []float64
	Safe          []*big.Rat // factor of the utility-safe mechanism
	Optimal       []*big.Rat // factor of the best mechanism
	Below         []*big.Rat // proven lower bound of that
	PaperSafe     []float64  // the paper's closed form, nats
	PaperOptimal  []float64  // the paper's linear program, nats
	LargestBefore float64    // the largest gap of Safe over Optimal, nats
}

// oneLow is the prior (p, (1-p)/3, (1-p)/3, (1-p)/3) at p = k/50, threeLow is
// (p, p, p, 1-3p).
func oneLow(k int64) []int64   { return []int64{3 * k, 50 - k, 50 - k, 50 - k} }
func threeLow(k int64) []int64 { return []int64{k, k, k, 50 - 3*k} }

func (d Published) cyclic(ctx context.Context, c Curves, prior func(k int64) []int64) ([]Cyclic, error) {
	o, err := mechanism.NewMatrix(d.Cyclic.Rank)
	if err != nil {
		return nil, err
	}
	var all []Cyclic
	for _, at := range []struct {
		floor         int
		safe, general [][2]float64
	}{{3, c.Safe3, c.General3}, {2, c.Safe2, c.General2}} {
		y := Cyclic{Floor: at.floor}
		f := mechanism.RankFloor(at.floor)
		for i, q := range at.safe {
			k := math.Round(50 * q[0])
			if !(math.Abs(k-50*q[0]) <= 1e-9) || at.general[i][0] != q[0] {
				return nil, fmt.Errorf("figures: p_min %v is no multiple of 1/50, or the curves differ in it", q[0])
			}
			p, err := mechanism.NewPrior(prior(int64(k)))
			if err != nil {
				return nil, err
			}
			safe, err := mechanism.Safe(p, o, f)
			if err != nil {
				return nil, err
			}
			_, least, err := optimum.Least(ctx, p, mechanism.SupportOf(o, f), optimum.Options{})
			if err != nil {
				return nil, err
			}
			_, factor := safe.Leakage(p).Max()
			y.PMin = append(y.PMin, q[0])
			y.Safe = append(y.Safe, factor)
			y.Optimal = append(y.Optimal, least.Upper)
			y.Below = append(y.Below, least.Lower)
			y.PaperSafe = append(y.PaperSafe, q[1])
			y.PaperOptimal = append(y.PaperOptimal, at.general[i][1])
			y.LargestBefore = math.Max(y.LargestBefore, mechanism.Nats(factor)-mechanism.Nats(least.Upper))
		}
		all = append(all, y)
	}
	return all, nil
}

// Nats are the logarithms of factors.
func Nats(factor []*big.Rat) []float64 {
	v := make([]float64, len(factor))
	for i, f := range factor {
		v[i] = mechanism.Nats(f)
	}
	return v
}
