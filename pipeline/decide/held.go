package decide

import (
	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/design"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/plan"
)

// Held are the priors that epsilon holds under, too, beside that of the domain:
// the frequencies of the file's own records where another prior was declared or
// made of them, unless only that is held to epsilon.
func Held(only bool, d *count.Domain) []mechanism.Prior {
	if d.Of == "" || only || d.Sample.Total() == 0 {
		return nil
	}
	return []mechanism.Prior{d.Sample}
}

// HeldWords says for whom epsilon holds, "" where that is the file's own
// frequencies alone.
func HeldWords(only bool, d *count.Domain) string {
	switch {
	case d.Of == "":
		return ""
	case only:
		return "epsilon holds for the " + held(d.Of) +
			" alone: nothing is promised for the file's own frequencies (--prior-only)"
	}
	return "epsilon holds for the " + held(d.Of) + " and for the file's own frequencies at once"
}

// held names the other prior.
func held(of string) string {
	if of == plan.Smoothed {
		return "smoothed prior"
	}
	return "declared prior"
}

// prove puts the lower bound of the least factor into the plan, with weights
// where one letter alone does not prove it. Under two priors that is what one
// letter or the first prior demands.
func prove(p *plan.Plan, e *design.Evidence, also []mechanism.Prior) (err error) {
	if p.Lower = e.Lower; e.Certificate != nil {
		p.Pi = e.Certificate.Weight
	}
	if len(also) == 0 {
		return nil
	}
	if p.Lower, err = optimum.LowerBound(p.Prior, mechanism.SupportOf(p.Order, p.Floor), also...); err != nil {
		return err
	}
	p.Pi = nil
	if c := e.Certificate; c != nil && c.Lower.Cmp(p.Lower) > 0 {
		p.Lower, p.Pi = c.Lower, c.Weight
	}
	return nil
}
