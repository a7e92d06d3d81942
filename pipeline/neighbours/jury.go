package neighbours

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/tacet-privacy/tacet/estimate/judge"
)

const (
	// falseAlarm is the chance that a file is refused of which no column tells
	// a tenth.
	falseAlarm = 1e-5
	// mostPairs is how many pairs are looked at: those of the columns of the largest gain,
	// and of numbers and times before texts. Few pairs are looked at on many rows.
	mostPairs = 3000
	lookRows  = 1 << 16 // of all pairs together, and
	leastLook = 1 << 10 // of one
	// deepPairs is how many may be judged on more rows than those of the first stage.
	deepPairs = 300
	// paired are columns of which there are mostPairs pairs.
	paired = 78
	// mostSteps bounds the work on all columns together, and fewSteps where
	// there are smaller stages.
	mostSteps = 200_000_000
	fewSteps  = 30_000_000
	// hopeless is the share of different keys above which a rule has too few
	// rows for each at every later stage.
	hopeless = .8
	// slight is the share of rows that are left alone where too few rows have
	// their keys, and slightPair that of two columns.
	slight     = .01
	slightPair = .25
	// farthest is how many rows before and after its own a column is judged by.
	farthest = 5
)

// units are what is judged of a column by itself: its rules, equal values, copies, the
// difference to the row before, and the rows before and after.
const units = 4 + 2*farthest

// A jury judges what is kept, stage by stage.
type jury struct {
	*sample
	q       Request
	letters int
	units   int // that are judged: columns, pairs, the places, all together
	seed    uint64
	stage   []*stage
	mirror  *mirror
	beside  []*nearby // rows before and after
	far     *period
	look    []int32 // rows of the first stage by which pairs are looked at
	glance  *judge.Sample
	near    *period

	many  sync.Mutex // held while many rows of a column are judged by equal values: they take much memory
	mu    sync.Mutex
	part  []map[int]*judge.Part // by stage and column; none of a stage once they would take
	work  []int                 // more steps than are judged together
	first map[int]*values       // at the first stage, of the columns of which pairs are judged
	worth []float64             // by column: what comes first in pairs
	seen  int                   // columns that can be paired
}

// nearby are the letters of the rows so far from those of the first stage.
type nearby struct {
	name   string
	sample *judge.Sample
}

// judge holds out rows for every column, for pairs, for the places and for all
// columns together.
func (s *sample) judge(ctx context.Context, out *Result, q Request, letters int) error {
	n := len(s.view)
	j := &jury{sample: s, q: q, letters: letters, units: units*n + min(mostPairs, n*(n-1)/2) + 4, seed: s.halves(),
		first: map[int]*values{}, worth: make([]float64, n)}
	for i, c := range q.Columns {
		out.Columns[i] = Column{Names: []string{c.Name}}
		if !c.Readable && c.Leaves == 0 {
			out.Columns[i].Why = "its cells cannot be read"
			out.Columns[i].Verdict = judge.Verdict{Outcome: judge.NotJudged, Letter: -1}
		}
	}
	for k := range stages(len(s.letter)) {
		j.stage = append(j.stage, j.choose(k))
		j.part, j.work = append(j.part, map[int]*judge.Part{}), append(j.work, 0)
	}
	j.prepare()
	last := j.stage[len(j.stage)-1]
	out.Blind = last.sample.Blind(j.law(last))
	out.Place.Names = []string{"the place of a row"}
	found := make([]judge.Verdict, n)
	err := s.each(ctx, threads(q), func(i int) (err error) {
		if s.column[i].restores(s) {
			out.Columns[s.view[i].column].Restores = true
		}
		found[i], err = j.alone(ctx, i)
		j.parted(i, found[i].Outcome)
		return err
	}, func() (err error) { out.Place.Verdict, err = j.places(ctx); return err })
	if err != nil {
		return err
	}
	for i, v := range found {
		w, into := j.view[i], &out.Columns[j.view[i].column].Verdict
		if v.By != "" {
			v.By = w.name + v.By
		}
		if into.Held == 0 || v.Outcome > into.Outcome || v.Outcome == into.Outcome && v.Gain > into.Gain {
			*into = v
		}
	}
	if err := j.pairs(ctx, out); err != nil {
		return err
	}
	j.together(out)
	return nil
}

