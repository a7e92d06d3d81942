package decide

import (
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/plan"
)

// A Certainty says of how many records a plan leaves no doubt, or nothing but
// doubt, for an observer who knows the histogram of the records and the stratum
// where there are strata.
type Certainty struct {
	Confirmed float64 // share of records expected to be published as an output that no other letter of theirs gives
	Kept      float64 // share of records whose letter can become nothing but itself
	Unchanged bool    // every output that occurs confirms its letter: the output is the input, up to names
	Nothing   bool    // letters that occur have equal rows: the output tells nothing
}

var one = big.NewRat(1, 1)

// CertaintyOf looks at the rows of a plan. Where records hold one letter only,
// there is nothing to tell: such a group confirms nothing that was not known.
func CertaintyOf(p *plan.Plan) Certainty {
	c := Certainty{Unchanged: true, Nothing: true}
	if p.Empty() || p.Records().Total() == 0 {
		return Certainty{}
	}
	several := false
	total := float64(p.Records().Total())
	for i := range p.Groups {
		g := knownGroup{p.Groups[i].Mechanism, p.RecordsOf(i)}
		letters := lettersOf(g.prior)
		c.Kept += kept(p, g, letters) / total
		if len(letters) < 2 {
			continue
		}
		several = true
		confirmed, open := confirmed(g, letters)
		c.Confirmed += confirmed / total
		c.Unchanged = c.Unchanged && !open
		_, factor := g.mechanism.Leakage(g.prior).Max() // 1 where all rows are equal, and only there
		c.Nothing = c.Nothing && factor.Cmp(one) == 0
	}
	if len(p.Groups) > 1 { // one may be told from another
		_, overall := p.Leakage.Max()
		c.Nothing = c.Nothing && overall.Cmp(one) == 0
	}
	c.Unchanged = c.Unchanged && several
	c.Confirmed, c.Kept = min(1, c.Confirmed), min(1, c.Kept)
	return c
}

// A known group is records of which the histogram is known.
type knownGroup struct {
	mechanism *mechanism.Mechanism
	prior     mechanism.Prior
}

func lettersOf(p mechanism.Prior) (letters []int) {
	for x := range p.Letters() {
		if p.Count(x) > 0 {
			letters = append(letters, x)
		}
	}
	return letters
}

// kept are the records whose only output is called like their letter.
func kept(p *plan.Plan, g knownGroup, letters []int) (records float64) {
	for _, x := range letters {
		if out := g.mechanism.Row(x).Output; len(out) == 1 && p.SameLabel(x, int(out[0])) {
			records += float64(g.prior.Count(x))
		}
	}
	return records
}

// confirmed are the records expected to be published as an output of their
// letter alone; open is whether some output has several letters.
func confirmed(g knownGroup, letters []int) (records float64, open bool) {
	givers, held := make([]int, g.mechanism.Outputs()), make([]bool, g.mechanism.Inputs())
	for _, x := range letters {
		held[x] = true
	}
	type giving struct {
		row     mechanism.Row
		letters int
		last    int // of them
	}
	var all []giving // rows that some of the letters share
	for _, b := range g.mechanism.Blocks() {
		e := giving{row: b.Row}
		for _, x := range b.Letters {
			if held[x] {
				e.letters, e.last = e.letters+1, int(x)
			}
		}
		if e.letters == 0 {
			continue
		}
		all = append(all, e)
		for _, y := range b.Row.Output {
			givers[y] += e.letters
		}
	}
	for _, e := range all {
		sure := int64(0)
		for i, y := range e.row.Output {
			if givers[y] == 1 {
				sure += e.row.At(i)
			} else {
				open = true
			}
		}
		records += float64(g.prior.Count(e.last)) * (float64(sure) / float64(e.row.Total))
	}
	return records, open
}
