package neighbours

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/tacet-privacy/tacet/estimate/judge"
)

const (
	// falseAlarm is the chance that a file is refused of which no column tells
	// a tenth.
	falseAlarm = 1e-5
	// mostSteps bounds the work on all columns together, and fewSteps where
	// there are smaller stages.
	mostSteps = 200_000_000
	fewSteps  = 30_000_000
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
	beside  []near // rows before and after
	far     *period
	look    []int32 // rows of the first stage by which pairs are looked at
	glance  *judge.Sample
	near    *period
	two     []func() *period // of what two columns make, by stage; found when a pair first needs it

	many  sync.Mutex  // held while many rows are judged
	equal []judge.Row // those of equal values, in this memory

	mu    sync.Mutex
	best  []map[int]*judge.Part // by stage and column; none of a stage once they would take
	work  []int                 // more steps than are judged together
	first map[int]*values       // at the first stage, of the columns of which pairs are judged
	sides map[int]*side         // and of these at a glance
	worth []float64             // by column: what comes first in pairs
	seen  int                   // columns that can be paired
}

// near are the letters of the rows so far from those of the first stage.
type near struct {
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
		j.best, j.work = append(j.best, map[int]*judge.Part{}), append(j.work, 0)
	}
	j.prepare()
	last := j.stage[len(j.stage)-1]
	out.Blind = last.sample.Blind(j.law(last))
	out.Place.Names = []string{"the place of a row"}
	found := make([]Column, n) // by view
	err := s.each(ctx, threads(q), func(i int) (err error) {
		err = j.alone(ctx, i, &found[i])
		j.parted(i, found[i].Verdict.Outcome)
		return err
	}, func() (err error) { out.Place.Verdict, err = j.places(ctx); return err })
	if err != nil {
		return err
	}
	for i, f := range found {
		w, v := j.view[i], f.Verdict
		into := &out.Columns[w.column]
		into.TellsApart, into.Restores = into.TellsApart || f.TellsApart, into.Restores || f.Restores
		if v.By != "" {
			v.By = w.name + v.By
		}
		if old := &into.Verdict; old.Held == 0 || v.Outcome > old.Outcome || v.Outcome == old.Outcome && v.Gain > old.Gain {
			*old = v
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
	for far := 1; far <= farthest; far++ {
		j.nearby(-far, "of the row %d before")
		j.nearby(far, "of the row %d after")
	}
	n := len(j.column)
	wanted := max(leastLook, lookRows/max(1, min(mostPairs, n*(n-1)/2)))
	limit := below(wanted, st.own)
	for k, i := range st.row[:st.own] {
		if limit == math.MaxUint64 || Mix(^j.sample.number(int(i))) < limit {
			j.look = append(j.look, int32(k))
		}
	}
	j.glance = judge.NewSample(spreadOut(st.letter, j.look), spreadOut(st.half, j.look), j.letters)
	j.near = newPeriod(j.glance, 2, nearPeriod, onePeriod)
	for _, st := range j.stage {
		j.two = append(j.two, sync.OnceValue(func() *period { return newPeriod(st.sample, 2, nearPeriod, somePeriods) }))
	}
}

// law is what a stage's trials hold to.
func (j *jury) law(s *stage) *judge.Law {
	return &judge.Law{Prior: j.q.Prior, Factor: j.q.Factor, Level: falseAlarm * s.share / float64(j.units), Thin: 1}
}

// nearby adds the letters of the rows that stand so far behind those of the first stage.
func (j *jury) nearby(far int, name string) {
	st := j.stage[0]
	letter, half := make([]int32, st.own), slices.Clone(st.half[:st.own])
	for k, p := range j.parts(st.row[:st.own]) {
		if at := int(st.row[k]) + far; at < p.from || at >= p.to || j.letter[at] < 0 {
			half[k] = judge.Neither
		} else {
			letter[k] = j.letter[at]
		}
	}
	j.beside = append(j.beside, near{fmt.Sprintf(name, max(far, -far)), judge.NewSample(letter, half, j.letters)})
}

// places judges the places of the rows; at the first stage whether they stand in an order of the
// letters, too, and whether all rows repeat those that stand a number of rows before.
func (j *jury) places(ctx context.Context) (judge.Verdict, error) {
	c := j.course(slight)
	for k, st := range c.stages(ctx) {
		if st.own < len(j.letter) {
			st = j.windows(k)
		}
		row, file := make([]int64, len(st.row)), make([]uint64, len(st.row))
		for v, p := range j.parts(st.row) {
			row[v], file[v] = p.row+int64(int(st.row[v])-p.from), uint64(p.file)
		}
		rules := placeRules(row, j.of)
		if j.files > 1 {
			rules = append(rules, by("the file that it is in", func(v int) uint64 { return file[v] }))
		}
		c.try(k, st, firstRows(len(row)), len(row), rules)
		if first := j.stage[0]; k == 0 && c.verdict.Outcome < judge.Refuse {
			c.add(first.sample.Untaught(j.sure(), j.ordered("their order", firstRows(first.own), first.own)), false)
			if v, ok := j.repeats(j.sure(), j.q.Prior); ok {
				c.add(v, false)
			}
		}
	}
	return c.verdict, ctx.Err()
}

// parted forgets what of a column is not judged together with others: it is refused by
// itself, or all of a stage take too many steps.
func (j *jury) parted(i int, o judge.Outcome) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for k, parts := range j.best {
		p, most := parts[i], stepsOf(k)
		if p == nil || j.view[i].cut != nil {
			continue
		}
		if o == judge.Refuse || j.work[k] > most || p.Keys*j.letters > most/32 {
			delete(parts, i)
		} else if j.work[k] += (j.stage[k].own + p.Keys) * j.letters; j.work[k] > most {
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

// together judges all columns at once, at the last stage at which several tell
// anything.
func (j *jury) together(out *Result) {
	for k := len(j.stage) - 1; k >= 0; k-- {
		most := stepsOf(k)
		var parts []*judge.Part
		var names []string
		steps := 0
		for i, w := range j.view {
			p, c := j.best[k][i], &out.Columns[w.column]
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
			steps += (j.stage[k].own + p.Keys) * j.letters
		}
		if len(parts) < 2 || steps > most {
			continue
		}
		out.joint = &joint{j.stage[k].sample, j.law(j.stage[k]), parts, names}
		out.All = &Column{Names: names, Verdict: out.joint.judge(nil)}
		return
	}
}
