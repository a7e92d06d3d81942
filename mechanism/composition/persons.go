package composition

import (
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism"
)

// An Account is the largest factor that any outputs can have together.
type Account struct {
	Factor *big.Rat
	Bound  bool // it may be less
}

// Steps is how many products of fractions Person may form before it answers
// with a bound: about a second.
const Steps = 1_000_000

// Person is the factor of one person's rows together, when rows of the person
// with the same letter share one draw (rows of one person and letter always
// show the same output). rows counts the person's rows by output. The letters
// of the rows are taken as independent draws from p, and what is guessed may be
// anything about all of them:
//
//	max L(x_1..x_k) / sum P(x_1)..P(x_k) L(x_1..x_k),
//
// L = 0 where rows with the same letter would show different outputs, else the
// product of p(y|x) over the different letters. It is exact, or the bound
// P_min^-k where that would take more than Steps products. The factor is nil
// where no letters can show this.
//
// Rows that are all alike in letter are one draw, and their factor is that of
// one row. Rows that depend on each other in another way than by chance are not
// covered: no figure is, short of their joint law.
func Person(p mechanism.Prior, m *mechanism.Mechanism, rows map[int]int) Account {
	g := gather(p, m, rows)
	if g.states < 0 {
		f := big.NewRat(1, 1)
		for range g.rows {
			f.Mul(f, ceiling(p))
		}
		return Account{f, true}
	}
	most, sum := g.most(), g.sum()
	if most.Sign() == 0 {
		return Account{}
	}
	return Account{most.Quo(most, sum), false}
}

// A gathering is the rows of a person by output: count[j] rows show output j of
// those that occur, and letter i gives it with chance[i][j].
type gathering struct {
	rows   int
	count  []int
	states int // of sum; -1 where they are too many
	prob   []*big.Rat
	chance [][]*big.Rat
}

func gather(p mechanism.Prior, m *mechanism.Mechanism, rows map[int]int) *gathering {
	g := &gathering{states: 1}
	place := make(map[int]int, len(rows))
	for y, k := range rows {
		place[y] = len(g.count)
		g.count, g.rows = append(g.count, k), g.rows+k
	}
	for x := range m.Inputs() {
		if p.Count(x) == 0 {
			continue
		}
		chance, r := make([]*big.Rat, len(g.count)), m.Row(x)
		for i, y := range r.Output {
			if j, ok := place[int(y)]; ok {
				chance[j] = big.NewRat(r.At(i), r.Total)
			}
		}
		g.prob, g.chance = append(g.prob, p.Probability(x)), append(g.chance, chance)
	}
	for _, k := range g.count {
		if g.states *= k + 1; g.states*g.rows*len(g.prob) > Steps {
			g.states = -1
			return g
		}
	}
	return g
}

// sum is the mean of L. A letter is the letter of no row, or of c of the rows
// that still lack one and show one output; the order of letters does not
// matter, so each set of rows is chosen once.
func (g *gathering) sum() *big.Rat {
	mean := make([]*big.Rat, g.states) // by rows that have a letter, mixed radix
	mean[0] = big.NewRat(1, 1)
	for i, prob := range g.prob {
		next := make([]*big.Rat, g.states)
		for s, v := range mean {
			if v == nil {
				continue
			}
			add(next, s, v)
			radix := 1
			for j, k := range g.count {
				have, power := s/radix%(k+1), big.NewRat(1, 1)
				for c := 1; g.chance[i][j] != nil && have+c <= k; c++ {
					power.Mul(power, prob)
					ways := new(big.Rat).SetInt(new(big.Int).Binomial(int64(k-have), int64(c)))
					ways.Mul(ways, power).Mul(ways, g.chance[i][j])
					add(next, s+c*radix, ways.Mul(ways, v))
				}
				radix *= k + 1
			}
		}
		mean = next
	}
	if mean[g.states-1] == nil {
		return new(big.Rat)
	}
	return mean[g.states-1]
}

// most is the largest L: one letter for each output, as more letters only take
// more factors that are at most 1.
func (g *gathering) most() *big.Rat {
	best := make([]*big.Rat, 1<<len(g.count))
	best[0] = big.NewRat(1, 1)
	for i := range g.prob {
		for s := len(best) - 1; s >= 0; s-- {
			if best[s] == nil {
				continue
			}
			for j, v := range g.chance[i] {
				to := s | 1<<j
				if v == nil || to == s {
					continue
				}
				if f := new(big.Rat).Mul(best[s], v); best[to] == nil || f.Cmp(best[to]) > 0 {
					best[to] = f
				}
			}
		}
	}
	if f := best[len(best)-1]; f != nil {
		return f
	}
	return new(big.Rat)
}

func add(to []*big.Rat, s int, v *big.Rat) {
	if to[s] == nil {
		to[s] = new(big.Rat)
	}
	to[s].Add(to[s], v)
}
