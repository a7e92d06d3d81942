package decide

import (
	"errors"
	"math"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/design"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/request"

	"github.com/tacet-privacy/tacet/pipeline/utility"
)

// A merging is how letters that are drawn alike are judged: each by its own row
// of the order where that has one, else by the row of OTHER. The design sees
// OTHER as one letter, worth in every output what the worst-off of its letters
// gets, so that a floor it keeps is kept for each of them. The least of several
// ranks is no permutation: rank floors are searched as floors of a utility, the
// rank (TestMergedLettersKeepTheFloor).
type merging struct {
	fold   *count.Folding
	inputs utility.Letters // of the design
	result *utility.Result // with the rows that the order has; the narrow one where it has none of merged letters
	row    []int           // by letter of the file: its row of result
	group  [][]int         // by letter of the design: its letters of the file
	lent   []string        // merged letters that have the row of OTHER
	byRank bool            // utilities of the design's order are ranks
}

// merge finds the rows of merged letters; r is the order over the letters of
// the design.
func merge(asked *request.Decision, f *count.Folding, narrow *count.Domain, r *utility.Result) (*merging, error) {
	goal := asked.Goal
	m := &merging{fold: f, inputs: narrow.Letters, result: r, group: make([][]int, narrow.Letters.Len())}
	for x, to := range f.To {
		m.group[to] = append(m.group[to], x)
	}
	letters, missing := f.Wide.Letters, map[int]bool{}
	if len(f.Rare) > 0 {
		wide, lost, err := withRare(asked.Order, f, r)
		if err != nil {
			return nil, err
		}
		for _, x := range lost {
			missing[x] = true
			m.lent = append(m.lent, letters.Label[x])
		}
		if m.result = wide; len(lost) == len(f.Rare) {
			m.result = r
		}
	}
	place := map[string]int{}
	for x, l := range m.result.Inputs.Label {
		place[l] = x
	}
	for x := range f.To {
		switch {
		case x == len(letters.Label):
			m.row = append(m.row, len(m.result.Inputs.Label))
		case missing[x]:
			m.row = append(m.row, place[asked.Rare.Other])
		default:
			m.row = append(m.row, place[letters.Label[x]])
		}
	}
	m.byRank = m.own() && !(goal.ByValue && goal.Floor == nil || goal.Floor != nil && goal.Floor.ByValue)
	return m, nil
}

// withRare is the order over the letters of the file, those left out for which
// it has no row: lost, by their places in the file. Its outputs are those of the
// narrow order: no merged letter is published because the order knows it.
func withRare(asked request.Order, f *count.Folding, narrow *utility.Result) (r *utility.Result, lost []int,
	err error) {
	in := utility.Input{Letters: f.Wide.Letters, Kind: f.Wide.Kind, ReadFile: count.ReadSpec,
		Place: plan.BinPlace(f.Wide.Bins)}
	if in.Outputs, err = labelsOf(asked); err != nil {
		return nil, nil, err
	}
	if in.Outputs == nil && !narrow.OwnOutputs() {
		if in.Outputs = narrow.Outputs.Label; narrow.Outputs.Null && !narrow.NullRule {
			in.Outputs = slices.Concat(in.Outputs, []string{""})
		}
	}
	r, err = utility.Build(asked.Spec, in)
	var missing *utility.MissingError
	if errors.As(err, &missing) {
		lost = missing.Letters
		in.Letters.Label = []string{}
		for x, l := range f.Wide.Letters.Label {
			if !slices.Contains(lost, x) {
				in.Letters.Label = append(in.Letters.Label, l)
			}
		}
		r, err = utility.Build(asked.Spec, in)
	}
	if err == nil && !narrow.OwnOutputs() && (r.Outputs.Null != narrow.Outputs.Null || !slices.Equal(r.Outputs.Label,
		narrow.Outputs.Label)) {
		err = fault.New(fault.Input, "list the outputs with --labels", "the order has other outputs for merged values")
	}
	return r, lost, err
}

// own reports whether some merged letter has a row of its own.
func (m *merging) own() bool { return len(m.fold.Rare) > len(m.lent) }

// order is that of the letters of the file.
func (m *merging) order() mechanism.Order { return count.Folded{Order: m.result.Order, To: m.row} }

// narrow is the order that the design sees.
func (m *merging) narrow() *utility.Result {
	if !m.own() {
		return m.result
	}
	r := *m.result
	r.Inputs, r.Order = m.inputs, mechanism.Tabulate(leastOf{m, m.order()})
	return &r
}

// leastOf is an order over the letters of the design: the least rank or
// utility that any of their letters has.
type leastOf struct {
	*merging
	wide mechanism.Order
}

// Inputs is the number of letters of the design.
func (l leastOf) Inputs() int { return len(l.group) }

// Outputs is that of the order.
func (l leastOf) Outputs() int { return l.wide.Outputs() }

// Row has the values, and the ranks that follow from them.
func (l leastOf) Row(x int, rank []uint16, value []float64) {
	least := make([]float64, l.Outputs())
	own, place := make([]float64, len(least)), make([]uint16, len(least))
	for y := range least {
		least[y] = math.Inf(1)
	}
	for _, k := range l.group[x] {
		l.wide.Row(k, place, own)
		for y, v := range own {
			if l.byRank && !math.IsInf(v, -1) {
				v = float64(place[y])
			}
			least[y] = min(least[y], v)
		}
	}
	if rank != nil {
		mechanism.Rank(least, rank)
	}
	if value != nil {
		copy(value, least)
	}
}

// goal is what the design is asked for.
func (m *merging) goal(g design.Goal) design.Goal {
	if !m.own() {
		return g
	}
	g.Weights = m.mean(mechanism.ValueWeights(m.order()))
	if !m.byRank {
		return g
	}
	g.ByValue = true
	if g.Floor != nil {
		f := mechanism.ValueFloor(float64(g.Floor.Rank))
		g.Floor = &f
	}
	return g
}

