package account

import (
	_ "embed"
	"fmt"
	"math"
	"math/big"
	"sync"
	"text/template"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
	"github.com/tacet-privacy/tacet/pipeline/claim"
	"github.com/tacet-privacy/tacet/pipeline/decide"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// sentences are notes of figures, the risks of claims by their keys, and in groups what a reader must
// not overlook and what a plan decides.
//
//go:embed words.tmpl
var sentences string

var text = sync.OnceValue(func() *claim.Text {
	up := func(decimals int) func(float64) string {
		return func(v float64) string { return report.RoundUp(v, decimals) }
	}
	return claim.NewText(sentences, template.FuncMap{
		"smallSet": claim.Constant(smallSet), "openGap": claim.Constant(openGap), "Measured": claim.Constant(Measured),

		"certain": certain, "telling": func(r *report.Report) string { return claim.Brisk(listed(telling(r))) },
		"unsearched": unsearched, "index": index, "fits": optimum.Fits, "factorUp": report.FactorUp,
		"small":  such(func(g report.Stratum) bool { return g.Records < smallSet }),
		"single": such(func(g report.Stratum) bool { return g.Letters == 1 && g.Records > 0 }),
		"alike":  func(p mechanism.Prior) bool { _, most := p.Most(); return most == p.Total() },
		"far":    func(shift string) bool { return fraction(shift).Cmp(farOff) > 0 },
		"within": recordsOf, "half": half, "used": used, "share": decide.Points,
		"over": func(s *report.Shares) bool { return fraction(s.Drift).Cmp(half(s)) > 0 },

		"names": listed, "listed": report.And,
		"several": func(n any, one, more string) string { return report.Several(claim.Int(n), one, more) },
		"whole":   claim.Int, "rounded": up(0), "thousandth": up(3), "nats": up(4), "natsOf": report.Nats,
		"mean":        report.Mean,
		"hundred":     func(share *float64) string { return report.RoundUp(100**share, 1) },
		"percent":     func(share float64) string { return fmt.Sprintf("%.2f", 100*share) },
		"down":        func(v float64) string { return fmt.Sprint(math.Floor(v*1e4) / 1e4) },
		"points":      func(shift string) string { return decide.Points(fraction(shift)) },
		"pointsOf":    func(share float64) string { return decide.Points(new(big.Rat).SetFloat64(share)) },
		"pointsDown":  pointsDown,
		"exactPoints": func(share *big.Rat) float64 { v, _ := share.Float64(); return 100 * v },
		"brief": func(factor *big.Rat) string {
			if s := factor.RatString(); len(s) <= 24 {
				return s
			}
			return "see the plan"
		},
	})
})
