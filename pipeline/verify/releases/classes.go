package releases

import (
	"math"
	"math/big"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
)

// A class counts rows that are not drawn anew. Of some rows only the key
// tells whether they are: these are open.
type class struct {
	rows, open, visible int64
	absent              int64    // rows that have no value tonight
	sure, all           told     // without and with the rows that are open
	rank                int      // the worst; 0 for none
	value               *float64 // the worst of what the order does not forbid; nil for none
	forbidden           int64
}

// told is the largest factor of some rows.
type told struct {
	peak  Peak
	alone *big.Rat
}

func (t *told) add(s *State, alone *big.Rat) {
	if s != nil {
		t.peak.State(s)
	}
	if alone != nil && (t.alone == nil || alone.Cmp(t.alone) > 0) {
		t.alone = alone
	}
}

// factor is nil for none; all is false where floats could not tell.
func (t *told) factor() (f *big.Rat, all bool) {
	f, all = t.peak.Exact()
	if f == nil || t.alone != nil && t.alone.Cmp(f) > 0 {
		f = t.alone
	}
	return f, all
}

// classes are by name, as reports have them.
type classes map[string]*class

// classify takes one row: shown is what it shows, drawn what key and letter
// give, replay.None where these are not known; absent says that it is known to
// have no value tonight.
func (n *nights) classify(to classes, v *ruling, shown, drawn Symbol, absent bool) *class {
	past := v.past
	var name string
	var sure bool
	var after *State
	var alone *big.Rat
	switch {
	case v.repeats:
		empty := n.absent(past[0])
		name, sure = "held", absent || !empty && (v.channel != n.channel || !v.fits)
		if drawn != None {
			if sure = sure || empty || v.channel != n.channel || !v.fits || shown != drawn; !sure {
				return nil
			}
		}
		if !empty { // which tells that there was no value, and shows no draw
			after = n.walk(past[:1], -1)
		}
	case v.rule != nil:
		stands, certain := v.rule.Stands(shown)
		if !stands {
			return nil
		}
		if sure = certain; drawn != None && !certain {
			if sure = shown != drawn; !sure {
				return nil
			}
		}
		if name = "repeated"; n.claims.OverBudget == "suppress" {
			name = "suppressed"
		}
		after, alone = v.prefix.After(n.channel, shown), n.singly(past, shown)
		if own := v.rule.Alone(); own != nil && (alone == nil || own.Cmp(alone) > 0) {
			alone = own
		}
	default:
		return nil
	}
	c := to[name]
	if c == nil {
		c = &class{}
		to[name] = c
	}
	if c.all.add(after, alone); !sure {
		c.open++
		return c
	}
	c.rows++
	if absent {
		c.absent++
	}
	if c.sure.add(after, alone); after != nil && after.Visible {
		c.visible++
	}
	return c
}

// singly is the most that a single draw tells of those that have shown a symbol
// before, under the counts of the plan it was drawn by.
func (n *nights) singly(past []Entry, s Symbol) (most *big.Rat) {
	for _, e := range past {
		if n.of(e) != s || e.Output == Null || int(e.First) >= len(n.begun) || n.begun[e.First] == nil {
			continue
		}
		if f := n.factorsOf(n.begun[e.First]); int(e.Output) < len(f) && f[e.Output] != nil &&
			(most == nil || f[e.Output].Cmp(most) > 0) {
			most = f[e.Output]
		}
	}
	return most
}

// factorsOf are those of the outputs of a plan.
func (n *nights) factorsOf(p *Plan) []*big.Rat {
	if f, known := n.factors[p]; known {
		return f
	}
	if n.factors == nil {
		n.factors = map[*Plan][]*big.Rat{}
	}
	n.factors[p] = exact.Factors(p.Rows, p.Count, exact.Sum(p.Count), len(p.Outputs))
	return n.factors[p]
}

// rankOf takes the rank of a row whose letter is known.
func (n *nights) rankOf(c *class, x, y int32) {
	if n.Order == nil || y < 0 {
		return
	}
	if n.ranks == nil {
		n.ranks = map[int32][]int{}
	}
	if n.ranks[x] == nil {
		n.ranks[x] = n.Order.Ranks(int(x))
	}
	if r := n.ranks[x][y]; c.rank == 0 || r < c.rank {
		c.rank = r
	}
	if u := n.Order.Row(int(x))[y]; math.IsInf(u, -1) {
		c.forbidden++
	} else if c.value == nil || u < *c.value {
		c.value = &u
	}
}

// judgeClasses compares the report with what was counted. Without the key, rows
// of which it is open leave a range.
func (n *nights) judgeClasses(name string, t classes, letters bool) {
	p := n.claims.Published
	if p == nil {
		n.Add(name, false, "the report does not say which rows are drawn anew")
		return
	}
	var w document.Faults
	exactly, empty := true, &class{}
	for class, c := range p.Classes() {
		of := t[class]
		if of == nil {
			of = empty
		}
		if c == nil {
			c = &document.ShownClaim{}
		}
		w.Match(c.Rows >= of.rows && c.Rows <= of.rows+of.open, "the number of rows "+class)
		low, all := of.sure.factor()
		high, more := of.all.factor()
		stated, ok := exact.Fraction(c.Factor)
		switch {
		case c.Rows == 0:
		case !ok:
			w.Match(c.Factor == "" && low == nil, "what rows "+class+" tell")
		case low != nil && stated.Cmp(low) < 0 && all || high == nil || stated.Cmp(high) > 0 && more:
			w.Addf("rows %s tell more, or less, than the report says", class)
		}
		if of.open > 0 {
			exactly = false
		} else {
			w.Match(c.Visible == of.visible, "the number of rows "+class+" of records that changed visibly")
		}
		if letters && n.Order != nil {
			w.Match(c.Rank == of.rank && c.Forbidden == of.forbidden && c.Absent == of.absent, "the worst rank of rows "+class)
			w.Match((c.Value == nil) == (of.value == nil) && (c.Value == nil || *c.Value == *of.value),
				"the worst value of rows "+class)
		}
	}
	n.Settle(name, w, "which rows are drawn anew, and what the others tell, from plans and published outputs%s",
		document.Either(exactly, "", "; of some rows only the key tells"))
}
