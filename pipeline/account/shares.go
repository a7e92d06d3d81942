package account

import (
	"math"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/claim"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// farOff is the shift above which a report says what would help.
var farOff = big.NewRat(1, 10)

// mostNever is how many of the values that are never published a report names.
const mostNever = 100

// longest is the number of digits up to which a share is told as a fraction.
const longest = 100_000

// sharesOf are the shares of the column as it is published by a plan; nil without
// records.
func sharesOf(p *plan.Plan, written []int64, part bool) *report.Shares {
	if p.Empty() || p.Records().Total() == 0 {
		return nil
	}
	s := p.Counted()
	out := &report.Shares{Shift: exactly(s.Shift), Used: s.Used, Of: p.Outputs.Len()}
	if s := p.Shares; s != nil && s.Room != nil {
		out.Room, out.Drift = s.Room.RatString(), exactly(p.Drift())
	}
	if n := len(s.Never); n > 0 {
		labels := p.InputLabels()
		out.Never = &report.Never{Values: n, Share: big.NewRat(s.Absent, p.Records().Total()).RatString()}
		for _, x := range s.Never[:min(n, mostNever)] {
			out.Never.First = append(out.Never.First, labels[x])
		}
	}
	if !part {
		countWritten(out, p, written)
	}
	return out
}

// countWritten compares the rows by output with the records.
func countWritten(s *report.Shares, p *plan.Plan, rows []int64) {
	records, held := p.Records(), p.Records().Total()
	shown, total := make([]int64, p.Inputs.Len()), int64(0)
	for y, x := range plan.Stands(p.Inputs, p.Outputs) {
		if total += rows[y]; x >= 0 {
			shown[x] = rows[y]
		}
	}
	if total == 0 {
		return
	}
	lost, often := new(big.Rat), new(big.Rat)
	for x, n := range shown {
		if true := records.Count(x); true > 0 {
			is, was := big.NewRat(n, total), big.NewRat(true, held)
			if is.Cmp(was) < 0 {
				lost.Add(lost, new(big.Rat).Sub(was, is))
			}
			if of := new(big.Rat).Quo(is, was); of.Cmp(often) > 0 {
				often = of
			}
		}
	}
	s.Written, s.Often = mechanism.FloatUp(lost), mechanism.FloatUp(often)
}

// counting says whether the published column may be counted, and what of it may not.
func counting(r *report.Report) (claim.Value, bool) {
	c := struct {
		*report.Report
		Broken, Limit string // a limit that rows of earlier draws break, in words; one that is kept, in points
	}{Report: r}
	if limit, asked := shiftLimit(r); asked && limit.Standing == claim.Nothing {
		c.Broken = words("shift", limit)
	} else if asked {
		c.Limit = claim.Points(limit.Asked)
	}
	v := claim.Value{Facts: claim.Facts{Note: text().Must("counting", c)}}
	if c.Broken == "" && r.Shares != nil {
		v.Figure = &claim.Figure{Share: mechanism.FloatUp(fraction(r.Shares.Shift))}
	}
	return v, true
}

// exactly is a share as a fraction; one of too many digits is rounded up to 2^-64.
func exactly(share *big.Rat) string {
	text := share.RatString()
	if len(text) <= longest {
		return text
	}
	unit := new(big.Int).Lsh(big.NewInt(1), 64)
	n, rest := new(big.Int).DivMod(new(big.Int).Mul(share.Num(), unit), share.Denom(), new(big.Int))
	if rest.Sign() > 0 {
		n.Add(n, big.NewInt(1))
	}
	return new(big.Rat).SetFrac(n, unit).RatString()
}

// fraction is a fraction of a report; 0 where it is none.
func fraction(text string) *big.Rat {
	v, ok := new(big.Rat).SetString(text)
	if !ok {
		return new(big.Rat)
	}
	return v
}

// A share is a figure of shares, a bound from above, as its words take it.
type share struct {
	*report.Report
	Share *big.Rat
}

// off is the row of such a figure, with the words of a key; it is not there where the share is nil.
func off(key string, of func(*report.Report) *big.Rat) tell {
	return func(r *report.Report) (claim.Value, bool) {
		s := share{r, of(r)}
		if s.Share == nil {
			return claim.Value{}, false
		}
		return claim.Value{Figure: &claim.Figure{Share: mechanism.FloatUp(s.Share)},
			Facts: claim.Facts{Note: text().Must(key, s)}}, true
	}
}

// shift is how far the shares of the output are off before draws are sampled.
func shift(r *report.Report) *big.Rat {
	if r.Shares == nil {
		return nil
	}
	return fraction(r.Shares.Shift)
}

// room is how far the shares of values may move before a plan that is followed may break
// its limit.
func room(r *report.Report) *big.Rat {
	if r.Shares == nil || r.Shares.Room == "" {
		return nil
	}
	return half(r.Shares)
}

// half of the room that a limit leaves is for the counts of a later file.
func half(s *report.Shares) *big.Rat { return new(big.Rat).Quo(fraction(s.Room), big.NewRat(2, 1)) }

// used is how much of it this file uses, in percent.
func used(s *report.Shares) float64 {
	share, _ := new(big.Rat).Quo(fraction(s.Drift), half(s)).Float64()
	return math.Ceil(100 * share)
}

// drawn is the standard error that draws add to the share of any set of values:
// at most sqrt(q (1 - q) / n), and fewer draws where rows of a person share them.
func drawn(r *report.Report) *big.Rat {
	if r.Shares == nil || r.Records == 0 || r.Prior.Part != nil {
		return nil
	}
	most := 1
	if r.Persons != nil {
		most = max(most, r.Persons.Most)
	}
	return new(big.Rat).SetFloat64(math.Nextafter(math.Sqrt(float64(most)/float64(r.Records))/2, 1))
}
