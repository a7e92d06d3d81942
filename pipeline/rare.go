package pipeline

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"math/bits"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
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
		return faultf(Usage, "give a number of records from 1 on", "--min-count %d is negative", o.MinCount)
	case o.MinCount > 0 && o.Other == "":
		return faultf(Usage, "name the letter that they become: --other OTHER", "--min-count needs --other")
	case o.Other != "" && o.MinCount == 0:
		return faultf(Usage, "say which are rare: --min-count 10", "--other needs --min-count")
	case o.Other != "" && o.Prefer == unchanged:
		return faultf(Usage, "leave one of them out", "--prefer unchanged does not go with --other: a merged letter has no output of its own")
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
		return nil, nil, faultf(Input, "add it with the count 0", "the counts lack the letter %q of --other", o.Other)
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
		return faultf(Input, "merge letters before", "an order of %d by %d letters is too large for --other", p.Order.Inputs(), p.Order.Outputs())
	}
	wide := *r
	wide.Order, wide.Inputs = p.Order, p.Inputs
	if err := setOrder(p, o, f.wide, &wide); err != nil {
		return err
	}
	p.Leakage = p.Mechanism.Leakage(p.Prior)
	s := mechanism.SupportOf(p.Order, p.Floor)
	if p.Pi = f.spread(weight, narrow); p.Pi == nil || (mechanism.Certificate{Weight: p.Pi, Lower: p.Lower}).Verify(p.Prior, s) != nil {
		p.Pi = nil
		var err error
		if p.Lower, err = mechanism.LowerBound(p.Prior, s); err != nil {
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

// adopt gives letters that a plan with OTHER does not have the row of OTHER.
// What the plan leaks relative to its counts is the same.
func adopt(p *plan.Plan, d *domain) (*plan.Plan, error) {
	if p.Other == nil || p.Empty() {
		return p, nil
	}
	known := map[string]bool{}
	for _, l := range p.Inputs.Label {
		known[l] = true
	}
	var fresh []string
	for x, l := range d.letters.Label {
		if !known[l] && d.prior.Count(x) > 0 {
			fresh = append(fresh, l)
		}
	}
	if len(fresh) == 0 {
		return p, nil
	}
	q, n := *p, len(p.Inputs.Label)
	q.Inputs.Label = slices.Concat(p.Inputs.Label, fresh)
	to := make([]int, 0, q.Inputs.Len())
	for x := range n {
		to = append(to, x)
	}
	other := slices.Index(p.Inputs.Label, p.Other.Label)
	for range fresh {
		to = append(to, other)
	}
	if p.Inputs.Null {
		to = append(to, n)
	}
	return &q, extend(&q, p, to, fresh)
}

// extend fills in what follows from the letters of q, which take the rows of
// p that to names.
func extend(q, p *plan.Plan, to []int, fresh []string) (err error) {
	take := func(count func(int) int64) []int64 {
		out := make([]int64, len(to))
		for x := range to {
			if x < len(p.Inputs.Label) || x == len(to)-1 && p.Inputs.Null {
				out[x] = count(to[x])
			}
		}
		return out
	}
	row := make([]mechanism.Row, len(to))
	for x := range to {
		row[x] = p.Mechanism.Row(to[x])
	}
	if q.Prior, err = mechanism.NewPrior(take(p.Prior.Count)); err != nil {
		return err
	}
	if p.Of != "" {
		if q.Sample, err = mechanism.NewPrior(take(p.Sample.Count)); err != nil {
			return err
		}
	}
	if p.Pi != nil {
		q.Pi = take(func(x int) int64 { return p.Pi[x] })
	}
	if q.Mechanism, err = mechanism.New(p.Outputs.Len(), row); err != nil {
		return err
	}
	q.Order = folded{p.Order, to}
	q.Leakage = q.Mechanism.Leakage(q.Prior)
	var table bytes.Buffer
	if err := utility.WriteCSV(&table, &utility.Result{Order: q.Order, Inputs: q.Inputs, Outputs: q.Outputs}); err != nil {
		return err
	}
	q.OrderCSV = table.Bytes()
	sum := sha256.Sum256(q.OrderCSV)
	q.Spec.SHA256, q.Spec.Load = hex.EncodeToString(sum[:]), "matrix:"+plan.OrderFile
	other := *p.Other
	if other.Extends == "" {
		other.Extends = p.Hash
	}
	other.Adopted = slices.Concat(other.Adopted, fresh)
	q.Other = &other
	q.DesignHash = q.HashDesign()
	return nil
}

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
