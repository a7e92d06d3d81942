package account

import (
	"math"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/claim"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// A subject is a claim of a report, for the words of its risk.
type subject struct {
	Report *report.Report
	Claim  claim.Value
}

// riskOf is what a claim means for a guess about one record, a row of the table of risks; nil where
// it tells nothing. Those of public claims, which are for everybody, hold no chance of a guess.
func riskOf(key string, r *report.Report, v claim.Value) *claim.Risk {
	k := &claim.Risk{Times: timesOf(v.Figure), Least: v.Figure != nil && v.Figure.Least > 0}
	switch {
	case key == "unchanged.reached", key == "joint" && v.Standing == claim.Nothing:
		k.Times, k.After = 0, 1
	case key == "confirmed":
		all := certain(r)
		if v.Figure == nil || len(all) == 0 || r.Certainty.Same() {
			return nil
		}
		k.Before, k.After = all[len(all)-1].Share, 1
		if k.Times = mechanism.FloatUp(fraction(r.Epsilon.Factor)); r.Strata == nil {
			k.Times = min(k.Times, 1/k.Before)
		}
	case !(k.Times > 1):
		return nil // nothing is told
	default:
		k.Before, k.After = chances(key, r, v)
	}
	text().Each(key, subject{r, v}, func(of, words string) {
		*map[string]*string{"sees": &k.Sees, "promised": &k.Promised, "do": &k.Do}[of] = words
	})
	if k.Sees == "" {
		return nil
	}
	return k
}

// timesOf is the factor of a figure; 0 where there is none.
func timesOf(f *claim.Figure) float64 {
	if f == nil {
		return 0
	}
	times := max(f.Times, f.Least)
	if f.Factor != "" {
		times = mechanism.FloatUp(fraction(f.Factor))
	} else if times == 0 {
		times = math.Nextafter(math.Exp(f.Nats), math.Inf(1))
	}
	return min(times, math.MaxFloat64)
}

// chances are those of the guess that gains most of what a claim is about, 0 where only the
// factor between them is known.
func chances(key string, r *report.Report, v claim.Value) (before, after float64) {
	switch key {
	case "leakage.reached", "leakage.overall":
		// the story is of who knows the stratum
		unaware := r.Strata != nil && v.Observer == claim.MissesStratum && !allMerged(r.Strata)
		if s := r.Story; s != nil && !unaware && v.Figure.Factor == s.Factor {
			return s.Before, min(1, s.After)
		}
	case "joint.reached":
		if w := r.Joint.Worst; w != nil && len(w.Guesses) > 0 && w.Guesses[0].Factor == v.Figure.Factor {
			return w.Guesses[0].Before, min(1, w.Guesses[0].After)
		}
	case "neighbours":
		l := r.Beside.Largest
		for _, c := range r.Caps {
			if c.Label == l.Guess {
				return c.Share, l.Chance
			}
		}
		return l.Chance / l.Factor, l.Chance
	}
	return 0, 0
}

// certain are the values that some output confirms, the rarest last.
func certain(r *report.Report) (out []report.Cap) {
	for _, c := range r.Caps {
		if c.Certain {
			out = append(out, c)
		}
	}
	return out
}

// telling are the columns that make a value likelier than the promise lets a cell make it;
// the one that does so most where none does.
func telling(r *report.Report) []string {
	var names []string
	for _, c := range r.Beside.Columns {
		if c.Lift != nil && c.Lift.Factor > r.Most {
			names = append(names, c.Names...)
		}
	}
	if names == nil {
		return r.Beside.Largest.Names
	}
	return names
}

// listed joins the names of columns.
func listed(names []string) string {
	var out []string
	for _, n := range names {
		out = append(out, claim.Brisk(claim.Quoted(n)))
	}
	return report.And(out)
}
