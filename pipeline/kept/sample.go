package kept

import (
	"context"
	"errors"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/tacet-privacy/tacet/io/colfile"
	"github.com/tacet-privacy/tacet/pipeline/strata"
)

// Limits of a sample.
const (
	maxRows  = 2_000_000
	maxCodes = 32 << 20 // cells of all columns, 4 bytes each
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
	row    []int64   // of each, in the file
	begins []int     // where in the sample units begin
	letter []int32   // -1 for a null that is no letter
	law    []int32   // the mechanism of each; nil where there is one
	column []*codes  // of the readable columns
	of     int64     // rows of the file
	name   []string  // of column
	source []unitOut // by unit read, until they are joined
}

// unitOut is what one unit gave.
type unitOut struct {
	row    int64
	letter []int32
	law    []int32
	column []*unitCodes
}

var errEnough = errors.New("enough rows")

// read takes whole units spread over the file until rows are enough; of a
// unit that alone has more, its first ones.
func read(ctx context.Context, in colfile.Input, r Request, a *colfile.Alphabet) (*sample, error) {
	s := &sample{}
	for _, c := range r.Columns {
		if c.Readable {
			s.name = append(s.name, c.Name)
		}
	}
	beside, at := s.name, -1
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
	limit := int64(min(maxRows, maxCodes/(len(s.name)+1)))
	if r.Full {
		limit = s.of
	}
	chosen := spread(units, limit)
	s.source = make([]unitOut, len(chosen))
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(max(1, r.Threads))
	if r.Threads == 0 {
		work.SetLimit(runtime.GOMAXPROCS(0))
	}
	for i, unit := range chosen {
		work.Go(func() error { return s.source[i].read(ctx, file, unit, a, len(s.name), r.Strata.of(at), limit) })
	}
	if err := work.Wait(); err != nil {
		return nil, err
	}
	s.join()
	return s, nil
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

func (u *unitOut) read(ctx context.Context, file colfile.File, unit int, a *colfile.Alphabet, columns int, law func(*unitOut, *colfile.Batch) error, limit int64) error {
	u.row = -1
	for range columns {
		u.column = append(u.column, newUnitCodes())
	}
	err := file.Read(ctx, unit, []*colfile.Alphabet{a}, func(b colfile.Batch) error {
		if u.row < 0 {
			u.row = b.Row
		}
		u.letter = append(u.letter, b.Letters[0]...)
		for i := range u.column {
			u.column[i].add(&b.Beside[i])
		}
		if err := law(u, &b); err != nil {
			return err
		}
		if int64(len(u.letter)) >= limit {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// of reads, for one unit, the mechanisms of its rows from column at.
func (s *Strata) of(at int) func(*unitOut, *colfile.Batch) error {
	if s == nil {
		return func(*unitOut, *colfile.Batch) error { return nil }
	}
	reader := s.Reader()
	return func(u *unitOut, b *colfile.Batch) error {
		from := len(u.law)
		u.law = reader.Append(u.law, &b.Beside[at])
		for i, g := range u.law[from:] {
			if g < 0 {
				return colfile.ErrUnseen
			}
			u.law[from+i] = int32(s.Law[g])
		}
		return nil
	}
}

// join puts the units in file order behind each other, so that codes do not
// depend on which was read first.
func (s *sample) join() {
	for range s.name {
		s.column = append(s.column, newCodes())
	}
	for _, u := range s.source {
		s.begins = append(s.begins, len(s.letter))
		s.letter, s.law = append(s.letter, u.letter...), append(s.law, u.law...)
		for i := range u.letter {
			s.row = append(s.row, u.row+int64(i))
		}
		for i, c := range u.column {
			s.column[i].join(c)
		}
	}
	s.source = nil
}
