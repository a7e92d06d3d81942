package account

import (
	"fmt"
	"math"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/claim"
	"github.com/tacet-privacy/tacet/pipeline/decide"
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

// offBy says in words how far shares are off.
func offBy(shift *big.Rat, used, of int) string {
	return fmt.Sprintf("off by up to %s points (%d of %d values in use)", decide.Points(shift), used, of)
}

// never says how many values are never published, and what keeps them.
func never(values int, share *big.Rat, shift string) string {
	keeps := "; --max-shift 0% keeps them, at another floor or with a larger epsilon"
	if shift == "0" {
		keeps = ""
	}
	are := "values (%s %% of the records) are"
	if values == 1 {
		are = "value (%s %% of the records) is"
	}
	return fmt.Sprintf("%d "+are+" never published; the internal report names them%s", values, decide.Points(share), keeps)
}

// off is a figure of shares, a bound from above.
func off(share *big.Rat, words string) claim.Value {
	return claim.Value{Figure: &claim.Figure{Share: mechanism.FloatUp(share)}, Facts: claim.Facts{Note: words}}
}

// sharesOff is how far the shares of the output are off before draws are sampled.
func sharesOff(r *report.Report) (claim.Value, bool) {
	if r.Shares == nil {
		return claim.Value{}, false
	}
	shift, among := fraction(r.Shares.Shift), ""
	switch recordsOf(r) {
	case claim.WholeData:
		among = ", among the data that this file is a part of"
	case claim.Valued:
		among = ", among the records that have a value"
	}
	words := offBy(shift, r.Shares.Used, r.Shares.Of) + among
	if n := r.Shares.Never; n != nil {
		words += ". " + never(n.Values, fraction(n.Share), r.Shares.Shift)
	}
	return off(shift, words), true
}

// roomFor is how far the shares of values may move before a plan that is followed may break
// its limit, and how far they are.
func roomFor(r *report.Report) (claim.Value, bool) {
	if r.Shares == nil || r.Shares.Room == "" {
		return claim.Value{}, false
	}
	half, drift := fraction(r.Shares.Room), fraction(r.Shares.Drift)
	half.Quo(half, big.NewRat(2, 1))
	return off(half, roomWords(half, drift)), true
}

// roomWords say what room there is, and how much of it is used.
func roomWords(half, drift *big.Rat) string {
	used, _ := new(big.Rat).Quo(drift, half).Float64()
	words := fmt.Sprintf("a later file keeps the limit while no group of values gains or loses more than %s points of "+
		"all records against the plan's; this one is %s points away, %.0f %% of the room", decide.Points(half),
		decide.Points(drift), math.Ceil(100*used))
	if drift.Cmp(half) > 0 {
		words += ", and keeps it still: that was checked exactly"
	}
	return words
}

// drawsAdd is the standard error that draws add to the share of any set of values:
// at most sqrt(q (1 - q) / n), and fewer draws where rows of a person share them.
func drawsAdd(r *report.Report) (claim.Value, bool) {
	if r.Shares == nil || r.Records == 0 || r.Prior.Part != nil {
		return claim.Value{}, false
	}
	share := 1
	if r.Persons != nil {
		share = max(share, r.Persons.Most)
	}
	most := new(big.Rat).SetFloat64(math.Nextafter(math.Sqrt(float64(share)/float64(r.Records))/2, 1))
	return off(most, fmt.Sprintf("beyond that, the draws of this file add at most %s points (one standard error)",
		decide.Points(most))), true
}
