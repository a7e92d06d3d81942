package figures

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/tacet-privacy/tacet/mechanism"
)

// A Comparison holds one curve or table against what was printed.
type Comparison struct {
	What      string
	Against   string // where the other numbers are from
	Points    int
	Largest   float64 // the largest difference
	Tolerance float64 // what the printed digits allow
}

// Holds reports whether all points are within the tolerance; NaN is not.
func (c Comparison) Holds() bool { return c.Points > 0 && c.Largest <= c.Tolerance }

func (c *Comparison) add(printed, ours float64) {
	c.Points++
	if d := math.Abs(printed - ours); !(d <= c.Largest) {
		c.Largest = d
	}
}

// Tolerances: the closed forms are printed to eight decimals; the paper's
// linear programs are only within about 2e-5 of the optimum (.40548325 for log
// 1.5); means were stated to two decimals.
const (
	exactly     = 0
	closedForm  = 1e-8
	linear      = 5e-5
	twoDecimals = .005 + 1e-9
)

func (a *Paper) compare() ([]Comparison, error) {
	safe := Comparison{What: "Example 1, factor of the utility-safe mechanism", Against: paper, Tolerance: exactly}
	best := Comparison{What: "Example 1, least factor, bracket closed", Against: program, Tolerance: exactly}
	for _, q := range a.Floors {
		h := strconv.Itoa(q.Floor)
		s, err := fraction(a.Counting.Safe[h])
		if err != nil {
			return nil, err
		}
		b, err := fraction(a.Counting.Optimal[h])
		if err != nil {
			return nil, err
		}
		safe.add(0, apart(s, q.Safe))
		best.add(0, apart(b, q.Optimal)+apart(b, q.Below))
	}
	values := Comparison{What: "value floors, least factor, bracket closed", Against: program, Tolerance: exactly}
	for _, q := range a.Values {
		text := a.Counting.Floor[strconv.FormatFloat(q.Floor, 'g', -1, 64)]
		f, err := fraction(strings.TrimPrefix(text, "log "))
		if err != nil {
			return nil, err
		}
		values.add(0, apart(f, q.Optimal)+apart(f, q.Below))
	}
	one := Comparison{What: "Figure 1, worst value of the utility-safe mechanism", Against: paper, Tolerance: exactly}
	local := Comparison{What: "Figure 1, worst value of both baselines, eps < log 7", Against: paper, Tolerance: exactly}
	for i, q := range a.One {
		one.add(a.Counting.Figure1.Safe[i][1], q.Safe.Worst)
		if !q.Free {
			for _, b := range []Outcome{q.Exponential, q.ExponentialTuned, q.Response, q.ResponseTuned} {
				local.add(a.Counting.Figure1.Local, b.Worst)
			}
		}
	}
	worst := Comparison{What: "best floor, then expected utility: worst value", Against: program, Tolerance: exactly}
	mean := Comparison{What: "best floor, then expected utility: expected utility", Against: program,
		Tolerance: twoDecimals}
	plain := Comparison{What: "utility-safe mechanism: expected utility", Against: program, Tolerance: twoDecimals}
	for i, q := range a.Lexical {
		worst.add(a.Counting.Lexicographic[i].Worst, q.Optimal.Worst)
		mean.add(a.Counting.Lexicographic[i].Mean, q.Optimal.Mean)
		plain.add(a.Counting.SafeMean[i].Mean, q.Safe.Mean)
	}
	all := []Comparison{safe, best, values, one, local, worst, mean, plain}
	for i, curves := range [][]Cyclic{a.Two, a.Three} {
		for _, c := range curves {
			s := Comparison{What: fmt.Sprintf("Figure %d, h = %d, utility-safe", i+2, c.Floor), Against: paper,
				Tolerance: closedForm}
			g := Comparison{What: fmt.Sprintf("Figure %d, h = %d, optimum", i+2, c.Floor), Against: paper, Tolerance: linear}
			for k := range c.PMin {
				s.add(c.PaperSafe[k], mechanism.Nats(c.Safe[k]))
				g.add(c.PaperOptimal[k], mechanism.Nats(c.Optimal[k]))
			}
			all = append(all, s, g)
		}
	}
	return all, nil
}

const (
	paper   = "the paper"
	program = "linear programs"
)

// apart is 0 where the fractions are equal, else at least the least positive
// float.
func apart(a, b *big.Rat) float64 {
	if a.Cmp(b) == 0 {
		return 0
	}
	d, _ := new(big.Rat).Sub(a, b).Float64()
	return math.Max(math.Abs(d), math.SmallestNonzeroFloat64)
}

func fraction(s string) (*big.Rat, error) {
	f, ok := new(big.Rat).SetString(s)
	if !ok {
		return nil, fmt.Errorf("figures: %q is no fraction", s)
	}
	return f, nil
}
