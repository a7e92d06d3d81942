package composition

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/test/torture"
)

// An observer is Bayes by brute force: the joint law of letter and published
// history, grown night by night by playing the procedure for every letter and
// every draw. It shares nothing with states but Decide.
type observer struct {
	joint map[string][]*big.Rat // by history, by letter
	state map[string]*State
}

func watch(p mechanism.Prior, start *State) *observer {
	o := &observer{map[string][]*big.Rat{"": make([]*big.Rat, p.Letters())}, map[string]*State{"": start}}
	for x := range p.Letters() {
		o.joint[""][x] = p.Probability(x)
	}
	return o
}

// night publishes once more. It reports whether the night takes place for
// every history that can occur.
func (o *observer) night(channel int, m *mechanism.Mechanism) bool {
	next := &observer{map[string][]*big.Rat{}, map[string]*State{}}
	for history, law := range o.joint {
		st := o.state[history]
		action := st.Decide(channel)
		if action == Refused {
			return false
		}
		add := func(z int32, x int, mass *big.Rat) {
			if mass.Sign() == 0 {
				return
			}
			h := history + string(rune('a'+z))
			if next.joint[h] == nil {
				next.joint[h], next.state[h] = make([]*big.Rat, len(law)), st.After(channel, z)
				for k := range law {
					next.joint[h][k] = new(big.Rat)
				}
			}
			next.joint[h][x].Add(next.joint[h][x], mass)
		}
		for x, mass := range law {
			if action == Keep {
				add(int32(history[len(history)-1]-'a'), x, mass)
				continue
			}
			r := m.Row(x)
			for i, y := range r.Output {
				add(int32(y), x, new(big.Rat).Mul(mass, big.NewRat(r.At(i), r.Total)))
			}
		}
	}
	*o = *next
	return true
}

// factor is max_x P(x|history) / P(x).
func (o *observer) factor(p mechanism.Prior, history string) *big.Rat {
	sum, most := new(big.Rat), new(big.Rat)
	for _, v := range o.joint[history] {
		sum.Add(sum, v)
	}
	for x, v := range o.joint[history] {
		if p.Count(x) > 0 {
			f := new(big.Rat).Quo(v, sum)
			if f.Quo(f, p.Probability(x)); f.Cmp(most) > 0 {
				most = f
			}
		}
	}
	return most
}

// Over 10,000 random cases of up to four nights, of which some have no total, no published
// history has a factor above the total, and every factor is that of brute force.
func TestRuleKeepsTheTotal(t *testing.T) {
	t.Parallel()
	cases := 2000
	if torture.Long() {
		cases = 10000
	}
	rng := rand.New(rand.NewPCG(11, 12))
	seen := map[Action]int{}
	for range cases {
		n, outs := 2+rng.IntN(3), 2+rng.IntN(2)
		count := make([]int64, n)
		for x := range count {
			count[x] = rng.Int64N(9)
		}
		count[rng.IntN(n)]++
		p := prior(t, count...)
		total, limited := mechanism.LogOf(big.NewRat(4+rng.Int64N(20), 4)), rng.IntN(8) > 0
		channel := make([]Channel, 1+rng.IntN(4))
		for k := range channel {
			channel[k] = Channel{Law: randomLaw(t, rng, n, outs)}
			if limited {
				channel[k].Total = &total
			}
		}
		s := make1(t, p, channel...)
		o := watch(p, s.Start())
		for k, c := range channel {
			for _, st := range o.state {
				seen[st.Decide(k)]++
			}
			if !o.night(k, c.Law) {
				break
			}
			for h, st := range o.state {
				f := o.factor(p, h)
				if limited && !total.Admits(f) {
					t.Fatalf("history %s has factor %v, above %v: prior %v, channels %v", h, f, total, count,
						channel)
				}
				if st.Factor() == nil || st.Factor().Cmp(f) != 0 {
					t.Fatalf("history %s has factor %v, by brute force %v", h, st.Factor(), f)
				}
				if !(below(st.lo, f) && !below(st.hi, f) || f.Cmp(ratOf(st.hi)) == 0) {
					t.Fatalf("factor %v is not within %v..%v", f, st.lo, st.hi)
				}
			}
		}
	}
	for a := Draw; a <= Refused; a++ {
		if seen[a] < cases/50 {
			t.Errorf("action %d was decided only %d times", a, seen[a])
		}
	}
}

func ratOf(f float64) *big.Rat { return new(big.Rat).SetFloat64(f) }

func below(f float64, r *big.Rat) bool { return ratOf(f).Cmp(r) <= 0 }
