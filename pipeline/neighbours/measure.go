package neighbours

import (
	"cmp"
	"context"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/tacet-privacy/tacet/estimate/judge"

	"github.com/tacet-privacy/tacet/io/dataset"
	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/mechanism"
)

const (
	// paired is how many columns are tested in pairs: those that tell most.
	paired = 6
	// maxSteps bounds the work on one column, and pairSteps that on all pairs.
	maxSteps  = 200_000_000
	pairSteps = 400_000_000
	// blocks is how many parts of equally many rows the places are cut into.
	blocks = 256
)

// Result is what the kept columns and the places of the rows tell.
type Result struct {
	Rows, Of int64 // read, and in the file
	Columns  []Column
	Pairs    []Column // of the columns that tell most, and what else is refused or warned of
	Place    Column   // of a row in the file, in blocks
	All      *Column  // all columns together; nil where they were not judged so
	Runs     *judge.Runs
	Factor   float64 // e^epsilon
	Blind    int     // letters of too few rows for a verdict of their own

	paired map[[2]int]judge.Verdict // by the places of two columns
}

// A Column is one kept column, or several that are judged together.
type Column struct {
	Names      []string
	Type       string
	Verdict    judge.Verdict // of held-out rows
	Measured   bool          // false where there are no figures: its cells cannot be read, or are too many
	Why        string        // it was not judged, or not measured
	Identifier bool          // nearly every row has a value of its own
	Bins       int           // quantiles that its values were cut into; 0 where they were not
	Order      float64       // rank correlation with the row's place, of identifiers; else 0
	Distinct   int           // cells, of one column
	judge.Figures
}

// Measure judges the columns of r beside the private one, whose letters are
// redrawn by m: one mechanism, or those of r.Strata.
func Measure(ctx context.Context, in *dataset.Files, r Request, a *table.Alphabet, m ...*mechanism.Mechanism) (*Result,
	error) {
	s, err := read(ctx, in, r, a)
	if err != nil {
		return nil, err
	}
	out := &Result{Rows: int64(len(s.letter)), Of: s.of, Factor: r.Factor, Columns: make([]Column, len(r.Columns)),
		Runs: s.runs(m[0].Inputs())}
	collect(len(s.letter)) // what reading left,
	collect(len(s.letter)) // and the buffers of its pools, which outlive one collection
	if err := s.judge(ctx, out, r, m[0].Inputs()); err != nil {
		return nil, err
	}
	by := s.divide(out, r.Columns, mostBins(m[0]))
	collect(len(s.letter)) // the keys: most of what there is, and no longer wanted
	j := newJudging(s, m, threads(r))
	work, each := errgroup.WithContext(ctx)
	work.SetLimit(threads(r))
	for i := range by {
		if by[i] != nil {
			work.Go(func() error { return j.judge(each, &out.Columns[i], by[i], nil, within(maxSteps)) })
		}
	}
	work.Go(func() error {
		return j.judge(each, &out.Place, &division{code: j.places(), number: blocks}, nil, within(maxSteps))
	})
	if err := work.Wait(); err != nil {
		return nil, err
	}
	return out, out.pairs(ctx, by, j)
}

// collect gives memory back that rows left; few of them leave none worth the pause.
func collect(rows int) {
	if rows >= 50_000 {
		runtime.GC()
	}
}

// divide has those of the columns of out, nil for one that cannot be read. They
// are numbered one column after the other, in one room.
func (s *sample) divide(out *Result, columns []table.Column, bins int) []*division {
	by := make([]*division, len(columns))
	room := newRoom(s.cells())
	at := 0
	for i, c := range columns {
		column := &out.Columns[i]
		if !c.Readable {
			continue
		}
		by[i] = s.column[at].divide(s, room, bins)
		column.Bins, column.Identifier, column.Distinct, column.Order = by[i].bins, by[i].identifier, by[i].distinct,
			by[i].order
		at++
	}
	return by
}

