package verify

import (
	"fmt"
	"math"
	"math/big"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
)

// sharesFigures are those of a report that says how far shares are off.
func sharesFigures(out map[string]plain, r *document.Report, s document.Node) {
	put := func(key string, share *big.Rat, format string, args ...any) {
		f, _ := share.Float64()
		if f < math.MaxFloat64 && new(big.Rat).SetFloat64(f).Cmp(share) < 0 {
			f = math.Nextafter(f, math.Inf(1))
		}
		out[key] = plain{figure: &figure{Share: f}, words: fmt.Sprintf(format, args...)}
	}
	shift, ok := s.Factor("shift")
	if !ok {
		shift = new(big.Rat)
	}
	among := ""
	switch {
	case r.Has("prior.part"):
		among = ", among the data that this file is a part of"
	case r.Text("nulls.rule") == "public":
		among = ", among the records that have a value"
	}
	put("shares", shift, "off by up to %s points (%d of %d values in use)%s", inPoints(shift), s.Int("used"), s.Int("of"),
		among)
	if most, ok := s.Factor("relative"); ok {
		put("shares.common", most, "the share of a value that 1 in 100 records hold, or more, is off by up to %s %% of "+
			"itself", inPoints(most))
	}
	if joint, ok := s.Factor("joint"); ok {
		given := r.Given()
		if name := []rune(given); len(name) > 60 {
			given = string(name[:57]) + "..."
		}
		as := ""
		for _, g := range r.List("strata.groups") {
			if g.Bool("rest") {
				as = " (all merged strata counted as one)"
			}
		}
		put("shares.strata", joint, "a table by %s and value%s is off by up to %s points of all records", given, as,
			inPoints(joint))
	}
	if n := r.Int("records"); n > 0 && !r.Has("prior.part") {
		rows := max(1, r.Int("person_figures.rows_at_most"))
		most := new(big.Rat).SetFloat64(math.Nextafter(math.Sqrt(float64(rows)/float64(n))/2, 1))
		put("shares.draws", most, "beyond that, the draws of this file add at most %s points (one standard error)",
			inPoints(most))
	}
}

// inPoints is a hundredfold share with at most two decimals, rounded up.
func inPoints(share *big.Rat) string {
	cents := new(big.Rat).Mul(share, big.NewRat(10000, 1))
	n := new(big.Int).Neg(cents.Num())
	n.Neg(n.Div(n, cents.Denom())) // Div rounds down
	whole, rest := new(big.Int).DivMod(n, big.NewInt(100), new(big.Int))
	switch c := rest.Int64(); {
	case c == 0:
		return whole.String()
	case c%10 == 0:
		return fmt.Sprintf("%s.%d", whole, c/10)
	default:
		return fmt.Sprintf("%s.%02d", whole, c)
	}
}
