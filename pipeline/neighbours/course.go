package neighbours

import (
	"context"
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

// A course is what became of a column's rules, stage by stage.
type course struct {
	verdict judge.Verdict
	closed  map[string]bool // rules, by name, that more rows would not teach more
	thin    float64         // share of rows that do not matter, however telling
	alone   bool            // rules of one column
}

// alone judges column i by its rules, then by copies and other rows, then by equal values.
func (j *jury) alone(ctx context.Context, i int) (judge.Verdict, error) {
	c := &course{closed: map[string]bool{}, thin: slight, alone: true}
	var divisors []int64
	many := 0
	for k, st := range j.stage {
		if err := ctx.Err(); err != nil {
			return c.verdict, err
		}
		done := j.large(st)
		v := j.values(j.column[i], st.cell, st.moreCell, j.q.Labels)
		if len(v.key) < 2 && len(st.row) == len(j.letter) {
			done()
			return judge.Verdict{Letter: -1, Held: len(st.row), Lift: judge.Lift{Letter: -1}}, nil // it never differs
		}
		if v.whole != nil {
			if k == 0 {
				divisors = j.far.follows(spreadOut(v.whole, v.of[:len(st.row)]))
			}
			for _, m := range divisors {
				v.rules = append(v.rules, remainder("its", v.whole, v.unknown(), m))
			}
		}
		t, more := j.try(c, k, st, v.of, len(v.key), v.rules)
		if p := t.Best(v.of[:len(st.row)]); p != nil {
			j.mu.Lock()
			j.part[k][i] = p
			j.mu.Unlock()
		}
		done()
		if k == 0 {
			if v.rules, many = nil, v.many; c.verdict.Outcome < judge.Refuse {
				j.untaught(c, i, v)
			}
			j.names[i], j.back[i] = j.tellsApart(i, v), j.restores(i, v)
			j.pairable(i, v, t.LearntGain())
		}
		if !more || c.verdict.Outcome == judge.Refuse {
			break
		}
	}
	if c.verdict.Outcome == judge.Refuse {
		return c.verdict, nil
	}
	if kin, ok := j.kin(i, many); ok {
		c.add(kin, false)
	}
	if !j.q.Shuffled { // else they may be judged again
		for k := range j.column[i].unit {
			j.column[i].unit[k].kin = nil
		}
	}
	return c.verdict, nil
}

// large has the rows of a large stage judged by one goroutine at a time, until it is done:
// they take 100 bytes each.
func (j *jury) large(st *stage) (done func()) {
	if len(st.row) <= stageRows[1] {
		return func() {}
	}
	j.many.Lock()
	return j.many.Unlock
}

// tellsApart reports whether nearly every row of the first stage has a text or a whole number of its own.
func (j *jury) tellsApart(i int, v *values) bool {
	switch j.column[i].typ.Form {
	case table.TextCells, table.BinaryCells, table.IntegerCells, table.UnsignedCells:
		rows := len(j.stage[0].row)
		return j.view[i].cut == nil && rows >= fewSingled && float64(v.many) >= singled*float64(rows)
	}
	return false
}

// untaught judges a column by what it copies, of its own rows and of those before and after,
// and by the difference to the row before, at the first stage.
func (j *jury) untaught(c *course, i int, v *values) {
	st := j.stage[0]
	of := v.of[:len(st.row)]
	law := j.law(st)
	law.Level = falseAlarm / float64(j.units)
	texts := v.text
	if texts == nil {
		texts = v.written(j.column[i].typ)
	}
	var copies []judge.Copy
	if texts != nil {
		for _, g := range j.mirror.copies(texts, v.null) {
			copies = append(copies, judge.Copy{Name: g.Name, Of: spreadOut(g.Of, of)})
		}
	}
	guesses := slices.Clone(copies)
	if rank := v.ranks(); len(rank) > fewPaired {
		place := spreadOut(rank, of)
		for _, order := range j.mirror.order {
			guesses = append(guesses, judge.Copy{Name: "its place in their order",
				Of: st.sample.Ranked(place, len(rank), order)})
		}
	}
	if len(guesses) > 0 {
		c.add(st.sample.Untaught(law, guesses), false)
	}
	if j.q.Shuffled {
		return
	}
	for _, near := range j.beside {
		var found judge.Verdict
		if len(copies) > 0 {
			found = near.sample.Untaught(law, copies)
		}
		if v.many <= len(of)/8 && found.Outcome < judge.Refuse {
			rule := own(len(v.key))
			t := judge.NewTrial(near.sample, law, of, len(v.key), []judge.Rule{rule})
			if t.Learn(); t.Tells {
				found = t.Judge()
			}
		}
		if found.Outcome >= judge.Warn {
			found.By += ", which tells " + near.name
			c.add(found, false)
		}
	}
	if n := j.steps(i, v); n != nil {
		rows := firstRows(len(of))
		t := judge.NewTrial(st.sample, law, rows, len(rows), counts("the difference to the row before", n, j.far.follows))
		if t.Learn(); t.Tells {
			c.add(t.Judge(), false)
		}
	}
}

// try judges a column at stage k by the rules that are not closed, and reports
// whether it takes more rows.
func (j *jury) try(c *course, k int, st *stage, value []int32, values int, rules []judge.Rule) (*judge.Trial, bool) {
	last := k+1 == len(j.stage)
	rules = slices.DeleteFunc(slices.Clone(rules), func(r judge.Rule) bool { return c.closed[r.Name] })
	law := j.law(st)
	law.Thin = c.thin
	t := judge.NewTrial(st.sample, law, value, values, rules)
	t.Learn()
	v := t.Judge()
	c.add(v, true)
	if last || c.verdict.Outcome == judge.Refuse {
		return t, false
	}
	learn, _ := st.sample.Rows()
	open := false
	for i, r := range rules {
		switch lost := float64(t.Many[i]) > judge.Hopeless*float64(learn) && r.Order == nil; {
		case lost:
			c.closed[r.Name] = true
		case t.Grave[i] || t.Open[i] && (k == 0 || c.alone) || v.Outcome == judge.NotJudged:
			open = true
		default:
			c.closed[r.Name] = true
		}
	}
	return t, open
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

// kin judges column i by the rows of equal values: all of them, or those of
// some values, chosen by their hash, so that a value comes with all its rows. The first
// stage has so many values.
func (j *jury) kin(i, many int) (v judge.Verdict, ok bool) {
	if many < min(fewKin, len(j.stage[0].row)/10) {
		return v, false
	}
	j.many.Lock()
	defer j.many.Unlock()
	j.equal = slices.Grow(j.equal[:0], min(len(j.letter), kinRows+kinRows/8))
	for k, p := range j.sample.part {
		u := &j.column[i].unit[k]
		for _, r := range u.kin {
			j.akin(r.key, int(r.row))
		}
		for cell := p.cell; j.whole && cell < p.end; cell++ {
			if key, ok := u.at(cell - p.cell); ok && j.letter[cell] >= 0 && j.whollyIn(key) {
				j.akin(key, cell)
			}
		}
	}
	law := j.law(j.stage[len(j.stage)-1])
	law.Level = falseAlarm / float64(j.units)
	return j.kinship.Judge(j.equal, law)
}

// akin adds a row to those of equal values.
func (j *jury) akin(key uint64, row int) {
	r := judge.Row{Value: key, Chance: uint32(Mix(j.seed + uint64(row))), Letter: j.letter[row]}
	if j.person != nil {
		r.Person = j.person[row]
	}
	j.equal = append(j.equal, r)
}
