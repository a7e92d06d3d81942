package kept

import (
	"cmp"
	"context"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/tacet-privacy/tacet/estimate/audit"
	"github.com/tacet-privacy/tacet/io/colfile"
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
	Rows, Of int64 // judged, and in the file
	Columns  []Column
	Pairs    []Column // of the columns that tell most
	Place    Column   // of a row in the file, in blocks
	Runs     *audit.Runs
}

// A Column is one kept column, or several that are judged together.
type Column struct {
	Names      []string
	Type       string
	Judged     bool    // false where its cells cannot be read, or are too many
	Why        string  // it was not judged
	Identifier bool    // nearly every row has a value of its own
	Bins       int     // quantiles that its values were cut into; 0 where they were not
	Order      float64 // rank correlation with the row's place, of numeric identifiers; else 0
	Distinct   int     // cells, of one column
	audit.Figures
}

// Measure judges the columns of r beside the private one, whose letters are
// redrawn by m: one mechanism, or those of r.Strata.
func Measure(ctx context.Context, in colfile.Input, r Request, a *colfile.Alphabet, m ...*mechanism.Mechanism) (*Result, error) {
	s, err := read(ctx, in, r, a)
	if err != nil {
		return nil, err
	}
	out := &Result{Rows: int64(len(s.letter)), Of: s.of, Columns: make([]Column, len(r.Columns))}
	by := s.divide(out, r.Columns, mostBins(m[0]))
	runtime.GC() // the keys: most of what there is, and no longer wanted
	j := newJudging(s, m, threads(r))
	work, each := errgroup.WithContext(ctx)
	work.SetLimit(threads(r))
	for i := range by {
		if by[i] != nil {
			work.Go(func() error { return j.judge(each, &out.Columns[i], by[i], nil, within(maxSteps)) })
		}
	}
	out.Place.Names = []string{"the place of a row"}
	work.Go(func() error {
		return j.judge(each, &out.Place, &division{code: s.places(), number: blocks}, nil, within(maxSteps))
	})
	work.Go(func() error { out.Runs = s.runs(m[0].Inputs()); return nil })
	if err := work.Wait(); err != nil {
		return nil, err
	}
	return out, out.pairs(ctx, by, j)
}

// divide has those of the columns of out, nil for one that cannot be read. They
// are numbered one column after the other, in one room.
func (s *sample) divide(out *Result, columns []colfile.Column, bins int) []*division {
	by := make([]*division, len(columns))
	room := newRoom(len(s.letter))
	at := 0
	for i, c := range columns {
		column := &out.Columns[i]
		*column = Column{Names: []string{c.Name}, Type: c.Type}
		if !c.Readable {
			column.Why = "its cells cannot be read"
			continue
		}
		by[i] = s.column[at].divide(room, bins)
		column.Bins, column.Identifier, column.Distinct, column.Order = by[i].bins, by[i].identifier, by[i].distinct, by[i].order
		at++
	}
	return by
}

// pairs judges the columns that tell most two by two.
func (r *Result) pairs(ctx context.Context, by []*division, j *judging) error {
	var top []int
	for i := range r.Columns {
		if c := &r.Columns[i]; c.Judged && !c.Identifier && c.Strata > 1 {
			top = append(top, i)
		}
	}
	slices.SortStableFunc(top, func(a, b int) int { return cmp.Compare(r.Columns[b].Removed, r.Columns[a].Removed) })
	top = top[:min(paired, len(top))]
	slices.Sort(top)
	r.Pairs = make([]Column, len(top)*(len(top)-1)/2)
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(cap(j.table))
	left := within(pairSteps)
	at := 0
	for k, high := range top {
		for _, low := range top[k+1:] {
			a, b, pair := &r.Columns[high], &r.Columns[low], &r.Pairs[at]
			*pair = Column{Names: []string{a.Names[0], b.Names[0]}, Type: a.Type + ", " + b.Type}
			at++
			own := left
			left = &steps{own.after, make(chan int, 1)}
			work.Go(func() error { return j.judge(ctx, pair, by[high], by[low], own) })
		}
	}
	return work.Wait()
}

// A judging fills in figures; its tables are used one after the other.
type judging struct {
	*sample
	m     []*mechanism.Mechanism
	table chan *audit.Table
}

func newJudging(s *sample, m []*mechanism.Mechanism, threads int) *judging {
	j := &judging{s, m, make(chan *audit.Table, threads)}
	for range threads {
		j.table <- audit.NewTable(0, m[0].Inputs(), len(m))
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
		c.Why = "its values and letters are too many"
		return nil
	}
	c.Judged, c.Figures = true, t.Measure(j.m...)
	return nil
}

// places cuts the file into blocks.
func (s *sample) places() []int32 {
	code := make([]int32, len(s.letter))
	for _, p := range s.part {
		for i := p.from; i < p.to; i++ {
			row := p.row + int64(i-p.from)
			code[i] = int32(float64(row) / float64(max(1, s.of)) * blocks)
		}
	}
	return code
}

// runs looks at neighbours, which units part.
func (s *sample) runs(letters int) *audit.Runs {
	r := audit.NewRuns(letters)
	for _, p := range s.part {
		r.Break()
		r.Add(s.letter[p.from:p.to])
	}
	return r
}