// pairs judges the columns that tell most two by two.
func (r *Result) pairs(ctx context.Context, by []*division, j *judging) error {
	var top []int
	for i := range r.Columns {
		if c := &r.Columns[i]; c.Measured && !c.Identifier && c.Strata > 1 {
			top = append(top, i)
		}
	}
	slices.SortStableFunc(top, func(a, b int) int { return cmp.Compare(r.Columns[b].Removed, r.Columns[a].Removed) })
	top = top[:min(paired, len(top))]
	slices.Sort(top)
	grave := r.Pairs // by the held-out rows
	r.Pairs = make([]Column, len(top)*(len(top)-1)/2)
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(cap(j.table))
	left := within(pairSteps)
	at := 0
	for k, high := range top {
		for _, low := range top[k+1:] {
			a, b, pair := &r.Columns[high], &r.Columns[low], &r.Pairs[at]
			*pair = Column{Names: []string{a.Names[0], b.Names[0]}, Type: a.Type + ", " + b.Type,
				Verdict: r.paired[[2]int{high, low}]}
			at++
			own := left
			left = &steps{own.after, make(chan int, 1)}
			work.Go(func() error { return j.judge(ctx, pair, by[high], by[low], own) })
		}
	}
	if err := work.Wait(); err != nil {
		return err
	}
	for _, p := range grave {
		if !slices.ContainsFunc(r.Pairs, func(c Column) bool { return slices.Equal(c.Names, p.Names) }) {
			r.Pairs = append(r.Pairs, p)
		}
	}
	return nil
}

// A judging fills in figures, by the rows that stand for all; its tables are used
// one after the other.
type judging struct {
	*sample
	letter, law []int32 // of these rows; no law where there is one mechanism
	m           []*mechanism.Mechanism
	table       chan *judge.Table
}

func newJudging(s *sample, m []*mechanism.Mechanism, threads int) *judging {
	j := &judging{sample: s, letter: s.letter, m: m, table: make(chan *judge.Table, threads)}
	if !s.whole {
		j.letter = make([]int32, 0, s.cells())
	}
	for _, p := range s.part {
		for cell := p.cell; cell < p.end; cell++ {
			if !s.even(cell) {
				continue
			}
			if !s.whole {
				j.letter = append(j.letter, s.letter[s.cell[cell]])
			}
			if p.law != nil {
				j.law = append(j.law, p.law[cell-p.cell])
			}
		}
	}
	for range threads {
		j.table <- judge.NewTable(0, m[0].Inputs(), len(m))
	}
	return j
}

// steps are handed on from one column to the next, so that what is left for
// one does not depend on which was counted first.
type steps struct{ before, after chan int }

// within is the first to take of n steps.
func within(n int) *steps {
	s := &steps{make(chan int, 1), make(chan int, 1)}
	s.before <- n
	return s
}

// take reports whether there are n steps left.
func (s *steps) take(ctx context.Context, n int) (ok bool, err error) {
	select {
	case left := <-s.before:
		if ok = n <= left; ok {
			left -= n
		}
		s.after <- left
		return ok, nil
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

// judge fills in the figures of a column, or of two where low is not nil.
func (j *judging) judge(ctx context.Context, c *Column, high, low *division, left *steps) error {
	t := <-j.table
	defer func() { j.table <- t }()
	number, width := high.number, 0
	if low != nil {
		width = low.number
		number *= width
	}
	t.Reset(number)
	for from := 0; from < len(j.letter); from += 1 << 16 {
		if err := ctx.Err(); err != nil {
			return err
		}
		to := min(from+1<<16, len(j.letter))
		var second, law []int32
		if low != nil {
			second = low.code[from:to]
		}
		if j.law != nil {
			law = j.law[from:to]
		}
		t.AddPairs(high.code[from:to], second, width, j.letter[from:to], law)
	}
	switch ok, err := left.take(ctx, t.Work(j.m...)); {
	case err != nil:
		return err
	case !ok:
		c.Why = "it has too many values for the judgement"
		return nil
	}
	c.Measured, c.Figures = true, t.Measure(j.m...)
	return nil
}

// places cuts the file into blocks.
func (j *judging) places() []int32 {
	code := make([]int32, 0, len(j.letter))
	for _, p := range j.part {
		for cell := p.cell; cell < p.end; cell++ {
			if j.even(cell) {
				row := p.row + int64(j.row(cell)-p.from)
				code = append(code, int32(float64(row)/float64(max(1, j.of))*blocks))
			}
		}
	}
	return code
}

// runs looks at neighbours, which units part, and persons: the draws of one
// person's rows are one draw.
func (s *sample) runs(letters int) *judge.Runs {
	r := judge.NewRuns(letters)
	for _, p := range s.part {
		r.Break()
		if s.person == nil {
			r.Add(s.letter[p.from:p.to])
			continue
		}
		for from := p.from; from < p.to; {
			to := from + 1
			for to < p.to && s.person[to] != s.person[to-1] {
				to++
			}
			r.Break()
			r.Add(s.letter[from:to])
			from = to
		}
	}
	return r
}
