package columns

import (
	"encoding/binary"
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
	"github.com/tacet-privacy/tacet/pipeline/verify/files"
)

// Limits beyond which a release may state a bound (docs/columns.md): the combinations of
// outputs; the steps, a combination of outputs of a combination of letters each; and the
// comparisons of outputs that tell nearly as much, over all combinations of letters.
const (
	statedOutputs = 1 << 24
	statedSteps   = 1 << 29
	statedTies    = 1 << 22
)

// A presentGroup is the records that have letters in the same columns, and are in the
// same groups of the plans of those that are looked at.
type presentGroup struct {
	columns []int
	group   []int32 // by column that is looked at
	rows    [][]exact.Row
	list    []combination
	records int64
	bound   *big.Rat // one over the share of the rarest combination, which no factor exceeds
	beyond  bool     // the limits: a release may state the bound
	rounds  bool     // a release may state a factor that is rounded up

	factor   *big.Rat
	searched bool
}

// byNulls parts combinations by the columns that hold letters, and by groups. Records of
// nulls alone are groups of no column.
func byNulls(of []*document.View, list []combination, which []int) (out []*presentGroup) {
	at, seen := map[string]*presentGroup{}, map[string]int{}
	for _, c := range list {
		g := &presentGroup{}
		var letter []int32
		var key []byte
		for _, i := range which {
			g.group = append(g.group, c.group[i])
			key = binary.LittleEndian.AppendUint32(key, uint32(c.group[i])<<1)
			if c.letter[i] != files.Null {
				g.columns, letter = append(g.columns, i), append(letter, c.letter[i])
				key[len(key)-4] |= 1
			}
		}
		if known := at[string(key)]; known != nil {
			g = known
		} else {
			at[string(key)], out = g, append(out, g)
		}
		for _, x := range letter {
			key = binary.LittleEndian.AppendUint32(key, uint32(x))
		}
		if k, known := seen[string(key)]; known {
			g.list[k].count += c.count
			continue
		}
		seen[string(key)] = len(g.list)
		g.list = append(g.list, combination{letter: letter, count: c.count})
	}
	for _, g := range out {
		g.measure(of, which)
	}
	return out
}

// measure adds what follows from the combinations of a group, but for the factor.
func (g *presentGroup) measure(of []*document.View, which []int) {
	outputs, steps, least := 1, 0, g.list[0].count
	for k, i := range which {
		if slices.Contains(g.columns, i) {
			g.rows = append(g.rows, of[i].Groups[g.group[k]].Rows)
			outputs = min(outputs*len(of[i].Plan.Outputs), statedOutputs+1)
		}
	}
	for _, c := range g.list {
		ways := 1
		for k, x := range c.letter {
			ways = min(ways*len(g.rows[k][x].Output), statedSteps+1)
		}
		steps = min(steps+ways, statedSteps+1)
		g.records, least = g.records+c.count, min(least, c.count)
	}
	h := &hunt{rows: g.rows, n: g.records, whole: true}
	h.scales(g.list)
	g.bound = big.NewRat(g.records, least)
	g.beyond = outputs > statedOutputs || steps > statedSteps
	g.rounds = !h.whole && outputs > statedTies/len(g.list)
}

// largest is the joint factor of a group, nil where finding it would take too long.
func (g *presentGroup) largest() *big.Rat {
	if !g.searched {
		g.searched, g.factor = true, big.NewRat(1, 1)
		if len(g.columns) > 0 {
			g.factor, _ = jointFactor(g.rows, g.list)
		}
	}
	return g.factor
}

// judged compares a factor that is claimed with what groups of records are told, each times
// its weight: with the largest factor, or, where a bound is claimed, with that of a release
// that stops at the limits. known is false where a claim may be right, and finding out would
// take too long.
func judged(j *jointClaim, groups []*presentGroup, weight func(*presentGroup) *big.Rat) (known bool,
	w document.Faults) {
	least, most, may := big.NewRat(1, 1), big.NewRat(1, 1), false
	raise := func(to, f *big.Rat, g *presentGroup) {
		if f = new(big.Rat).Mul(f, weight(g)); f.Cmp(to) > 0 {
			to.Set(f)
		}
	}
	known = true
	for _, g := range groups {
		low, high := g.bound, g.bound
		if j.exact || !g.beyond {
			low = g.largest()
		}
		switch {
		case low == nil:
			low, known = big.NewRat(1, 1), false
		case j.exact:
			high = low
		case g.rounds && !g.beyond:
			high = new(big.Rat).Mul(low, big.NewRat(1_000_001, 1_000_000))
		case !g.beyond:
			high = low
		}
		raise(least, low, g)
		raise(most, high, g)
		may = may || g.beyond || g.rounds
	}
	w.Match(j.factor.Cmp(least) >= 0, "the factor, which is below that of some outputs,")
	w.Match(j.factor.Cmp(most) <= 0, "the factor, which is larger than any can be,")
	w.Match(j.exact || may, "that the factor is a bound, where it is known exactly,")
	return known, w
}

// once weighs every group alike.
func once(*presentGroup) *big.Rat { return big.NewRat(1, 1) }
