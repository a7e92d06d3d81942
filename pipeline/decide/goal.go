package decide

import (
	"context"
	"fmt"
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/design"
	"github.com/tacet-privacy/tacet/mechanism/frontier"
	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"
	"github.com/tacet-privacy/tacet/pipeline/utility"
)

// A problem is what a design must keep for the records of every group: there is one of all
// records, or strata that a column tells apart.
type problem struct {
	asked  *request.Decision
	d      *count.Domain
	order  *utility.Result
	goal   design.Goal // for all records together
	parted bool        // a column tells groups apart
	beside bool        // the goal limits shares of records that epsilon is not relative to
	hide   bool        // epsilon must hold for whoever does not know the stratum, too
	spare  bool        // and however the records of a value are shared among strata
}

// goalOf is what is asked of a domain. It puts into p the order and what is claimed of the
// population.
func goalOf(ctx context.Context, asked *request.Decision, p *plan.Plan, d *count.Domain) (w *problem, err error) {
	w = &problem{d: d, parted: d.By.Column != ""}
	if w.order, err = Order(ctx, asked.Order, d); err != nil {
		return nil, err
	}
	if err := floorOf(asked.Goal.Floor, w.order); err != nil {
		return nil, err
	}
	asked = Usual(asked, d, w.order)
	w.asked, w.goal, p.Stated = asked, asked.Goal, &plan.Stated{NoLimit: asked.Usual.Gone}
	goal := &w.goal
	goal.Also = Held(asked.Prior.Only, d)
	if err := FitsMemory(w.order, !w.parted && byValue(goal), !w.parted && len(goal.Also) == 0); err != nil {
		return nil, err
	}
	if err := Interruptible(ctx, func() error { return SetOrder(p, asked.Order.Spec, d.Kind, w.order) }); err != nil {
		return nil, err
	}
	if goal.Floor != nil {
		p.Asked = goal.Floor.String()
	}
	if goal.Epsilon, err = spare(asked.Headroom, p); err != nil {
		return nil, err
	}
	goal.Stands = plan.Stands(p.Inputs, p.Outputs)
	if err := keepable(goal, p.Sample, asked.Usual.Gone); err != nil {
		return nil, err
	}
	if err := recoverable(goal, d.Prior, w.order.Outputs.Len()); err != nil {
		return nil, err
	}
	goal.Weights = Weights(asked.Prefer, p.Inputs, p.Outputs)
	w.hide, w.spare = w.parted && !d.By.Only, p.Headroom != nil
	p.Population = claim(asked, d, w.order.ListsLetters() && w.order.Extra == 0)
	w.beside = counted(w.goal) && d.Of != "" && d.Sample.Total() > 0
	for _, g := range d.Groups {
		if err := claimable(asked.Claim, p.Other, g.Names, g.Rest); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// also are the priors that epsilon holds under in a group, beside its own.
func (w *problem) also(g *plan.Group) []mechanism.Prior {
	if len(w.goal.Also) == 0 || g.Sample.Total() == 0 {
		return nil
	}
	return []mechanism.Prior{g.Sample}
}

// floorOf refuses a floor that an order does not have.
func floorOf(f *mechanism.Floor, order *utility.Result) error {
	if f == nil || f.ByValue || f.Rank <= order.Outputs.Len() {
		return nil
	}
	return fault.New(fault.Usage, fmt.Sprintf("give --floor-rank %d, the best, or less", order.Outputs.Len()),
		"--floor-rank %d is above the best rank: the order has %s", f.Rank, report.Several(order.Outputs.Len(),
			"output", "outputs"))
}

// keepable refuses to keep values that no output stands for, and those where no limit of the
// shift can be kept.
func keepable(g *design.Goal, records mechanism.Prior, gone string) error {
	if !g.Keep {
		return nil
	}
	if gone != "" {
		return fault.New(fault.Usage, "leave out --prefer values",
			"no limit of the shift is kept, which --prefer values needs: %s",
			gone)
	}
	for x, c := range records.Counts() {
		if c > 0 && !slices.Contains(g.Stands, x) {
			return fault.New(fault.Input, "add the values to the outputs of the order, or leave out --prefer values",
				"some values that occur are no output of the order, so that --prefer values cannot keep them")
		}
	}
	return nil
}

// recoverable refuses to make shares recoverable where a value has no probability, or no output.
func recoverable(g *design.Goal, p mechanism.Prior, outputs int) error {
	switch {
	case !g.Recover || p.Total() == 0:
		return nil
	case p.Letters() > outputs:
		return fault.New(fault.Input, "name as many outputs as values in --labels",
			"--prefer recovery needs an output for every value: there are %d for %d", outputs, p.Letters())
	case slices.Contains(p.Counts(), 0):
		return fault.New(fault.Input, "name only values that occur in --domain, or give --smooth or --prior",
			"--prefer recovery needs records of every value, and some have none")
	}
	return nil
}

// counted reports whether a goal says something of the shares of published values.
func counted(g design.Goal) bool { return g.MaxShift != nil || g.Nearest }

// byValue reports whether floors are values.
func byValue(g *design.Goal) bool {
	return g.Floor == nil && g.ByValue || g.Floor != nil && g.Floor.ByValue
}

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

// Weights are what the second stage of the design makes large; nil for the
// utility.
func Weights(large string, in, out utility.Letters) mechanism.Weights {
	if large != request.Unchanged {
		return nil
	}
	return plan.Unchanged(in, out)
}

// spare is the epsilon to design for.
func spare(room request.Headroom, p *plan.Plan) (mechanism.Epsilon, error) {
	e, err := p.Spare(room.Share)
	if err != nil {
		whole := new(big.Rat).Add(room.Share, one)
		return e, fault.New(fault.Privacy,
			"give a larger epsilon or less headroom; even a design that leaks nothing needs --max-factor "+
				report.FactorUp(whole)+" for so much",
			"epsilon %s is too small for %s headroom", p.Target, room.Text)
	}
	return e, nil
}

// FitsMemory refuses a table of letters that the machine cannot hold, before
// it is allocated. Levels need none where floors are values and all records have one
// mechanism; distances need the nearest alone where they are listed.
func FitsMemory(r *utility.Result, parted, listed bool) error {
	inputs, outputs := r.Order.Inputs(), r.Order.Outputs()
	if _, levels := r.Order.(*mechanism.Tree); levels && parted {
		return nil
	}
	need, have := design.EstimateBytes(inputs, outputs), count.Memory()
	if _, near := r.Order.(mechanism.Nearby); near && listed && inputs*outputs > frontier.ListedCells {
		need = 80*frontier.ListedCells + int64(inputs)*int64(outputs)/2
	}
	if inputs*outputs <= tableCells {
		need += 32 * int64(inputs) * int64(outputs) // order.csv as text, and its buffer while it grows
	}
	if need > have {
		return fault.New(fault.Environment, "merge values before the run, or run on a larger machine",
			"a design over %d by %d values needs about %d MiB of memory, and %d MiB are free", inputs, outputs, need>>20,
			have>>20)
	}
	return nil
}
