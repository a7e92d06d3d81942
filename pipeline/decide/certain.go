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
	for i, g := range p.Groups {
		records := p.RecordsOf(i)
		if _, most := records.Most(); most == records.Total() { // it holds one letter, or none
			continue
		}
		several = true
		confirmed, open := confirmed(g.Mechanism, records)
		c.Confirmed += confirmed / total
		c.Unchanged = c.Unchanged && !open
		_, factor := g.Mechanism.Leakage(records).Max() // 1 where all rows are equal, and only there
		c.Nothing = c.Nothing && factor.Cmp(one) == 0
	}
	if len(p.Groups) > 1 { // one may be told from another
		_, overall := p.Leakage.Max()
		c.Nothing = c.Nothing && overall.Cmp(one) == 0
	}
	c.Unchanged = c.Unchanged && several
	c.Confirmed = min(1, c.Confirmed)
	return c
}

// confirmed are the records expected to be published as an output of their
// letter alone; open is whether some output has several letters.
func confirmed(m *mechanism.Mechanism, held mechanism.Prior) (records float64, open bool) {
	givers := make([]int, m.Outputs())
	type giving struct {
		row  mechanism.Row
		last int // letter with records
	}
	var all []giving // rows that some of the letters share
	for _, b := range m.Blocks() {
		n, last := 0, 0
		for _, x := range b.Letters {
			if held.Count(int(x)) > 0 {
				n, last = n+1, int(x)
			}
		}
		if n == 0 {
			continue
		}
		all = append(all, giving{b.Row, last})
		for _, y := range b.Row.Output {
			givers[y] += n
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
		records += float64(held.Count(e.last)) * (float64(sure) / float64(e.row.Total))
	}
	return records, open
}
