package kept

import (
	"cmp"
	"context"
	"math"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"
	"gonum.org/v1/gonum/stat"

	"github.com/tacet-privacy/tacet/estimate/audit"
	"github.com/tacet-privacy/tacet/io/colfile"
	"github.com/tacet-privacy/tacet/mechanism"
)

const (
	// paired is how many columns are tested in pairs: those that tell most.
	paired = 6
	// maxSteps bounds the work on one column or pair.
	maxSteps = 200_000_000
	// blocks is how many parts of equally many rows the places are cut into.
	blocks = 256
	// maxPairs is the number of pairs of values up to which they are numbered
	// by an array.
	maxPairs = 8 << 20
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
	Order      float64 // rank correlation with the row's place; 0 unless numeric
	Distinct   int
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
	strata := make([][]int32, len(r.Columns))
	work, each := errgroup.WithContext(ctx)
	work.SetLimit(max(1, r.Threads))
	if r.Threads == 0 {
		work.SetLimit(runtime.GOMAXPROCS(0))
	}
	at := 0
	for i, c := range r.Columns {
		column := &out.Columns[i]
		*column = Column{Names: []string{c.Name}, Type: c.Type}
		if !c.Readable {
			column.Why = "its cells cannot be read"
			continue
		}
		codes := s.column[at]
		at++
		work.Go(func() error {
			strata[i], column.Bins, column.Identifier = codes.strata()
			column.Distinct, column.Order = codes.distinct(), s.order(codes)
			return column.judge(each, strata[i], codes.most(column.Bins), s, m)
		})
	}
	out.Place.Names = []string{"the place of a row"}
	work.Go(func() error { return out.Place.judge(each, s.places(), blocks, s, m) })
	work.Go(func() error { out.Runs = s.runs(m[0].Inputs()); return nil })
	if err := work.Wait(); err != nil {
		return nil, err
	}
	return out, out.pairs(ctx, strata, s, m, r.Threads)
}

// pairs judges the columns that tell most two by two.
func (r *Result) pairs(ctx context.Context, strata [][]int32, s *sample, m []*mechanism.Mechanism, threads int) error {
	var top []int
	for i := range r.Columns {
		if c := &r.Columns[i]; c.Judged && !c.Identifier && c.Strata > 1 {
			top = append(top, i)
		}
	}
	slices.SortStableFunc(top, func(a, b int) int { return cmp.Compare(r.Columns[b].Removed, r.Columns[a].Removed) })
	top = top[:min(paired, len(top))]
	slices.Sort(top)
	for k, i := range top {
		for _, j := range top[k+1:] {
			a, b := &r.Columns[i], &r.Columns[j]
			r.Pairs = append(r.Pairs, Column{Names: []string{a.Names[0], b.Names[0]}, Type: a.Type + ", " + b.Type})
		}
	}
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(max(1, threads))
	if threads == 0 {
		work.SetLimit(runtime.GOMAXPROCS(0))
	}
	at := 0
	for k, i := range top {
		for _, j := range top[k+1:] {
			pair := &r.Pairs[at]
			at++
			work.Go(func() error {
				code, distinct := together(strata[i], strata[j])
				pair.Distinct = distinct
				return pair.judge(ctx, code, distinct, s, m)
			})
		}
	}
	return work.Wait()
}

// judge fills in the figures; codes are below strata.
func (c *Column) judge(ctx context.Context, code []int32, strata int, s *sample, m []*mechanism.Mechanism) error {
	t := audit.NewTable(strata, m[0].Inputs(), len(m))
	for from := 0; from < len(code); from += 1 << 16 {
		if err := ctx.Err(); err != nil {
			return err
		}
		to := min(from+1<<16, len(code))
		var law []int32
		if s.law != nil {
			law = s.law[from:to]
		}
		t.Add(code[from:to], s.letter[from:to], law)
	}
	if t.Work(m...) > maxSteps {
		c.Why = "its values and letters are too many"
		return nil
	}
	c.Judged, c.Figures = true, t.Measure(m...)
	return nil
}

// together numbers the pairs of codes in the order in which they come up.
func together(a, b []int32) (code []int32, distinct int) {
	code = make([]int32, len(a))
	if len(a) == 0 {
		return code, 0
	}
	width := int(slices.Max(b)) + 1
	if height := int(slices.Max(a)) + 1; height <= maxPairs/width {
		at := make([]int32, height*width) // one more than the number
		for i := range a {
			k := &at[int(a[i])*width+int(b[i])]
			if *k == 0 {
				distinct++
				*k = int32(distinct)
			}
			code[i] = *k - 1
		}
		return code, distinct
	}
	at := map[uint64]int32{}
	for i := range a {
		key := uint64(uint32(a[i]))<<32 | uint64(uint32(b[i]))
		k, ok := at[key]
		if !ok {
			k = int32(len(at))
			at[key] = k
		}
		code[i] = k
	}
	return code, len(at)
}

// places cuts the file into blocks.
func (s *sample) places() []int32 {
	code := make([]int32, len(s.row))
	for i, row := range s.row {
		code[i] = int32(float64(row) / float64(max(1, s.of)) * blocks)
	}
	return code
}

// runs looks at neighbours, which units part.
func (s *sample) runs(letters int) *audit.Runs {
	r := audit.NewRuns(letters)
	for i, from := range s.begins {
		to := len(s.letter)
		if i+1 < len(s.begins) {
			to = s.begins[i+1]
		}
		r.Break()
		r.Add(s.letter[from:to])
	}
	return r
}

// order is the rank correlation of a numeric column with the places of its
// rows [Spearman 1904]; ties have their mean rank.
func (s *sample) order(c *codes) float64 {
	if !c.typ.Numeric() || c.distinct() < 2 {
		return 0
	}
	by := make([]int32, len(c.count))
	for k := range by {
		by[k] = int32(k)
	}
	slices.SortFunc(by, func(a, b int32) int { return cmp.Compare(c.size[a], c.size[b]) })
	rank, before := make([]float64, len(c.count)), 0.0
	for _, k := range by {
		rank[k] = before + float64(c.count[k])/2
		before += float64(c.count[k])
	}
	x, y := make([]float64, 0, len(c.code)), make([]float64, 0, len(c.code))
	for i, k := range c.code {
		if k != null {
			x, y = append(x, rank[k]), append(y, float64(i))
		}
	}
	if len(x) < 3 {
		return 0
	}
	if r := stat.Correlation(x, y, nil); !math.IsNaN(r) {
		return r
	}
	return 0
}
