package shares

import (
	"fmt"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
)

// A Problem is what mechanisms are looked for in.
type Problem struct {
	Prior   mechanism.Prior
	Support *mechanism.Support
	// Stands is the letter that each output stands for, -1 for none.
	Stands []int
}

// Options bound a search. The zero value is usual.
type Options struct {
	Near  *mechanism.Mechanism // one that may do, to begin with; nil for none
	Bytes int64                // the most memory of the float solver; 0 means 4 GiB
}

// A LimitError says that no mechanism was found within a shift.
type LimitError struct {
	Limit *big.Rat // what was asked for
	Lower *big.Rat // no mechanism has less: above Limit, there is none
}

func (e *LimitError) Error() string {
	word := "was found"
	if e.Lower.Cmp(e.Limit) > 0 {
		word = "exists"
	}
	return fmt.Sprintf("mechanism: none within shift %s %s: the least is at least %s", e.Limit.FloatString(9), word,
		e.Lower.FloatString(9))
}

// A task is a problem, and the weights of its cells.
type task struct {
	*optimum.Pattern
	stands  []int
	share   []int64              // n pi_y
	weights *optimum.Weighing    // nil where there are none
	top     float64              // the largest |w|
	fill    optimum.Fill         // by weight; nil where there are none
	inner   *mechanism.Mechanism // one within the factor; nil where none is known
}

func newTask(g Problem, w mechanism.Weights) (*task, error) {
	if x := g.Support.Empty(); x >= 0 {
		return nil, &mechanism.NoOutputError{Letter: x}
	}
	if _, err := mechanism.StandsFor(g.Prior.Letters(), g.Support.Outputs(), g.Stands); err != nil {
		return nil, err
	}
	k := &task{Pattern: optimum.NewPattern(g.Prior, g.Support), stands: g.Stands}
	k.share = make([]int64, len(g.Stands))
	for y, x := range g.Stands {
		if x >= 0 {
			k.share[y] = g.Prior.Count(x)
		}
	}
	if w == nil {
		return k, nil
	}
	var err error
	if k.weights, err = optimum.Weigh(k.Pattern, w); err != nil {
		return nil, err
	}
	k.top, k.fill = k.weights.Top, k.weights.Preferred
	return k, nil
}

// live reports whether output y can be used within factor t: t P(S_y) >= 1.
func (k *task) live(y int, t *big.Rat) bool {
	if len(k.Column[y]) == 0 {
		return false
	}
	mass := new(big.Int).Mul(t.Num(), big.NewInt(k.Mass[y]))
	return mass.Cmp(new(big.Int).Mul(t.Denom(), big.NewInt(k.Prior.Total()))) >= 0
}

// weight is w_xy of the f-th letter of column y; 0 where there are none.
func (k *task) weight(y, f int) float64 {
	if k.weights == nil {
		return 0
	}
	return k.weights.Cell[y][f]
}

// power is 2^s.
func power(s int) *big.Rat {
	v := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(max(s, -s))))
	if s < 0 {
		v.Inv(v)
	}
	return v
}

func rounded(v *big.Rat) float64 {
	f, _ := v.Float64()
	return f
}

var one = big.NewRat(1, 1)
