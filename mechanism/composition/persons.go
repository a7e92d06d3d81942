package composition

import (
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
)

// An Account is the largest factor that any outputs can have together.
type Account struct {
	Factor *big.Rat
	Bound  bool // it may be less
}

// Steps is how many products of fractions Person may form for all persons of a release
// before it answers with bounds: about a second.
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
// P_min^-k where that would take more products than are left in steps, from which
// it takes its own. The factor is nil where no letters can show this.
//
// Rows that are all alike in letter are one draw, and their factor is that of
// one row. Rows that depend on each other in another way than by chance are not
// covered: no figure is, short of their joint law.
func Person(p mechanism.Prior, m *mechanism.Mechanism, rows map[int]int, steps *int) Account {
	g := gather(p, m, rows, *steps)
	if g.states < 0 {
		f := big.NewRat(1, 1)
		for range g.rows {
			f.Mul(f, ceiling(p))
		}
		return Account{f, true}
	}
	*steps -= g.steps()
	most, mean := g.likelihood()
	if most == nil {
		return Account{}
	}
	return Account{new(big.Rat).Quo(most, mean), false}
}

// A gathering is the rows of a person by output: count[j] rows show output j of
// those that occur, and letter i gives it with chance[i][j].
type gathering struct {
	rows   int
	count  []int
	states int // of likelihood; -1 where they are too many
	prob   []*big.Rat
	chance [][]*big.Rat
}

func gather(p mechanism.Prior, m *mechanism.Mechanism, rows map[int]int, steps int) *gathering {
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
		if g.states *= k + 1; g.steps() > steps {
			g.states = -1
			return g
		}
	}
	return g
}

// steps is how many products likelihood forms, about.
func (g *gathering) steps() int { return g.states * g.rows * len(g.prob) }

// likelihood is the largest L, nil where it is always 0, and its mean. For the mean a letter
// is the letter of no row, or of c of the rows that still lack one and show one output; the
// order of letters does not matter, so each set of rows is chosen once. The largest has one
// letter for each output, as more letters only take more factors that are at most 1.
func (g *gathering) likelihood() (most, mean *big.Rat) {
	best, sum := make([]*big.Rat, g.states), make([]*big.Rat, g.states) // by rows that have a letter, mixed radix
	best[0], sum[0] = big.NewRat(1, 1), big.NewRat(1, 1)
	for i, prob := range g.prob {
		better, next := slices.Clone(best), make([]*big.Rat, g.states)
		for s, v := range sum {
			if v == nil {
				continue
			}
			add(next, s, v)
			radix := 1
			for j, k := range g.count {
				have, power, chance := s/radix%(k+1), big.NewRat(1, 1), g.chance[i][j]
				for c := 1; chance != nil && have+c <= k; c++ {
					power.Mul(power, prob)
					ways := new(big.Rat).SetInt(new(big.Int).Binomial(int64(k-have), int64(c)))
					ways.Mul(ways, power).Mul(ways, chance)
					add(next, s+c*radix, ways.Mul(ways, v))
				}
				if to := s + k*radix; chance != nil && have == 0 && best[s] != nil {
					if f := new(big.Rat).Mul(best[s], chance); better[to] == nil || f.Cmp(better[to]) > 0 {
						better[to] = f
					}
				}
				radix *= k + 1
			}
		}
		best, sum = better, next
	}
	return best[g.states-1], sum[g.states-1]
}

func add(to []*big.Rat, s int, v *big.Rat) {
	if to[s] == nil {
		to[s] = new(big.Rat)
	}
	to[s].Add(to[s], v)
}
