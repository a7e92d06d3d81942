package decide

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/design"
	"github.com/tacet-privacy/tacet/mechanism/frontier"
	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/utility"
)

// Explain turns what a design could not do into a fault.
func Explain(err error, d *count.Domain, r *utility.Result, g design.Goal) error {
	var none *mechanism.NoOutputError
	var far *design.UnreachableError
	var off *design.ShiftError
	var wide *frontier.WideError
	switch {
	case errors.As(err, &wide):
		return &fault.Fault{Class: fault.Environment, What: fmt.Sprintf("%s leaves too many outputs to %s",
			utility.NameFloor(r.Form, r.Lowest, wide.Floor), report.Several(d.Letters.Len(), "value", "values")),
			Hint: fmt.Sprintf("%s does not; or merge values, or take an order with levels (hierarchy, tree or prefix)",
				utility.NameFloor(r.Form, r.Lowest, wide.Least)), Err: err}
	case errors.As(err, &off):
		return shifted(off)
	case errors.As(err, &none) && d.Merged != nil && none.Letter == slices.Index(d.Letters.Label, d.Rare.Other):
		return &fault.Fault{Class: fault.Privacy, What: "no output is allowed for all the values that --min-count merges",
			Hint: "give another --other, a smaller --min-count, a lower floor or a larger epsilon", Err: err}
	case errors.As(err, &none):
		name := "a value of the data"
		if label := d.Letters.Label; none.Letter < len(label) && (r.ListsLetters() || d.Declared[label[none.Letter]]) {
			name = fmt.Sprintf("value %q", label[none.Letter])
		}
		return &fault.Fault{Class: fault.Input, What: fmt.Sprintf("%s (value %d of %d) has no allowed output at this "+
			"floor", name,
			none.Letter+1, d.Letters.Len()),
			Hint: "lower the floor, or allow the value another output in the order", Err: err}
	case errors.As(err, &far):
		var help []string
		whom, at := "", utility.NameFloor(r.Form, r.Lowest, far.AtFloor)
		if far.Least != nil {
			help = append(help, fmt.Sprintf("--max-factor %s (%s nats) suffices", report.FactorUp(far.Least),
				report.Nats(far.Least)))
		}
		if far.Best != nil {
			help = append(help, "the best floor within epsilon is "+utility.NameFloor(r.Form, r.Lowest, *far.Best))
		}
		if len(g.Also) > 0 {
			whom = " for the " + held(d.Of) + " and the file's own frequencies at once"
			help = append(help, "a smaller epsilon may suffice", "--prior-only gives up the file's own frequencies")
		}
		what := fmt.Sprintf("epsilon %s does not suffice for %s", g.Epsilon, at)
		if whom != "" { // what was searched there is not all that there is
			what = fmt.Sprintf("no design was found within epsilon %s for %s%s", g.Epsilon, at, whom)
		}
		return &fault.Fault{Class: fault.Privacy, What: what, Hint: strings.Join(help, "; "), Err: err}
	}
	return err
}

// explain says why no design keeps epsilon: what stands in the way of one for all records,
// else of one of the strata.
func (w *problem) explain(p *plan.Plan, whole, apart error) error {
	err := w.told(p, cmp.Or(whole, apart))
	far, _ := errors.AsType[*design.UnreachableError](err)
	off, _ := errors.AsType[*design.ShiftError](err)
	err = Explain(err, w.d, w.order, design.Goal{Epsilon: p.Epsilon, Also: w.goal.Also})
	f, _ := errors.AsType[*fault.Fault](err)
	switch {
	case errors.Is(whole, errBeyond):
		return fault.New(fault.Privacy, "give a larger epsilon, a larger --max-shift or a lower floor",
			"%sno design was found that keeps epsilon %s for another prior than the records and limits their shares", w.with(),
			p.Epsilon)
	case whole != nil && far == nil && off == nil:
		return err
	case whole != nil:
		if f.What = w.with() + f.What; w.spare && far != nil {
			f.Hint += "; or give less headroom"
		}
		return f
	case far != nil || off != nil:
		f.What, f.Hint = w.with()+f.What+" in one of the strata"+w.decider(), w.help()
		if far != nil && far.Least != nil {
			f.Hint = fmt.Sprintf("the designs that were tried need --max-factor %s there (%s nats); %s",
				report.FactorUp(far.Least), report.Nats(far.Least), f.Hint)
		}
		return f
	}
	whom := "in every stratum"
	if errors.Is(apart, errBeyond) {
		whom += " and for observers who do not know it"
	}
	at := ""
	if w.goal.Floor != nil {
		at = " at the floor asked for"
	}
	if limit := w.goal.MaxShift; limit != nil {
		at += " with a shift of " + Points(limit) + " points at most in each"
	}
	return fault.New(fault.Privacy, w.help(), "%sno design was found that keeps epsilon %s %s%s%s", w.with(), p.Epsilon,
		whom, at, w.decider())
}

