package pipeline

import (
	"math/bits"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/utility"
)

// A folding counts rare letters as one letter OTHER, for the design. Every
// letter keeps a row of its own in the plan, and those of merged letters are
// equal: what any output tells of them is then what it tells of OTHER.
type folding struct {
	wide *domain // as it was before
	to   []int   // by letter of wide: the letter it is counted as
	rare []int   // letters of wide that were merged, OTHER left out
	row  int     // OTHER, in wide
}

// checkRare finds contradictions that need no file.
func (o *Options) checkRare() error {
	switch {
	case o.MinCount < 0:
		return fault.New(fault.Usage, "give a number of records from 1 on", "--min-count %d is negative", o.MinCount)
	case o.MinCount > 0 && o.Other == "":
		return fault.New(fault.Usage, "name the letter that they become: --other OTHER", "--min-count needs --other")
	case o.Other != "" && o.MinCount == 0:
		return fault.New(fault.Usage, "say which are rare: --min-count 10", "--other needs --min-count")
	case o.Other != "" && o.Prefer == unchanged:
		return fault.New(fault.Usage, "leave one of them out", "--prefer unchanged does not go with --other: a merged letter has no output of its own")
	}
	return nil
}

// mergeRare is the domain in which letters of fewer than MinCount records are
// counted as OTHER; d itself where nothing is merged. Null is never merged.
func (o *Options) mergeRare(d *domain) (*domain, *folding, error) {
	if o.Other == "" || d.letters.Len() == 0 {
		return d, nil, nil
	}
	f := &folding{wide: d, to: make([]int, d.letters.Len()), row: slices.Index(d.letters.Label, o.Other)}
	if f.row < 0 {
		return nil, nil, fault.New(fault.Input, "add it with the count 0", "the counts lack the letter %q of --other", o.Other)
	}
	narrow := *d
	narrow.letters = utility.Letters{Label: []string{}, Null: d.letters.Null}
	other := -1
	for x, label := range d.letters.Label {
		switch {
		case x == f.row:
			other = len(narrow.letters.Label)
		case d.sample.Count(x) < o.MinCount:
			f.rare = append(f.rare, x)
			continue
		}
		f.to[x] = len(narrow.letters.Label)
		narrow.letters.Label = append(narrow.letters.Label, label)
	}
	for _, x := range f.rare {
		f.to[x] = other
	}
	if d.letters.Null {
		f.to[len(f.to)-1] = len(narrow.letters.Label)
	}
	var err error
	if narrow.prior, err = f.fold(d.prior, narrow.letters.Len()); err != nil {
		return nil, nil, err
	}
	if narrow.sample, err = f.fold(d.sample, narrow.letters.Len()); err != nil {
		return nil, nil, err
	}
	narrow.fold = f
	return &narrow, f, nil
}

func (f *folding) fold(p mechanism.Prior, letters int) (mechanism.Prior, error) {
	count := make([]int64, letters)
	for x, to := range f.to {
		count[to] += p.Count(x)
	}
	return mechanism.NewPrior(count)
}

// widen gives every letter of the file its row again.
func (f *folding) widen(p *plan.Plan, m *mechanism.Mechanism) error {
	row := make([]mechanism.Row, len(f.to))
	for x, to := range f.to {
		row[x] = m.Row(to)
	}
	var err error
	p.Inputs, p.Prior, p.Sample = f.wide.letters, f.wide.prior, f.wide.sample
	p.Order = folded{p.Order, f.to}
	p.Mechanism, err = mechanism.New(p.Outputs.Len(), row)
	return err
}

// finish makes a plan over the letters of the file of one over merged letters.
func (f *folding) finish(p *plan.Plan, o *Options, r *utility.Result) error {
	weight := p.Pi
	narrow := p.Prior
	if err := f.widen(p, p.Mechanism); err != nil {
		return err
	}
	if p.Order.Inputs()*p.Order.Outputs() > tableCells {
		return fault.New(fault.Input, "merge letters before", "an order of %d by %d letters is too large for --other", p.Order.Inputs(), p.Order.Outputs())
	}
	wide := *r
	wide.Order, wide.Inputs = p.Order, p.Inputs
	if err := setOrder(p, o, f.wide, &wide); err != nil {
		return err
	}
	p.Leakage = p.Mechanism.Leakage(p.Prior)
	s := mechanism.SupportOf(p.Order, p.Floor)
	if p.Pi = f.spread(weight, narrow); p.Pi == nil || (optimum.Certificate{Weight: p.Pi, Lower: p.Lower}).Verify(p.Prior, s) != nil {
		p.Pi = nil
		var err error
		if p.Lower, err = optimum.LowerBound(p.Prior, s); err != nil {
			return err
		}
	}
	p.Other = &plan.Other{Label: o.Other, MinCount: o.MinCount, Merged: []string{}}
	for _, x := range f.rare {
		p.Other.Merged = append(p.Other.Merged, p.Inputs.Label[x])
	}
	return nil
}

// spread divides the weight of OTHER among its letters by their records: in
// the same ratio of weight to records they prove the same. It is nil where that
// takes more than 62 bits.
func (f *folding) spread(weight []int64, narrow mechanism.Prior) []int64 {
	if weight == nil {
		return nil
	}
	other := f.to[f.row]
	unit := narrow.Count(other)
	if unit == 0 {
		unit = 1 // no record, and so no weight
	}
	out, total := make([]int64, len(f.to)), uint64(0)
	for x, to := range f.to {
		by := unit
		if to == other {
			by = f.wide.prior.Count(x)
		}
		high, low := bits.Mul64(uint64(weight[to]), uint64(by))
		if total += low; high > 0 || low >= 1<<62 || total > 1<<62 {
			return nil
		}
		out[x] = int64(low)
	}
	return out
}

// A folded order has the row of another letter for some.
type folded struct {
	mechanism.Order
	to []int
}

func (f folded) Inputs() int { return len(f.to) }

func (f folded) Row(x int, rank []uint16, value []float64) { f.Order.Row(f.to[x], rank, value) }

// rareReading says how many letters and records were counted as OTHER.
func rareReading(r *report.Report, p *plan.Plan) {
	if p.Other == nil {
		return
	}
	r.Other = &report.Other{Label: p.Other.Label, MinCount: p.Other.MinCount, Letters: len(p.Other.Merged), Adopted: len(p.Other.Adopted)}
	place := map[string]int{}
	for x, l := range p.Inputs.Label {
		place[l] = x
	}
	for _, l := range p.Other.Merged {
		r.Other.Records += p.Records().Count(place[l])
	}
}
