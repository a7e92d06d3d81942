package neighbours

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/tacet-privacy/tacet/io/dataset"
	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/pipeline/plan"
)

// Limits of a sample.
const (
	maxRows   = 2_000_000
	maxCells  = 10_000_000 // of all columns, 4 bytes each, and 8 more while millions of different ones are sorted
	textRoom  = 32 << 20   // bytes of texts
	mostText  = 1024       // of one
	leastText = 96
)

// A Request says what is judged.
type Request struct {
	Private string
	Columns []table.Column // that stay in the output beside it
	Full    bool           // every row, not a sample
	Threads int            // 0 means one per processor
	Strata  *Strata        // nil where one mechanism redraws all rows
	Person  string         // column that tells persons apart, "" where none is known
	Prior   []float64      // of the letters
	Factor  float64        // e^epsilon, as asked for
	Labels  []string       // of the letters
	Dialect table.Dialect  // of a CSV file
}

// Strata say which mechanism redraws a row.
type Strata struct {
	Column string              // which the strata are read from
	Reader func() *plan.Reader // of one unit: the group of every row
	Law    []int               // of every group, its mechanism
}

// A sample holds the rows that are judged, column by column.
type sample struct {
	letter  []int32   // -1 for a null that is no letter
	law     []int32   // the mechanism of each; nil where there is one
	person  []uint64  // whose row it is, nil where that is not known
	column  []*column // the readable ones
	part    []part    // of the units read, in file order
	of      int64     // rows of the file
	step    int       // of the rows of a part, one in so many is here
	seed    uint64    // of the choice of rows
	picked  uint64    // the text of a row is kept where its number is below this,
	rare    []uint64  // or below that of its letter
	longest int       // and as many bytes of it
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
func read(ctx context.Context, in *dataset.Files, r Request, a *table.Alphabet) (*sample, error) {
	s := &sample{step: 1}
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
	person := -1
	if r.Person != "" {
		if person = slices.Index(beside, r.Person); person < 0 {
			person, beside = len(beside), append(slices.Clone(beside), r.Person)
		}
	}
	file, err := in.Again(table.Request{Private: []string{r.Private}, Bins: []table.Binning{a.Type().Bins.Asked()},
		Beside: beside, Threads: 1, Dialect: r.Dialect})
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
	s.make(r, units, rows, len(names))
	if person >= 0 {
		s.person = make([]uint64, rows)
	}
	if r.Strata != nil {
		s.law = make([]int32, rows)
	}
	work, ctx := errgroup.WithContext(ctx)
	var next atomic.Int64
	for range min(threads(r), len(s.part)) {
		work.Go(func() error {
			in := s.interners()
			for i := int(next.Add(1)) - 1; i < len(s.part); i = int(next.Add(1)) - 1 {
				if err := s.read(ctx, file, i, a, in, r.Strata.of(at), person); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return s, work.Wait()
}

// make gives s its rows and columns, once its parts are cut.
func (s *sample) make(r Request, units []int64, rows, columns int) {
	s.letter, s.seed = make([]int32, rows), seedOf(r.Private, units)
	sizes := stages(rows)
	last := sizes[len(sizes)-1]
	s.picked, s.rare = chosen(len(sizes)-1, rows, r.Prior, r.Factor)
	s.longest = min(mostText, max(leastText, textRoom/max(1, columns*last)))
	for range columns {
		s.column = append(s.column, &column{code: make([]int32, rows), unit: make([]numbered, len(s.part))})
	}
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
func (s *sample) read(ctx context.Context, file *dataset.Files, i int, a *table.Alphabet, in []*interner,
	law func([]int32, *table.Batch) error, person int) error {
	p, at := s.part[i], s.part[i].from
	for k, n := range in {
		s.column[k].unit[i] = numbered{from: p.from, to: p.to}
		n.begin(&s.column[k].unit[i])
	}
	var picks []int32
	err := file.Read(ctx, p.unit, []*table.Alphabet{a}, func(b table.Batch) error {
		n := copy(s.letter[at:p.to], b.Letters[0])
		for k := range b.Beside {
			b.Beside[k].Code = b.Beside[k].Code[:n]
		}
		picks = s.pick(at, n, picks[:0])
		for k := range in {
			in[k].add(&b.Beside[k])
			in[k].keep(&b.Beside[k], at, picks, s.longest)
		}
		if s.person != nil {
			persons(s.person[at:at+n], &b.Beside[person])
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

// pick lists the rows of n from one on whose texts are kept.
func (s *sample) pick(from, n int, picks []int32) []int32 {
	for i := range n {
		limit := s.picked
		if x := s.letter[from+i]; limit < math.MaxUint64 && x >= 0 {
			limit = s.rare[x]
		}
		if limit == math.MaxUint64 || mix(s.seed^mix(uint64(from+i))) < limit {
			picks = append(picks, int32(i))
		}
	}
	return picks
}

// persons tells whose rows they are; rows without one are one person
func persons(of []uint64, v *table.Values) {
	for i := range of {
		if v.Null(i) {
			of[i] = ^uint64(0)
		} else if of[i] = mix(keyOf(v, i)); of[i] == 0 {
			of[i] = 1
		}
	}
}

// of reads, for one unit, the mechanisms of its rows from column at.
func (s *Strata) of(at int) func([]int32, *table.Batch) error {
	if s == nil {
		return nil
	}
	reader := s.Reader()
	return func(law []int32, b *table.Batch) error {
		for i, g := range reader.Append(law[:0], &b.Beside[at]) {
			if g < 0 {
				return table.ErrUnseen
			}
			law[i] = int32(s.Law[g])
		}
		return nil
	}
}

// thin leaves about limit rows, evenly chosen: the figures that are not held
// out need no more.
func (s *sample) thin(limit int) {
	if s.step = (len(s.letter) + limit - 1) / max(1, limit); s.step <= 1 {
		s.step = 1
		return
	}
	rows, part := 0, make([]part, len(s.part))
	for k, p := range s.part {
		part[k] = p
		part[k].from = rows
		rows += (p.to - p.from + s.step - 1) / s.step
		part[k].to = rows
	}
	s.letter, s.law = thinned(s, s.letter, rows), thinned(s, s.law, rows)
	for _, c := range s.column {
		c.code, c.key = thinned(s, c.code, rows), thinned(s, c.key, rows)
		for k := range c.unit {
			u := &c.unit[k]
			u.from, u.to, u.text, u.arena = part[k].from, part[k].to, nil, nil
		}
	}
	s.part, s.person = part, nil
}

// thinned leaves so many rows, one in each step of a part; none of nil.
func thinned[T any](s *sample, of []T, rows int) []T {
	if of == nil {
		return nil
	}
	out := make([]T, 0, rows)
	for _, p := range s.part {
		for i := p.from; i < p.to; i += s.step {
			out = append(out, of[i])
		}
	}
	return out
}
