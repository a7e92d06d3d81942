package composition

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
)

// Target is what a plan is designed for so that ordinary drift does not stop
// it: the largest factor e^eps / (1+headroom), where e^eps is as in
// mechanism.Epsilon.Factor. Let the counts drift so that no letter's share falls
// below 1/(1+headroom) of what it was, and no letter without records gains one:
// every q_y keeps at least that part and no maximum over letters grows, so the
// plan keeps to eps. It fails where even a factor 1 leaves no such headroom.
func Target(eps mechanism.Epsilon, headroom *big.Rat) (mechanism.Epsilon, error) {
	if headroom.Sign() < 0 {
		return mechanism.Epsilon{}, fmt.Errorf("the headroom %s is negative", headroom.RatString())
	}
	if headroom.Sign() == 0 {
		return eps, nil
	}
	whole := new(big.Rat).Add(headroom, big.NewRat(1, 1))
	f := eps.Factor()
	if f.Quo(f, whole).Cmp(big.NewRat(1, 1)) < 0 {
		return mechanism.Epsilon{}, fmt.Errorf("epsilon %v leaves no headroom of %s: it must be at least %.6g",
			eps, headroom.RatString(), mechanism.Nats(whole))
	}
	return mechanism.LogOf(f), nil
}

// Shifted is the largest p_w(y|x) / q_y of any part w, letter x with records there
// and output y, exactly: what whoever does not know the part learns at most,
// however the records of a letter are shared among the parts that hold it. Let the
// counts drift so that no share of a letter in a part, among all records, falls
// below 1/(1+headroom) of what it was, and none is gained where there was none:
// p(y|x) stays a mean of the p_w(y|x) of these parts, and q_y keeps that share. So
// parts designed for Target, and with Shifted within it, keep to eps.
func Shifted(part []mechanism.Part) *big.Rat {
	most := big.NewRat(1, 1)
	total := int64(0)
	for _, p := range part {
		total += p.Prior.Total()
	}
	if total == 0 {
		return most
	}
	for y := range part[0].Mechanism.Outputs() {
		peak, sum := new(big.Rat), new(big.Rat) // the largest p_w(y|x), and n q_y
		for _, p := range part {
			own := peakOf(p, y)
			if own.Sign() == 0 {
				continue
			}
			if own.Cmp(peak) > 0 {
				peak = own
			}
			n := new(big.Rat).Mul(own, new(big.Rat).SetInt64(p.Prior.Total()))
			sum.Add(sum, n.Quo(n, p.Leakage.Output[y])) // l = max p/q
		}
		if sum.Sign() == 0 {
			continue
		}
		f := new(big.Rat).Mul(peak, new(big.Rat).SetInt64(total))
		if f.Quo(f, sum); f.Cmp(most) > 0 {
			most = f
		}
	}
	return most
}

// peakOf is the largest p(y|x) of a letter with records, 0 where none gives y.
func peakOf(p mechanism.Part, y int) *big.Rat {
	peak := new(big.Rat)
	for x := range p.Mechanism.Inputs() {
		r := p.Mechanism.Row(x)
		i, ok := slices.BinarySearch(r.Output, uint16(y))
		if !ok || p.Prior.Count(x) == 0 {
			continue
		}
		if v := big.NewRat(r.At(i), r.Total); v.Cmp(peak) > 0 {
			peak = v
		}
	}
	return peak
}

// An Edge is where tonight's counts stand beside a pinned plan.
type Edge struct {
	Factor *big.Rat // of the plan under tonight's counts
	Output int      // that has it; -1 where nothing can be published
	Holds  bool     // the factor is within epsilon
	Room   *big.Rat // e^eps / Factor - 1: below 0 by as much as epsilon is passed
	// at least so many of tonight's records must change their letter before epsilon fails; 0 where it fails
	Moves int64
}

// EdgeOf measures m, which must have the letters of tonight, against eps. Moves
// is the least over outputs y of how many records must leave the letters that
// give y most often for the one that gives it least often until q_y falls below
// max_x p(y|x) / e^eps, the maximum left as it is, or raised at the price of a
// record by a letter that has none. It is the number of tonight's records where
// no drift can pass epsilon.
func EdgeOf(m *mechanism.Mechanism, tonight mechanism.Prior, eps mechanism.Epsilon) Edge {
	y, f := m.Leakage(tonight).Max()
	e := Edge{Factor: f, Output: y, Holds: eps.Admits(f)}
	e.Room = new(big.Rat).Quo(eps.Factor(), f)
	e.Room.Sub(e.Room, big.NewRat(1, 1))
	if !e.Holds || tonight.Total() == 0 {
		return e
	}
	e.Moves = tonight.Total()
	for _, g := range givers(m, tonight) {
		e.Moves = min(e.Moves, g.moves(tonight.Total(), eps.Factor()))
	}
	return e
}

// A giver is p(y|x) of letters that share a row, and their records.
type giver struct {
	chance  *big.Rat
	records int64
}

// column is one output: every letter that can give it, most often first, and
// the least chance of any letter.
type column struct {
	giver []giver
	least *big.Rat
}

func givers(m *mechanism.Mechanism, p mechanism.Prior) []column {
	all, letters := make([]column, m.Outputs()), make([]int, m.Outputs())
	for _, b := range m.Blocks() {
		records := b.Records(p)
		for i, y := range b.Row.Output {
			all[y].giver = append(all[y].giver, giver{big.NewRat(b.Row.At(i), b.Row.Total), records})
			letters[y] += len(b.Letters)
		}
	}
	for y := range all {
		c := &all[y]
		slices.SortStableFunc(c.giver, func(a, b giver) int { return -a.chance.Cmp(b.chance) })
		c.least = new(big.Rat)
		if letters[y] == m.Inputs() {
			c.least = c.giver[len(c.giver)-1].chance
		}
	}
	return slices.DeleteFunc(all, func(c column) bool { return len(c.giver) == 0 })
}

// moves is the least number of records that must move before the output passes
// a factor, or n.
func (c column) moves(n int64, factor *big.Rat) int64 {
	least := n
	for i, g := range c.giver {
		if g.records > 0 {
			return min(least, c.fall(n, new(big.Rat).Quo(g.chance, factor), 0))
		}
		if i == 0 { // no other letter without records raises the maximum as far
			least = c.fall(n, new(big.Rat).Quo(g.chance, factor), 1)
		}
	}
	return least
}

// fall is how many moves bring n q below n q_min: each takes chance - least
// from the sum of chances. At least some moves are made.
func (c column) fall(n int64, floor *big.Rat, some int64) int64 {
	floor = new(big.Rat).Mul(floor, big.NewRat(n, 1))
	sum := new(big.Rat)
	for _, g := range c.giver {
		sum.Add(sum, new(big.Rat).Mul(g.chance, big.NewRat(g.records, 1)))
	}
	moved := int64(0)
	for _, g := range c.giver {
		room := new(big.Rat).Sub(sum, floor)
		if room.Sign() < 0 {
			return max(moved, some)
		}
		step := new(big.Rat).Sub(g.chance, c.least)
		if step.Sign() == 0 {
			break
		}
		// The sum must fall below the floor, not to it.
		q := room.Quo(room, step)
		need := new(big.Int).Quo(q.Num(), q.Denom())
		need.Add(need, big.NewInt(1))
		if need.Cmp(big.NewInt(g.records)) <= 0 {
			return max(moved+need.Int64(), some)
		}
		moved += g.records
		sum.Sub(sum, step.Mul(step, big.NewRat(g.records, 1)))
	}
	if sum.Cmp(floor) < 0 {
		return max(moved, some)
	}
	return n
}