// told is what could not be designed in terms of what was asked for: factors with headroom. What
// would do for the records says nothing of another prior.
func (w *problem) told(p *plan.Plan, err error) error {
	times := func(f *big.Rat) *big.Rat {
		if f == nil || w.beside {
			return nil
		}
		if !w.spare {
			return f
		}
		return new(big.Rat).Mul(f, new(big.Rat).Add(p.Headroom, one))
	}
	if off, ok := errors.AsType[*design.ShiftError](err); ok {
		e := *off
		if e.Epsilon, e.Factor = p.Epsilon, times(e.Factor); w.beside {
			e.Least, e.Best, e.Free = nil, nil, nil
		}
		return &e
	}
	if far, ok := errors.AsType[*design.UnreachableError](err); ok {
		e := *far
		if e.Least = times(e.Least); w.beside {
			e.Best = nil
		}
		return &e
	}
	return err
}

// with names the headroom, "" for none.
func (w *problem) with() string {
	if w.spare {
		return "with headroom " + w.asked.Headroom.Text + ", "
	}
	return ""
}

// help is what may make a design possible.
func (w *problem) help() string {
	give := []string{"give a larger epsilon"}
	if w.goal.Floor != nil {
		give = append(give, "a lower floor")
	}
	if w.goal.MaxShift != nil {
		give = append(give, "a larger --max-shift")
	}
	if !slices.Contains([]string{"", "auto"}, w.goal.Kind) {
		give = append(give, "--design auto")
	}
	s := strings.Join(give, ", ") + ", or fewer and larger strata"
	if w.d.Shown {
		s += ", or drop the group column with --drop " + w.d.By.Column
	}
	if w.spare {
		s += ", or less headroom"
	}
	if w.hide {
		s += "; --given-only keeps epsilon only for observers who know the stratum"
	}
	return s
}

// shifted says why no design keeps a limit of the shift, and what would help. All
// of it encodes counts.
func shifted(e *design.ShiftError) error {
	f := &fault.Fault{Class: fault.Privacy, Err: e, What: fmt.Sprintf("no design was found that keeps epsilon %s and a "+
		"shift of %s points at %v", e.Epsilon, Points(e.Limit), e.AtFloor)}
	var help []string
	if e.Keep {
		f.What += " with every value in use (--prefer values)"
	}
	if e.Least != nil {
		help = append(help, fmt.Sprintf("--max-shift %s%% suffices there", Points(e.Least)))
	}
	if e.Factor != nil {
		help = append(help, fmt.Sprintf("--max-factor %s (%s nats) suffices there", report.FactorUp(e.Factor),
			report.Nats(e.Factor)))
	}
	if e.Best != nil {
		help = append(help, fmt.Sprintf("the best floor with both is %v", *e.Best))
	}
	if e.Free != nil {
		help = append(help, fmt.Sprintf("the best floor within epsilon with --max-shift none is %v", *e.Free))
	}
	if e.Large {
		help = append(help, "the values are too many for the optimum, and designs in closed form know no shift: merge "+
			"values before the run")
	}
	if help == nil {
		help = []string{"give a larger epsilon, a larger --max-shift or a lower floor"}
	}
	f.Hint = strings.Join(help, "; ")
	return f
}

// Points are a share in points of all records, rounded up to a hundredth.
func Points(share *big.Rat) string {
	v := new(big.Rat).Mul(share, big.NewRat(10_000, 1))
	n := new(big.Int).Add(v.Num(), new(big.Int).Sub(v.Denom(), big.NewInt(1)))
	text := new(big.Rat).SetFrac(n.Quo(n, v.Denom()), big.NewInt(100)).FloatString(2)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}