// mean is the mean weight of the letters of each letter of the design, over
// their records.
func (m *merging) mean(of mechanism.Weights) mechanism.Weights {
	return func(x int, row []float64) {
		if len(m.group[x]) == 1 {
			of(m.group[x][0], row)
			return
		}
		own, total, even := make([]float64, len(row)), 0.0, 0.0
		for _, k := range m.group[x] {
			total += float64(m.fold.Wide.Prior.Count(k))
		}
		if total == 0 {
			even, total = 1, float64(len(m.group[x]))
		}
		clear(row)
		for _, k := range m.group[x] {
			of(k, own)
			share := (float64(m.fold.Wide.Prior.Count(k)) + even) / total
			for y, v := range own {
				if math.IsInf(v, -1) || math.IsInf(row[y], -1) {
					row[y] = math.Inf(-1) // nothing is published so
					continue
				}
				row[y] += share * v
			}
		}
	}
}

// floor is one of the order that a floor of the design's order stands for.
func (m *merging) floor(f mechanism.Floor) mechanism.Floor {
	if !m.byRank {
		return f
	}
	return mechanism.RankFloor(int(math.Ceil(f.Value)))
}

// explain says what could not be designed, in terms of the order.
func (m *merging) explain(err error, d *count.Domain, g design.Goal) error {
	const hint = "give another --other, a smaller --min-count, a lower floor or a larger epsilon"
	var none *mechanism.NoOutputError
	if errors.As(err, &none) && len(m.group[none.Letter]) > 1 {
		return &fault.Fault{Class: fault.Privacy,
			What: "no output is allowed for all the values that --min-count merges", Hint: hint, Err: err}
	}
	var off *design.ShiftError
	if errors.As(err, &off) {
		return Explain(m.shifted(off), d, m.result, g)
	}
	var far *design.UnreachableError
	if errors.As(err, &far) {
		f := *far
		f.AtFloor = m.floor(f.AtFloor)
		if f.Best != nil {
			best := m.floor(*f.Best)
			f.Best = &best
		}
		err = &f
		if f.Least == nil && f.Best == nil && m.own() {
			return &fault.Fault{Class: fault.Privacy, What: "no design keeps " + f.AtFloor.String() +
				" for all the values that --min-count merges", Hint: hint, Err: err}
		}
	}
	return Explain(err, d, m.result, g)
}

// finish makes a plan over the letters of the file of one over merged letters. What was
// proven of these is left to prove.
func (m *merging) finish(p *plan.Plan, asked *request.Decision) error {
	f := m.fold
	p.Order = m.order()
	if p.Order.Inputs()*p.Order.Outputs() > tableCells {
		return fault.New(fault.Input, "merge values before the run", "an order of %d by %d values is too large for --other",
			p.Order.Inputs(), p.Order.Outputs())
	}
	if err := f.Widen(p); err != nil {
		return err
	}
	wide := *m.result
	wide.Order, wide.Inputs, wide.Ties = p.Order, p.Inputs, mechanism.Tied(p.Order)
	wide.Lowest = lowestOf(p.Order)
	if err := setOrder(p, asked.Order.Spec, f.Wide, &wide); err != nil {
		return err
	}
	p.Floor = m.floor(p.Floor)
	for i := range p.Groups {
		g := &p.Groups[i]
		g.Rank, g.Value = g.Mechanism.Floor(p.Order)
		g.Expected = g.Mechanism.ExpectedUtility(g.Prior, p.Order)
	}
	p.Redraw(p.Groups...)
	p.Words = m.result.Describe(p.Value)
	if p.Next != nil {
		next := m.floor(*p.Next)
		p.Next, p.NextRank = &next, next.Rank
	}
	p.Expected = p.Mean(func(g *plan.Group) float64 { return g.Expected })
	p.Other = &plan.Other{Label: asked.Rare.Other, MinCount: asked.Rare.MinCount, Merged: []string{}, Lent: m.lent}
	for _, x := range f.Rare {
		p.Other.Merged = append(p.Other.Merged, p.Inputs.Label[x])
	}
	return nil
}

// prove proves of a plan over the letters of the file what weights prove of one over
// merged letters, whose prior is narrow, or less.
func (m *merging) prove(p *plan.Plan, weight []int64, narrow mechanism.Prior) error {
	s := mechanism.SupportOf(p.Order, p.Floor)
	if m.own() {
		p.UpperBound = max(p.Expected, optimum.UtilityBound(p.Prior, p.Order, s, p.Epsilon.Factor()))
	}
	if p.Pi = spread(m.fold, weight, narrow); p.Pi == nil ||
		(optimum.Certificate{Weight: p.Pi, Lower: p.Lower}).Verify(p.Prior, s) != nil {
		p.Pi = nil
		var err error
		if p.Lower, err = optimum.LowerBound(p.Prior, s, p.Also()...); err != nil {
			return err
		}
	}
	return nil
}

// lowestOf is the least utility that is not -inf; +Inf where all are.
func lowestOf(o mechanism.Order) float64 {
	lowest, row := math.Inf(1), make([]float64, o.Outputs())
	for x := range o.Inputs() {
		o.Row(x, nil, row)
		for _, v := range row {
			if !math.IsInf(v, -1) {
				lowest = math.Min(lowest, v)
			}
		}
	}
	return lowest
}

// labelsOf are those of --labels, nil where none are given.
func labelsOf(asked request.Order) ([]string, error) {
	if asked.Labels == "" {
		return nil, nil
	}
	return count.ReadLabels(asked.Labels, "--labels")
}
