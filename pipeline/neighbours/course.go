package neighbours

import (
	"context"
	"iter"
	"slices"

	"github.com/tacet-privacy/tacet/estimate/judge"
	"github.com/tacet-privacy/tacet/io/table"
)

const (
	// fewKin is how many values the rows of the first stage hold at the least
	// where values of few rows are judged.
	fewKin = 400
	// kinRows is about how many rows they are judged by.
	kinRows = 1 << 16
	// singled is the share of rows with a cell of its own from which on it tells records apart, of fewSingled rows at
	// the least.
	singled, fewSingled = .99, 100
)

// A course is what became of rules, stage by stage.
type course struct {
	*jury
	verdict judge.Verdict
	closed  map[string]bool // rules, by name, that more rows would not teach more
	more    bool            // these may teach others more
	thin    float64         // share of rows that do not matter, however telling
	single  bool            // rules of one column
}

func (j *jury) course(thin float64) *course {
	return &course{jury: j, closed: map[string]bool{}, thin: thin}
}

// stages are those to be tried, until one refuses or more rows teach no more. Large ones are
// judged by one goroutine at a time: they take 100 bytes a row.
func (c *course) stages(ctx context.Context) iter.Seq2[int, *stage] {
	return func(yield func(int, *stage) bool) {
		one := func(k int, st *stage) bool {
			if len(st.row) > stageRows[1] {
				c.many.Lock()
				defer c.many.Unlock()
			}
			return yield(k, st)
		}
		for k, st := range c.stage {
			if ctx.Err() != nil || !one(k, st) || !c.more || c.verdict.Outcome == judge.Refuse {
				return
			}
		}
	}
}

// alone judges column i by its rules, then by copies and other rows, then by equal values.
func (j *jury) alone(ctx context.Context, i int, to *Column) error {
	c := j.course(slight)
	defer func() { to.Verdict = c.verdict }()
	c.single = true
	var divisors []int64
	many := 0
	for k, st := range c.stages(ctx) {
		v := j.column[i].values(st.cell, st.own, j.q.Labels)
		if len(v.key) < 2 && st.own == len(j.letter) {
			c.verdict = judge.NewVerdict(st.own) // it never differs
			return nil
		}
		if v.whole != nil {
			if k == 0 {
				divisors = j.far.follows(spreadOut(v.whole, v.of[:st.own]))
			}
			for _, m := range divisors {
				v.rules = append(v.rules, remainder("its", v.whole, v.unknown, m))
			}
		}
		t := c.try(k, st, v.of, len(v.key), v.rules)
		gain := 0.
		if p := t.Best(v.of[:st.own]); p != nil {
			gain = p.Gain
			j.mu.Lock()
			j.best[k][i] = p
			j.mu.Unlock()
		}
		if k > 0 {
			continue
		}
		if many = v.many; c.verdict.Outcome < judge.Refuse {
			c.untaught(j.column[i], v)
		}
		to.TellsApart, to.Restores = j.tellsApart(i, v), v.restores(st.own)
		j.pairable(i, v, gain)
	}
	if err := ctx.Err(); err != nil || c.verdict.Outcome == judge.Refuse {
		return err
	}
	c.kin(j.column[i], many)
	j.column[i].kin = nil
	return nil
}

// tellsApart reports whether nearly every row of the first stage has a text or a whole number of its own.
func (j *jury) tellsApart(i int, v *values) bool {
	switch j.column[i].typ.Form {
	case table.TextCells, table.BinaryCells, table.IntegerCells, table.UnsignedCells:
		rows := j.stage[0].own
		return j.view[i].cut == nil && rows >= fewSingled && float64(v.many) >= singled*float64(rows)
	}
	return false
}

// sure is the law of what is looked at once: copies, other rows, equal values.
func (j *jury) sure() *judge.Law {
	law := j.law(j.stage[0])
	law.Level = falseAlarm / float64(j.units)
	return law
}

