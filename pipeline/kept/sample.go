package kept

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/tacet-privacy/tacet/io/colfile"
	"github.com/tacet-privacy/tacet/pipeline/strata"
)

// Limits of a sample.
const (
	maxRows  = 2_000_000
	maxCells = 10_000_000 // of all columns, 4 bytes each, and 8 more while millions of different ones are sorted
)

// A Request says what is judged.
type Request struct {
	Private string
	Columns []colfile.Column // that stay in the output beside it
	Full    bool             // every row, not a sample
	Threads int              // 0 means one per processor
	Strata  *Strata          // nil where one mechanism redraws all rows
}

// Strata say which mechanism redraws a row.
type Strata struct {
	Column string                // which the strata are read from
	Reader func() *strata.Reader // of one unit: the group of every row
	Law    []int                 // of every group, its mechanism
}

// A sample holds the rows that are judged, column by column.
type sample struct {
	letter []int32   // -1 for a null that is no letter
	law    []int32   // the mechanism of each; nil where there is one
	column []*column // the readable ones
	part   []part    // of the units read, in file order
	of     int64     // rows of the file
}

// A part of a sample is a unit of the file, or its first rows.
type part struct {
	unit     int
	row      int64 // its first one in the file
	from, to int   // its rows in the sample
}

var errEnough = errors.New("enough rows")

// read takes whole units spread over the file until rows are enough; of a
// unit that alone has more, its first ones.
func read(ctx context.Context, in colfile.Input, r Request, a *colfile.Alphabet) (*sample, error) {
	s := &sample{}
	var names []string
	for _, c := range r.Columns {
		if c.Readable {
			names = append(names, c.Name)
		}
	}
	beside, at := names, -1
	if r.Strata != nil {
		if at = slices.Index(beside, r.Strata.Column); at < 0 { // it leaves the output
			at, beside = len(beside), append(slices.Clone(beside), r.Strata.Column)
		}
	}
	file, err := colfile.Open(in, colfile.Request{Private: []string{r.Private}, Beside: beside, Threads: 1})
	if err != nil {
		return nil, err
	}
	defer file.Close()
	units := file.Units()
	for _, n := range units {
		s.of += n
	}
	limit := int64(min(maxRows, maxCells/(len(names)+1)))
	if r.Full {
		limit = s.of
	}
	rows := s.cut(units, limit)
	s.letter = make([]int32, rows)
	if r.Strata != nil {
		s.law = make([]int32, rows)
	}
	for range names {
		s.column = append(s.column, &column{code: make([]int32, rows), unit: make([]numbered, len(s.part))})
	}
	work, ctx := errgroup.WithContext(ctx)
	var next atomic.Int64
	for range min(threads(r), len(s.part)) {
		work.Go(func() error {
			in := s.interners()
			for i := int(next.Add(1)) - 1; i < len(s.part); i = int(next.Add(1)) - 1 {
				if err := s.read(ctx, file, i, a, in, r.Strata.of(at)); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return s, work.Wait()
}

func threads(r Request) int {
	if r.Threads == 0 {
		return runtime.GOMAXPROCS(0)
	}
	return max(1, r.Threads)
}

// cut chooses the units and places them behind each other.
func (s *sample) cut(units []int64, limit int64) (rows int) {
	first := make([]int64, len(units)+1)
	for i, n := range units {
		first[i+1] = first[i] + n
	}
	for _, unit := range spread(units, limit) {
		p := part{unit: unit, row: first[unit], from: rows, to: rows + int(min(units[unit], limit))}
		s.part = append(s.part, p)
		rows = p.to
	}
	return rows
}

// spread chooses units of at most limit rows in all, as evenly over the file
// as their number allows, and one at the least.
func spread(units []int64, limit int64) (chosen []int) {
	total := int64(0)
	for _, n := range units {
		total += n
	}
	if total <= limit {
		for i := range units {
			chosen = append(chosen, i)
		}
		return chosen
	}
	// Unit i is taken where its middle row crosses the next of the steps into
	// which the file is cut.
	rows, taken, before := int64(0), int64(0), int64(0)
	for i, n := range units {
		middle := before + n/2
		before += n
		if float64(middle) < float64(taken)*float64(total)/float64(limit) || rows+n > limit && len(chosen) > 0 {
			continue
		}
		chosen = append(chosen, i)
		rows += n
		taken = rows
	}
	return chosen
}

// interners number the cells of the columns, one unit at a time.
func (s *sample) interners() (in []*interner) {
	for _, c := range s.column {
		in = append(in, &interner{column: c})
	}
	return in
}

// read takes the rows of part i.
func (s *sample) read(ctx context.Context, file colfile.File, i int, a *colfile.Alphabet, in []*interner, law func([]int32, *colfile.Batch) error) error {
	p, at := s.part[i], s.part[i].from
	for k, n := range in {
		s.column[k].unit[i] = numbered{from: p.from, to: p.to}
		n.begin(&s.column[k].unit[i])
	}
	err := file.Read(ctx, p.unit, []*colfile.Alphabet{a}, func(b colfile.Batch) error {
		n := copy(s.letter[at:p.to], b.Letters[0])
		for k := range b.Beside {
			b.Beside[k].Code = b.Beside[k].Code[:n]
		}
		for k := range in {
			in[k].add(&b.Beside[k])
		}
		if s.law != nil {
			if err := law(s.law[at:at+n], &b); err != nil {
				return err
			}
		}
		if at += n; at == p.to {
			return errEnough
		}
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return err
	}
	for k, n := range in {
		n.end()
		if b := s.column[k]; i == 0 {
			b.typ = n.typ
		}
	}
	return nil
}

// of reads, for one unit, the mechanisms of its rows from column at.
func (s *Strata) of(at int) func([]int32, *colfile.Batch) error {
	if s == nil {
		return nil
	}
	reader := s.Reader()
	return func(law []int32, b *colfile.Batch) error {
		for i, g := range reader.Append(law[:0], &b.Beside[at]) {
			if g < 0 {
				return colfile.ErrUnseen
			}
			law[i] = int32(s.Law[g])
		}
		return nil
	}
}
