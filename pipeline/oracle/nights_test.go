package oracle_test

import (
	"math/big"

	"github.com/tacet-privacy/tacet/pipeline/claim"
)

// nights are the releases of a series as the observer of all of them saw them.
type nights struct {
	rows []standing // of this release's rows
	hist []history  // of this release's rows
}

// A standing is how a row of tonight came to be shown.
type standing struct {
	held   bool     // this release's mechanism cannot have drawn it, or not for this record
	factor *big.Rat // of the draw that it shows, where it is certain that this is an earlier one
}

// A history is what was shown of a record, and by which draws.
type history struct {
	first counts        // the counts of the first plan
	drawn []observation // one for each draw
	moved bool          // its outputs show that its value changed

	absent bool // it was shown as a null that stays
}

// An observation is an output under a law that was not drawn from before for
// this record.
type observation struct {
	law    law
	design string
	out    string
}

// among reports whether row i of tonight belongs to a set of records.
func (n *nights) among(i int, of claim.Records) bool {
	switch of {
	case claim.Drawn, claim.DrawnValued:
		return !n.rows[i].held
	case claim.Held:
		return n.rows[i].held && n.rows[i].factor != nil
	}
	return true
}

// mixed reports that some row of tonight is known not to be drawn anew.
func (n *nights) mixed() bool {
	if n == nil {
		return false
	}
	for _, s := range n.rows {
		if s.held {
			return true
		}
	}
	return false
}

// earlier is the largest factor of the draws that rows of earlier nights show;
// nil where none is certain to.
func (n *nights) earlier() (most *big.Rat) {
	for _, s := range n.rows {
		if s.factor != nil && (most == nil || s.factor.Cmp(most) > 0) {
			most = s.factor
		}
	}
	return most
}

// of is the factor of one output under the law it was drawn from; nil for none.
func (o observation) of(first counts) *big.Rat {
	top, mean, total := new(big.Rat), new(big.Rat), int64(0)
	for x, c := range first {
		p := o.law[x][o.out]
		if total += c; p == nil || c == 0 {
			continue
		}
		if p.Cmp(top) > 0 {
			top = p
		}
		mean.Add(mean, new(big.Rat).Mul(p, big.NewRat(c, 1)))
	}
	if mean.Sign() == 0 {
		return nil
	}
	return new(big.Rat).Quo(new(big.Rat).Mul(top, big.NewRat(total, 1)), mean)
}

// cumulative is the largest factor of all outputs of a record, for someone who
// is certain that its value never changed, with the prior of its first plan; nil
// where the books do not tell.
func (n *nights) cumulative() *big.Rat {
	if n.hist == nil {
		return nil
	}
	most := big.NewRat(1, 1)
	for _, h := range n.hist {
		if h.moved || len(h.drawn) == 0 {
			continue
		}
		top, mean, total := new(big.Rat), new(big.Rat), new(big.Rat)
		for x, c := range h.first {
			if c == 0 {
				continue
			}
			like := big.NewRat(1, 1)
			for _, o := range h.drawn {
				p := o.law[x][o.out]
				if p == nil {
					p = new(big.Rat)
				}
				like.Mul(like, p)
			}
			if like.Cmp(top) > 0 {
				top = like
			}
			mean.Add(mean, new(big.Rat).Mul(like, big.NewRat(c, 1)))
			total.Add(total, big.NewRat(c, 1))
		}
		if mean.Sign() == 0 {
			continue
		}
		if f := new(big.Rat).Quo(new(big.Rat).Mul(top, total), mean); f.Cmp(most) > 0 {
			most = f
		}
	}
	return most
}
