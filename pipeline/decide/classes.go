package decide

import (
	"errors"
	"math"
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/design"
	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/request"
	"github.com/tacet-privacy/tacet/pipeline/utility"
)

// Classes are the values that are drawn alike: rare ones are in the class of OTHER, and each
// other value is a class of its own. The design sees a class as one letter, worth in every
// output what the worst-off of its values gets, so that a floor it keeps is kept for each of
// them: a value is judged by its own row of the order where that has one, else by the row of
// OTHER. In the plan every value has the row of its class: what an output tells of them is then
// what it tells of the class. The least of several ranks is no permutation: rank floors are
// searched as floors of a utility, the rank (TestMergedLettersKeepTheFloor).
type classes struct {
	rule   request.Rare
	wide   *count.Domain   // by value
	domain *count.Domain   // by class
	of     []int           // by value: its class; nil where each is its own
	rare   []int           // values that were merged, OTHER left out
	other  int             // the class of OTHER
	values [][]int         // by class
	order  *utility.Result // with the rows that the order has; by class where it has none of rare values
	row    []int           // by value: its row of order
	lent   []string        // rare values that have the row of OTHER
	byRank bool            // utilities of the design's order are ranks
}

// classesOf puts values of fewer records than the rule says in the class of OTHER, which is
// among the values: it was declared. Null is never rare.
func classesOf(d *count.Domain, rule request.Rare) (c *classes, err error) {
	if c = (&classes{rule: rule, wide: d, domain: d}); rule.Other == "" || d.Letters.Len() == 0 {
		return c, nil
	}
	narrow := *d
	narrow.Letters = utility.Letters{Label: []string{}, Null: d.Letters.Null}
	c.domain, c.of = &narrow, make([]int, d.Letters.Len())
	for x, label := range d.Letters.Label {
		switch {
		case label == rule.Other:
			c.other = len(narrow.Letters.Label)
		case d.Sample.Count(x) < rule.MinCount:
			c.rare = append(c.rare, x)
			continue
		}
		c.of[x] = len(narrow.Letters.Label)
		narrow.Letters.Label = append(narrow.Letters.Label, label)
	}
	for _, x := range c.rare {
		c.of[x] = c.other
	}
	if d.Letters.Null {
		c.of[len(c.of)-1] = len(narrow.Letters.Label)
	}
	c.values = make([][]int, narrow.Letters.Len())
	for x, class := range c.of {
		c.values[class] = append(c.values[class], x)
	}
	narrow.Groups = slices.Clone(d.Groups)
	counts := []*mechanism.Prior{&narrow.Prior, &narrow.Sample}
	for i := range narrow.Groups {
		counts = append(counts, &narrow.Groups[i].Prior, &narrow.Groups[i].Sample)
	}
	for _, p := range counts {
		if p.Letters() == 0 {
			continue
		}
		sum := make([]int64, narrow.Letters.Len())
		for x, class := range c.of {
			sum[class] += p.Count(x)
		}
		if *p, err = mechanism.NewPrior(sum); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// merges reports whether some values may be drawn alike.
func (c *classes) merges() bool { return c.of != nil }

// judge finds the rows of all values; r is the order over the classes.
func (c *classes) judge(asked *request.Decision, r *utility.Result) (err error) {
	c.order = r
	if !c.merges() {
		return nil
	}
	labels, missing := c.wide.Letters.Label, map[int]bool{}
	if len(c.rare) > 0 {
		wide, lost, err := c.withRare(asked.Order, r)
		if err != nil {
			return err
		}
		for _, x := range lost {
			missing[x] = true
			c.lent = append(c.lent, labels[x])
		}
		if c.own() {
			c.order = wide
		}
	}
	place := map[string]int{}
	for x, l := range c.order.Inputs.Label {
		place[l] = x
	}
	for x := range c.of {
		switch {
		case x == len(labels):
			c.row = append(c.row, len(c.order.Inputs.Label))
		case missing[x]:
			c.row = append(c.row, place[c.rule.Other])
		default:
			c.row = append(c.row, place[labels[x]])
		}
	}
	c.byRank = c.own() && !byValue(&asked.Goal)
	return nil
}

// withRare is the order over the values, those left out for which it has no row: lost. Its
// outputs are those of the order over classes: no rare value is published because the order
// knows it.
func (c *classes) withRare(asked request.Order, r *utility.Result) (wide *utility.Result, lost []int, err error) {
	letters := c.wide.Letters
	in, err := c.wide.Ordered(asked)
	if err != nil {
		return nil, nil, err
	}
	if in.Outputs == nil && !r.OwnOutputs() {
		if in.Outputs = r.Outputs.Label; r.Outputs.Null && !r.NullRule {
			in.Outputs = slices.Concat(in.Outputs, []string{""})
		}
	}
	wide, err = utility.Build(asked.Spec, in)
	var missing *utility.MissingError
	if errors.As(err, &missing) {
		lost = missing.Letters
		in.Letters.Label = []string{}
		for x, l := range letters.Label {
			if !slices.Contains(lost, x) {
				in.Letters.Label = append(in.Letters.Label, l)
			}
		}
		wide, err = utility.Build(asked.Spec, in)
	}
	if err == nil && !r.OwnOutputs() && (wide.Outputs.Null != r.Outputs.Null ||
		!slices.Equal(wide.Outputs.Label, r.Outputs.Label)) {
		err = fault.New(fault.Input, "list the outputs with --labels", "the order has other outputs for merged values")
	}
	return wide, lost, err
}

// own reports whether some rare value has a row of its own.
func (c *classes) own() bool { return len(c.rare) > len(c.lent) }

// whole is the order over all values.
func (c *classes) whole() mechanism.Order { return folded{c.order.Order, c.row} }

// seen is the order that the design sees.
func (c *classes) seen() *utility.Result {
	if !c.own() {
		return c.order
	}
	r := *c.order
	r.Inputs, r.Order = c.domain.Letters, mechanism.Tabulate(leastOf{c, c.whole()})
	return &r
}

// goal is what the design is asked for.
func (c *classes) goal(g design.Goal) design.Goal {
	if !c.own() {
		return g
	}
	g.Weights = c.mean(mechanism.ValueWeights(c.whole()))
	if !c.byRank {
		return g
	}
	g.ByValue = true
	if g.Floor != nil {
		f := mechanism.ValueFloor(float64(g.Floor.Rank))
		g.Floor = &f
	}
	return g
}

// mean is the mean weight of the values of each class, over their records.
func (c *classes) mean(of mechanism.Weights) mechanism.Weights {
	return func(class int, row []float64) {
		values := c.values[class]
		if len(values) == 1 {
			of(values[0], row)
			return
		}
		own, total, even := make([]float64, len(row)), float64(c.domain.Prior.Count(class)), 0.0
		if total == 0 {
			even, total = 1, float64(len(values))
		}
		clear(row)
		for _, x := range values {
			of(x, own)
			share := (float64(c.wide.Prior.Count(x)) + even) / total
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
func (c *classes) floor(f mechanism.Floor) mechanism.Floor {
	if !c.byRank {
		return f
	}
	return mechanism.RankFloor(int(math.Ceil(f.Value)))
}

// floorAt is the same, nil for none.
func (c *classes) floorAt(f *mechanism.Floor) *mechanism.Floor {
	if f == nil {
		return nil
	}
	of := c.floor(*f)
	return &of
}

// lost is the share of some records that hold rare values: no output stands for these.
func (c *classes) lost(records mechanism.Prior) *big.Rat {
	rare := int64(0)
	for _, x := range c.rare {
		rare += records.Count(x)
	}
	return big.NewRat(rare, max(1, records.Total()))
}

// wider are the groups over the values, drawn by mechanisms over the classes. What several
// groups share, they share again.
func (c *classes) wider(groups []plan.Group) (wide []plan.Group, err error) {
	if !c.merges() {
		return groups, nil
	}
	alike := newAlike(c.of)
	for i, g := range groups {
		e := c.wide.Groups[i]
		if e.Mechanism, err = alike.law(g.Mechanism); err != nil {
			return nil, err
		}
		e.Leakage = e.Mechanism.Leakage(e.Prior)
		wide = append(wide, e)
	}
	return wide, nil
}

// An alike gives letter x the row of letter to[x]. Of one mechanism it makes one.
type alike struct {
	to    []int
	known map[*mechanism.Mechanism]*mechanism.Mechanism
}

func newAlike(to []int) *alike { return &alike{to, map[*mechanism.Mechanism]*mechanism.Mechanism{}} }

// law is m with the rows that letters have.
func (w *alike) law(m *mechanism.Mechanism) (wide *mechanism.Mechanism, err error) {
	if wide = w.known[m]; wide != nil {
		return wide, nil
	}
	row := make([]mechanism.Row, len(w.to))
	for x, to := range w.to {
		row[x] = m.Row(to)
	}
	wide, err = mechanism.New(m.Outputs(), row)
	w.known[m] = wide
	return wide, err
}

// A folded order has the row of another letter for some.
type folded struct {
	mechanism.Order
	to []int
}

// Inputs is the number of letters that have a row.
func (f folded) Inputs() int { return len(f.to) }

// Row is that of the letter that x is counted as.
func (f folded) Row(x int, rank []uint16, value []float64) { f.Order.Row(f.to[x], rank, value) }

// leastOf is an order over the classes: the least rank or utility that any of their values has.
type leastOf struct {
	*classes
	wide mechanism.Order
}

// Inputs is the number of classes.
func (l leastOf) Inputs() int { return l.domain.Letters.Len() }

// Outputs is that of the order.
func (l leastOf) Outputs() int { return l.wide.Outputs() }

// Row has the values, and the ranks that follow from them.
func (l leastOf) Row(class int, rank []uint16, value []float64) {
	least := slices.Repeat([]float64{math.Inf(1)}, l.Outputs())
	own, place := make([]float64, len(least)), make([]uint16, len(least))
	for _, x := range l.values[class] {
		l.wide.Row(x, place, own)
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