// prepare makes what all columns are judged by.
func (j *jury) prepare() {
	st := j.stage[0]
	j.mirror = newMirror(j.q.Labels, j.q.Prior)
	j.far = newPeriod(st.sample, nearPeriod+1, farPeriod, somePeriods)
	for _, by := range []int{-1, 1, -2, 2, -3, 3, -4, 4, -5, 5} {
		letter, at := make([]int32, len(st.row)), 0
		for k, i := range st.row {
			for int(i) >= j.sample.part[at].to {
				at++
			}
			p := &j.sample.part[at]
			if letter[k] = -1; int(i)+by >= p.from && int(i)+by < p.to {
				letter[k] = j.letter[int(i)+by]
			}
		}
		name := fmt.Sprintf("of the row %d before", -by)
		if by > 0 {
			name = fmt.Sprintf("of the row %d after", by)
		}
		j.beside = append(j.beside, &nearby{name, st.sample.Beside(letter)})
	}
	n := len(j.column)
	wanted := max(leastLook, lookRows/max(1, min(mostPairs, n*(n-1)/2)))
	limit := below(wanted, len(st.row))
	for k, i := range st.row {
		if limit == math.MaxUint64 || mix(^j.sample.number(int(i))) < limit {
			j.look = append(j.look, int32(k))
		}
	}
	j.glance = st.sample.Part(j.look)
	j.near = newPeriod(j.glance, 2, nearPeriod, onePeriod)
}

// law is what a stage's trials hold to.
func (j *jury) law(s *stage) *judge.Law {
	return &judge.Law{Prior: j.q.Prior, Factor: j.q.Factor, Level: falseAlarm * s.share / float64(j.units)}
}

