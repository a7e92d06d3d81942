package neighbours

import (
	"cmp"
	"context"
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
	// mostPairs is how many pairs are judged: those of the columns of the
	// largest gain.
	mostPairs = 300
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
)

// A jury judges what is kept, stage by stage.
type jury struct {
	*sample
	q       Request
	letters int
	units   int // that are judged: columns by rules and by equal values, pairs, the places, all together
	seed    uint64
	stage   []*stage
	column  []*column // nil for one that cannot be read

	mu    sync.Mutex
	part  []map[int]*judge.Part // by stage and column
	first []*values             // of the columns at the first stage
	gain  []float64             // likewise
}

// judge holds out rows for every column, for pairs, for the places and for all
// columns together.
func (s *sample) judge(ctx context.Context, out *Result, q Request, letters int) error {
	n := len(q.Columns)
	j := &jury{sample: s, q: q, letters: letters, units: 2*n + min(mostPairs, n*(n-1)/2) + 2, seed: s.halves(),
		column: make([]*column, n), first: make([]*values, n), gain: make([]float64, n)}
	at := 0
	for i, c := range q.Columns {
		out.Columns[i] = Column{Names: []string{c.Name}}
		if !c.Readable {
			out.Columns[i].Why = "its cells cannot be read"
			out.Columns[i].Verdict = judge.Verdict{Outcome: judge.NotJudged, Letter: -1}
			continue
		}
		j.column[i] = s.column[at]
		at++
	}
	for k := range stages(len(s.letter)) {
		j.stage = append(j.stage, j.choose(k))
		j.part = append(j.part, map[int]*judge.Part{})
	}
	last := j.stage[len(j.stage)-1]
	out.Blind = last.sample.Blind(j.law(last))
	out.Place.Names = []string{"the place of a row"}
	work, each := errgroup.WithContext(ctx)
	work.SetLimit(threads(q))
	for i, c := range j.column {
		if c != nil {
			work.Go(func() (err error) { out.Columns[i].Verdict, err = j.alone(each, i); return err })
		}
	}
	work.Go(func() (err error) { out.Place.Verdict, err = j.places(each); return err })
	if err := work.Wait(); err != nil {
		return err
	}
	if err := j.pairs(ctx, out); err != nil {
		return err
	}
	j.together(out)
	return nil
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

// alone judges column i by its rules, then by equal values.
func (j *jury) alone(ctx context.Context, i int) (judge.Verdict, error) {
	c := &course{closed: map[string]bool{}, thin: slight, alone: true}
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
		t, more := j.try(c, k, st, v.of, len(v.key), v.rules)
		if p := t.Best(v.of[:len(st.row)]); p != nil {
			j.mu.Lock()
			j.part[k][i] = p
			j.mu.Unlock()
		}
		if k == 0 {
			v.rules = nil
			j.first[i], j.gain[i] = v, t.LearntGain()
		}
		if !more {
			break
		}
	}
	if c.verdict.Outcome == judge.Refuse {
		return c.verdict, nil
	}
	kin, ok, err := j.kin(ctx, i)
	if ok {
		c.add(kin, false)
	}
	return c.verdict, err
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
// some values, chosen by their hash, so that a value comes with all its rows.
func (j *jury) kin(ctx context.Context, i int) (v judge.Verdict, ok bool, err error) {
	last := j.stage[len(j.stage)-1]
	if first := j.first[i]; first.many < min(fewKin, len(j.stage[0].row)/10) {
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
		more, err := j.again(ctx, slices.Index(j.sample.column, c), limit)
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
		if _, more := j.try(c, k, st, value, len(value), rules); !more {
			break
		}
	}
	return c.verdict, nil
}

// pairs judges columns two by two.
func (j *jury) pairs(ctx context.Context, out *Result) error {
	var by []int
	for i, c := range j.column {
		if c != nil {
			by = append(by, i)
		}
	}
	slices.SortStableFunc(by, func(a, b int) int { return cmp.Compare(j.gain[b], j.gain[a]) })
	var all [][2]int
	for k, b := range by {
		for _, a := range by[:k] {
			if len(all) < mostPairs {
				all = append(all, [2]int{min(a, b), max(a, b)})
			}
		}
	}
	slices.SortFunc(all, func(a, b [2]int) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	found := make([]judge.Verdict, len(all))
	work, each := errgroup.WithContext(ctx)
	work.SetLimit(threads(j.q))
	for k, p := range all {
		work.Go(func() (err error) { found[k], err = j.pair(each, p); return err })
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
			a, b := &out.Columns[p[0]], &out.Columns[p[1]]
			out.Pairs = append(out.Pairs, Column{Names: []string{a.Names[0], b.Names[0]}, Verdict: v})
		}
	}
	return nil
}

// pair judges two columns.
func (j *jury) pair(ctx context.Context, p [2]int) (judge.Verdict, error) {
	c := &course{closed: map[string]bool{}, thin: slightPair}
	for k, st := range j.stage {
		if err := ctx.Err(); err != nil {
			return c.verdict, err
		}
		var v [2]*values
		var own, coarse, of [2][]int32
		var whole [2][]int64
		for side, i := range p {
			if v[side] = j.first[i]; k > 0 {
				v[side] = j.values(j.column[i], st.cell, nil, nil)
			}
			own[side], coarse[side] = v[side].paired(j.column[i].typ.Numeric())
			of[side] = v[side].of[:len(st.row)]
			if v[side].whole != nil {
				whole[side] = spreadOut(v[side].whole, of[side])
			}
		}
		var codes [][2][]int32
		if own[0] != nil && own[1] != nil {
			codes = append(codes, [2][]int32{spreadOut(own[0], of[0]), spreadOut(own[1], of[1])})
		}
		if coarse[0] != nil && coarse[1] != nil {
			codes = append(codes, [2][]int32{spreadOut(coarse[0], of[0]), spreadOut(coarse[1], of[1])})
		}
		rows := make([]int32, len(st.row))
		for i := range rows {
			rows[i] = int32(i)
		}
		rules := Two(codes, whole[0], whole[1])
		if len(rules) == 0 {
			return judge.Verdict{Outcome: judge.Clear, Letter: -1}, nil
		}
		if _, more := j.try(c, k, st, rows, len(rows), rules); !more {
			break
		}
	}
	return c.verdict, nil
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
		most := fewSteps
		if k == 0 {
			most = mostSteps
		}
		var parts []*judge.Part
		var names []string
		steps := 0
		for i := range j.column {
			if p := j.part[k][i]; p != nil && out.Columns[i].Verdict.Outcome < judge.Refuse && p.Keys*j.letters <= most/32 {
				parts, names = append(parts, p), append(names, out.Columns[i].Names[0])
				steps += (len(j.stage[k].row) + p.Keys) * j.letters
			}
		}
		if len(parts) < 2 || steps > most {
			continue
		}
		law := j.law(j.stage[k])
		v := judge.Together(j.stage[k].sample, law, parts)
		out.All = &Column{Names: names, Verdict: v}
		return
	}
}
