package kept

import (
	"context"
	"errors"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/tacet-privacy/tacet/io/colfile"
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
}

// A sample holds the rows that are judged, column by column.
type sample struct {
	row    []int64   // of each, in the file
	begins []int     // where in the sample units begin
	letter []int32   // -1 for a null that is no letter
	column []*codes  // of the readable columns
	of     int64     // rows of the file
	name   []string  // of column
	source []unitOut // by unit read, until they are joined
}

// unitOut is what one unit gave.
type unitOut struct {
	row    int64
	letter []int32
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
	file, err := colfile.Open(in, colfile.Request{Private: []string{r.Private}, Beside: s.name, Threads: 1})
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
		work.Go(func() error { return s.source[i].read(ctx, file, unit, a, len(s.name), limit) })
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

func (u *unitOut) read(ctx context.Context, file colfile.File, unit int, a *colfile.Alphabet, columns int, limit int64) error {
	u.row = -1
	for range columns {
		u.column = append(u.column, newUnitCodes())
	}
	err := file.Read(ctx, unit, []*colfile.Alphabet{a}, func(b colfile.Batch) error {
		if u.row < 0 {
			u.row = b.Row
		}
		u.letter = append(u.letter, b.Letters[0]...)
		for i := range b.Beside {
			u.column[i].add(&b.Beside[i])
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

// join puts the units in file order behind each other, so that codes do not
// depend on which was read first.
func (s *sample) join() {
	for range s.name {
		s.column = append(s.column, newCodes())
	}
	for _, u := range s.source {
		s.begins = append(s.begins, len(s.letter))
		s.letter = append(s.letter, u.letter...)
		for i := range u.letter {
			s.row = append(s.row, u.row+int64(i))
		}
		for i, c := range u.column {
			s.column[i].join(c)
		}
	}
	s.source = nil
}