// untaught judges a column by what it copies, of its own rows and of those before and after,
// and by the difference to the row before, at the first stage.
func (c *course) untaught(of *column, v *values) {
	st, law := c.stage[0], c.sure()
	value := v.of[:st.own]
	texts := v.text
	if texts == nil {
		texts = v.written(of.typ)
	}
	var copies []judge.Copy
	if texts != nil {
		for _, g := range c.mirror.copies(texts, v.null) {
			copies = append(copies, judge.Copy{Name: g.Name, Of: spreadOut(g.Of, value)})
		}
	}
	guesses := slices.Clone(copies)
	if rank := v.ranks(); len(rank) > fewPaired {
		guesses = append(guesses, c.ordered("its place in their order", spreadOut(rank, value), len(rank))...)
	}
	if len(guesses) > 0 {
		c.add(st.sample.Untaught(law, guesses), false)
	}
	for _, other := range c.beside {
		var found judge.Verdict
		if len(copies) > 0 {
			found = other.sample.Untaught(law, copies)
		}
		if v.many <= st.own/8 && found.Outcome < judge.Refuse {
			if t := judge.NewTrial(other.sample, law, value, len(v.key), []judge.Rule{own()}); t.Tells() {
				found = t.Judge()
			}
		}
		if found.Outcome >= judge.Warn {
			found.By += ", which tells " + other.name
			c.add(found, false)
		}
	}
	if n := c.steps(of, v); n != nil {
		rules := countRules("the difference to the row before", n, c.far.follows)
		if t := judge.NewTrial(st.sample, law, firstRows(st.own), st.own, rules); t.Tells() {
			c.add(t.Judge(), false)
		}
	}
}

// ordered are guesses that the letters stand in one of their orders, by the place of every row.
func (j *jury) ordered(name string, place []int32, places int) (guesses []judge.Copy) {
	for _, order := range j.mirror.order {
		guesses = append(guesses, judge.Copy{Name: name, Of: j.stage[0].sample.Ranked(place, places, order)})
	}
	return guesses
}

// try judges stage k by the rules that are not closed, and closes those of which more rows
// teach no more.
func (c *course) try(k int, st *stage, value []int32, values int, rules []judge.Rule) *judge.Trial {
	rules = slices.DeleteFunc(slices.Clone(rules), func(r judge.Rule) bool { return c.closed[r.Name] })
	law := c.law(st)
	law.Thin = c.thin
	t := judge.NewTrial(st.sample, law, value, values, rules)
	t.Learn()
	v := t.Judge()
	c.add(v, true)
	if c.more = false; k+1 == len(c.stage) || c.verdict.Outcome == judge.Refuse {
		return t
	}
	for i, r := range rules {
		switch lost := float64(t.Many[i]) > judge.Hopeless*float64(st.sample.Learnt()) && r.Order == nil; {
		case lost:
			c.closed[r.Name] = true
		case t.Grave[i] || t.Open[i] && (k == 0 || c.single) || v.Outcome == judge.NotJudged:
			c.more = true
		default:
			c.closed[r.Name] = true
		}
	}
	return t
}

// add takes a further verdict. What a later stage clears was not judged
// before; what kin do not show is what rules show.
func (c *course) add(v judge.Verdict, stage bool) {
	old := c.verdict
	if old.Held == 0 {
		c.verdict = v
		return
	}
	lift := old.Lift
	if v.Lift.Factor > lift.Factor {
		lift = v.Lift
	}
	switch {
	case v.Outcome >= judge.Warn && (v.Outcome > old.Outcome || v.Outcome == old.Outcome && v.Gain > old.Gain):
		c.verdict = v
	case old.Outcome >= judge.Warn:
	case stage:
		c.verdict = v
	}
	c.verdict.Lift = lift
}

// kin judges a column by the rows of equal values: all of them, or those of
// some values, chosen by their hash, so that a value comes with all its rows. The first
// stage has so many values.
func (c *course) kin(of *column, many int) {
	if many < min(fewKin, c.stage[0].own/10) {
		return
	}
	c.many.Lock()
	defer c.many.Unlock()
	rows := slices.Grow(c.equal[:0], min(len(c.letter), kinRows+kinRows/8))
	add := func(key uint64, row int32) {
		r := judge.Row{Value: key, Chance: uint32(Mix(c.seed + uint64(row))), Letter: c.letter[row]}
		if c.person != nil {
			r.Person = c.person[row]
		}
		rows = append(rows, r)
	}
	for _, r := range of.kin {
		add(r.key, r.row)
	}
	for k, row := range c.cell {
		if key := of.key[k]; c.every() && !of.null[k] && c.letter[row] >= 0 && c.whollyIn(key) {
			add(key, row)
		}
	}
	c.equal = rows
	if v, ok := judge.Kin(rows, c.sure()); ok {
		c.add(v, false)
	}
}