// A course is what became of a column's rules, stage by stage.
type course struct {
	verdict judge.Verdict
	closed  map[string]bool // rules, by name, that more rows would not teach more
	thin    float64         // share of rows that do not matter, however telling
	alone   bool            // rules of one column
	plain   bool            // all that are not closed are plain
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
		var v *values
		if c.plain {
			v = j.rows(j.column[i], slices.Concat(st.cell, st.moreCell), len(st.cell))
		}
		if v == nil {
			v = j.values(j.column[i], st.cell, st.moreCell, j.q.Labels)
		}
		if len(v.key) < 2 && len(st.row) == len(j.letter) {
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
		if k == 0 {
			if v.rules, many = nil, v.many; c.verdict.Outcome < judge.Refuse {
				j.untaught(c, i, v)
			}
			j.pairable(i, v, t.LearntGain())
		}
		if !more || c.verdict.Outcome == judge.Refuse {
			break
		}
	}
	if c.verdict.Outcome == judge.Refuse {
		return c.verdict, nil
	}
	kin, ok, err := j.kin(ctx, i, many)
	for k := range j.column[i].unit {
		j.column[i].unit[k].kin = nil
	}
	if ok {
		c.add(kin, false)
	}
	return c.verdict, err
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
	c.plain = c.alone
	for i, r := range rules {
		switch lost := float64(t.Many[i]) > hopeless*float64(learn) && r.Order == nil; {
		case lost:
			c.closed[r.Name] = true
		case t.Grave[i] || t.Open[i] && (k == 0 || c.alone && r.Plain) || v.Outcome == judge.NotJudged:
			open = true
			c.plain = c.plain && r.Plain
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
func (j *jury) kin(ctx context.Context, i, many int) (v judge.Verdict, ok bool, err error) {
	last := j.stage[len(j.stage)-1]
	if many < min(fewKin, len(j.stage[0].row)/10) {
		return v, false, nil
	}
	law := j.law(last)
	if law.Level = falseAlarm / float64(j.units); len(j.letter) > 2*firstKin {
		law.Level /= 2
		rows, err := j.akin(ctx, i, firstKin)
		if err != nil {
			return v, false, err
		}
		v, ok = judge.Kin(rows, law)
		if ok && v.Outcome == judge.Clear || !ok && len(j.letter) > 4*firstKin && v.Held <= hopelessKin {
			return v, ok, nil
		}
	}
	j.many.Lock()
	defer j.many.Unlock()
	rows, err := j.akin(ctx, i, max(len(last.row), mostKin))
	if err != nil {
		return v, false, err
	}
	v, ok = judge.Kin(rows, law)
	return v, ok, nil
}

// akin are about so many rows, of values that come with all their rows.
func (j *jury) akin(ctx context.Context, i, most int) (rows []judge.Row, err error) {
	c, limit := j.column[i], below(most, len(j.letter))
	rows = make([]judge.Row, 0, min(len(j.letter), most+most/8))
	add := func(key uint64, row int) {
		r := judge.Row{Value: key, Chance: mix(j.seed + uint64(row)), Letter: j.letter[row]}
		if j.person != nil {
			r.Person = j.person[row]
		}
		rows = append(rows, r)
	}
	switch {
	case !j.whole && limit > j.sample.akin:
		more, err := j.again(ctx, i, limit)
		if err != nil {
			return nil, err
		}
		for _, r := range more {
			add(r.key, int(r.row))
		}
	case !j.whole:
		for _, u := range c.unit {
			for _, r := range u.kin {
				add(r.key, int(r.row))
			}
		}
	default:
		for k, p := range j.sample.part {
			for cell := range p.end - p.cell {
				key, ok := c.unit[k].at(cell)
				if ok && j.letter[p.cell+cell] >= 0 && (limit == math.MaxUint64 || j.whollyIn(key, limit)) {
					add(key, p.cell+cell)
				}
			}
		}
	}
	return rows, nil
}

const (
	// fewKin is how many values the rows of the first stage hold at the least
	// where values of few rows are judged.
	fewKin = 400
	// firstKin is how many rows are looked at first, and no others where they
	// tell nothing.
	firstKin = 1 << 15
	// mostKin is how many rows are looked at then, unless the last stage has more.
	mostKin = 1 << 17
	// hopelessKin is how many values of two rows the first rows hold at the most where
	// all rows are not looked at: where these held the 500 that it takes, at
	// least 125 would be expected of any quarter of them, and so few have a chance of 10^-14.
	hopelessKin = 50
)

// places judges the places of the rows.
func (j *jury) places(ctx context.Context) (judge.Verdict, error) {
	c := &course{closed: map[string]bool{}, thin: slight}
	for k, st := range j.stage {
		if err := ctx.Err(); err != nil {
			return c.verdict, err
		}
		if len(st.row) < len(j.letter) {
			st = j.windows(k)
		}
		at, row := 0, make([]int64, len(st.row))
		value, file := make([]int32, len(st.row)), make([]int32, len(st.row))
		for v, i := range st.row {
			for int(i) >= j.sample.part[at].to {
				at++
			}
			p := &j.sample.part[at]
			value[v], row[v], file[v] = int32(v), p.row+int64(int(i)-p.from), int32(p.file)
		}
		rules := Places(row, j.of)
		if j.files > 1 {
			rules = append(rules, filed(file))
		}
		_, more := j.try(c, k, st, value, len(value), rules)
		if k == 0 && c.verdict.Outcome < judge.Refuse {
			j.sorted(c)
		}
		if !more || c.verdict.Outcome == judge.Refuse {
			break
		}
	}
	return c.verdict, nil
}

// sorted judges whether the rows of the first stage stand in an order of the letters, and
// whether all rows repeat those that stand a number of rows before.
func (j *jury) sorted(c *course) {
	st := j.stage[0]
	law := j.law(st)
	law.Level = falseAlarm / float64(j.units)
	var guesses []judge.Copy
	place := firstRows(len(st.row))
	for _, order := range j.mirror.order {
		guesses = append(guesses, judge.Copy{Name: "their order", Of: st.sample.Ranked(place, len(place), order)})
	}
	c.add(st.sample.Untaught(law, guesses), false)
	if v, ok := j.sample.repeats(law, j.q.Prior); ok {
		c.add(v, false)
	}
}

// pairable keeps what a column holds at the first stage, as long as no others are worth more.
func (j *jury) pairable(i int, v *values, gain float64) {
	if j.view[i].cut != nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.worth[i] = gain; v.size != nil {
		j.worth[i]++
	}
	v.text, j.first[i] = nil, v
	if j.seen++; len(j.first) > paired+paired/4 {
		for _, i := range j.byWorth()[paired:] {
			delete(j.first, i)
		}
	}
}

// byWorth are the columns that may be paired, those that are worth most first.
func (j *jury) byWorth() []int {
	return slices.SortedFunc(maps.Keys(j.first), func(a, b int) int {
		return cmp.Or(cmp.Compare(j.worth[b], j.worth[a]), cmp.Compare(a, b))
	})
}

// parted forgets what of a column is not judged together with others: it is refused by
// itself, or all of a stage take too many steps.
func (j *jury) parted(i int, o judge.Outcome) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for k, parts := range j.part {
		p, most := parts[i], stepsOf(k)
		if p == nil || j.view[i].cut != nil {
			continue
		}
		if o == judge.Refuse || j.work[k] > most || p.Keys*j.letters > most/32 {
			delete(parts, i)
		} else if j.work[k] += (len(j.stage[k].row) + p.Keys) * j.letters; j.work[k] > most {
			clear(parts)
		}
	}
}

// stepsOf bounds the work on all columns together at a stage.
func stepsOf(k int) int {
	if k == 0 {
		return mostSteps
	}
	return fewSteps
}

// pairs judges columns two by two: those first that tell most by themselves, and of these
// numbers and times before others.
func (j *jury) pairs(ctx context.Context, out *Result) error {
	by := j.byWorth()
	var all [][2]int
	for k, b := range by {
		for _, a := range by[:k] {
			if len(all) < mostPairs {
				all = append(all, [2]int{min(a, b), max(a, b)})
			}
		}
	}
	out.PairsOf = j.seen * (j.seen - 1) / 2
	out.PairsJudged = len(all)
	deep := map[[2]int]bool{}
	for _, p := range all[:min(deepPairs, len(all))] {
		deep[p] = true
	}
	slices.SortFunc(all, func(a, b [2]int) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	found := make([]judge.Verdict, len(all))
	work, each := errgroup.WithContext(ctx)
	work.SetLimit(threads(j.q))
	for k, p := range all {
		work.Go(func() (err error) { found[k], err = j.pair(each, p, deep[p]); return err })
	}
	if err := work.Wait(); err != nil {
		return err
	}
	most := 0.0
	for _, v := range found {
		most = max(most, v.Lift.Factor)
	}
	for k, p := range all {
		if v := found[k]; v.Outcome >= judge.Warn || most > 0 && v.Lift.Factor == most {
			a, b := &out.Columns[j.view[p[0]].column], &out.Columns[j.view[p[1]].column]
			out.Pairs = append(out.Pairs, Column{Names: []string{a.Names[0], b.Names[0]}, Verdict: v})
		}
	}
	return nil
}

// pair judges two columns: at a glance, and on more rows where that shows anything, at all
// stages where it goes deep.
func (j *jury) pair(ctx context.Context, p [2]int, deep bool) (judge.Verdict, error) {
	c := &course{closed: map[string]bool{}, thin: slightPair}
	if err := ctx.Err(); err != nil {
		return c.verdict, err
	}
	v := [2]*values{j.first[p[0]], j.first[p[1]]}
	var own [2]*column
	rules := j.two(p, v, j.look, j.near)
	if len(rules) == 0 {
		return judge.Verdict{Outcome: judge.Clear, Letter: -1}, nil
	}
	t := judge.NewTrial(j.glance, j.law(j.stage[0]), firstRows(len(j.look)), len(j.look), rules)
	if t.Learn(); !t.Tells {
		return judge.Verdict{Outcome: judge.Clear, Letter: -1}, nil
	}
	for k, st := range j.stage {
		if err := ctx.Err(); err != nil {
			return c.verdict, err
		}
		if k > 0 {
			for side, i := range p {
				if own[side] == nil {
					var err error
					if own[side], err = j.cellsOf(ctx, i); err != nil {
						return c.verdict, err
					}
				}
				v[side] = j.values(own[side], st.cell, nil, nil)
			}
		}
		rows := firstRows(len(st.row))
		if _, more := j.try(c, k, st, rows, len(rows), j.two(p, v, rows, newPeriod(st.sample, 2, nearPeriod, somePeriods))); !more || !deep {
			break
		}
	}
	return c.verdict, nil
}

// two are the rules of two columns on some rows of a stage.
func (j *jury) two(p [2]int, v [2]*values, row []int32, by *period) []judge.Rule {
	var own, coarse, of [2][]int32
	for side, i := range p {
		own[side], coarse[side] = v[side].paired(j.column[i].typ.Numeric())
		of[side] = spreadOut(v[side].of, row)
	}
	var codes [][2][]int32
	for _, c := range [][2][]int32{own, coarse} {
		if c[0] != nil && c[1] != nil {
			codes = append(codes, [2][]int32{spreadOut(c[0], of[0]), spreadOut(c[1], of[1])})
		}
	}
	return Two(codes, &v[0].numbers, &v[1].numbers, of, by.follows)
}

// firstRows are the rows from 0 on.
func firstRows(n int) []int32 {
	row := make([]int32, n)
	for i := range row {
		row[i] = int32(i)
	}
	return row
}

// spreadOut gives every row what its value has.
func spreadOut[T any](by []T, of []int32) []T {
	out := make([]T, len(of))
	for i, v := range of {
		out[i] = by[v]
	}
	return out
}

// together judges all columns at once, at the last stage at which several tell
// anything.
func (j *jury) together(out *Result) {
	for k := len(j.stage) - 1; k >= 0; k-- {
		most := stepsOf(k)
		var parts []*judge.Part
		var names []string
		steps := 0
		for i, w := range j.view {
			p, c := j.part[k][i], &out.Columns[w.column]
			if p == nil || c.Verdict.Outcome == judge.Refuse || p.Keys*j.letters > most/32 {
				continue
			}
			if at := len(names) - 1; at >= 0 && names[at] == c.Names[0] { // another view
				if p.Gain > parts[at].Gain {
					parts[at] = p
				}
				continue
			}
			parts, names = append(parts, p), append(names, c.Names[0])
			steps += (len(j.stage[k].row) + p.Keys) * j.letters
		}
		if len(parts) < 2 || steps > most {
			continue
		}
		out.joint = &joint{j.stage[k].sample, j.law(j.stage[k]), parts, names}
		out.All = &Column{Names: names, Verdict: out.joint.judge(nil)}
		return
	}
}
