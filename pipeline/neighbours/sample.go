package neighbours

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"

	"github.com/tacet-privacy/tacet/io/dataset"
	"github.com/tacet-privacy/tacet/io/table"
)

// Limits of a sample.
const (
	maxRows   = 2_000_000
	maxCells  = 6_000_000 // of all columns, 9 bytes each
	maxBytes  = 64 << 20  // of the file, where that leaves enoughRows
	textRoom  = 16 << 20  // bytes of texts
	mostText  = 1024      // of one
	leastText = 96

	enoughRows = 1 << 16
)

// A Request says what is judged.
type Request struct {
	Private  string
	Columns  []table.Column // that stay in the output beside it
	Full     bool           // every row, not a sample
	Threads  int            // 0 means one per processor
	Person   string         // column that tells persons apart, "" where none is known
	Prior    []float64      // of the letters
	Factor   float64        // e^epsilon, as asked for
	Labels   []string       // of the letters
	Dialect  table.Dialect  // of a CSV file
	Shuffled bool           // the rows leave in another order
}

// A sample holds the rows that are judged: all letters, and column by column the
// cells of all rows or of some.
type sample struct {
	letter  []int32   // -1 for a null that is no letter
	person  []uint64  // whose row it is, nil where that is not known
	column  []*column // by view
	view    []view
	part    []part // of the units read, in file order
	of      int64  // rows of all files
	files   int
	file    *dataset.Files        // that it is read from, open as long as columns are
	name    func(view int) string // of its column
	whole   bool                  // the cells of all rows are here
	cell    []int32               // else the rows whose cells are here, in file order
	seed    uint64                // of the choice of rows
	picked  uint64                // a row is chosen where its number is below this,
	rare    []uint64              // or below that of its letter;
	akin    uint64                // a value comes with the keys of all its rows where its own number is below this
	longest int                   // so many bytes of a text are kept

	group []group // all views, as they are read
	late  []bool  // by view: it is read when it is judged, and again where it must
}

// A part of a sample is a unit of the file, or its first rows.
type part struct {
	unit      int
	file      int     // that the unit is in
	row       int64   // its first one in the file
	from, to  int     // its rows in the sample
	cell, end int     // its cells
	some      []int32 // while it is read: the rows of its cells
}

// row is that of a cell.
func (s *sample) row(cell int) int {
	if s.whole {
		return cell
	}
	return int(s.cell[cell])
}

// cells counts the rows whose cells are here.
func (s *sample) cells() int {
	if s.whole {
		return len(s.letter)
	}
	return len(s.cell)
}

var errEnough = errors.New("enough rows")

// read takes whole units spread over the file until rows are enough; of a
// unit that alone has more, its first ones. Where a file reads one column without the
// others, each is read by itself, behind the private one.
func read(ctx context.Context, in *dataset.Files, r Request, a *table.Alphabet) (*sample, error) {
	s := &sample{}
	request := table.Request{Private: []string{r.Private}, Bins: []string{a.Type().Bins.Asked()}, Threads: 1,
		Dialect: r.Dialect}
	s.view = views(r.Columns)
	s.late = make([]bool, len(s.view))
	var early []string
	var first, late []int // views of these, and of columns that are read when they are judged
	columnar := in.Columnar()
	for k, w := range s.view {
		if c := r.Columns[w.column]; !columnar || c.Type == table.PathType {
			first, early, s.group = append(first, k), append(early, c.Name), append(s.group, group{k})
		} else {
			late, s.late[k] = append(late, k), true
		}
	}
	s.name = func(view int) string { return r.Columns[s.view[view].column].Name }
	person := slices.Index(early, r.Person)
	if request.Beside = early; r.Person != "" && person < 0 {
		person, request.Beside = len(early), append(slices.Clone(early), r.Person)
	}
	file, err := in.Again(request)
	if err != nil {
		return nil, err
	}
	s.file = file
	units := file.Units()
	for _, n := range units {
		s.of += n
	}
	limit := int64(min(maxRows, maxCells/(len(s.view)+1)))
	limit = min(limit, max(enoughRows, int64(maxBytes*float64(s.of)/float64(max(1, in.Bytes())))))
	if r.Full {
		limit = s.of
	}
	rows := s.cut(units, limit)
	for i := range s.part {
		s.part[i].file = file.Of(s.part[i].unit).File
	}
	s.files = len(file.Members)
	file.Fetch(ctx, s.units()...)
	s.make(r, units, rows, len(s.view))
	if person >= 0 {
		s.person = make([]uint64, rows)
	}
	for _, k := range first {
		s.column[k] = s.blank()
	}
	err = table.EachUnit(ctx, len(s.part), threads(r), func(_, i int) error {
		return s.read(ctx, file, i, a, first, person)
	})
	if err != nil {
		return s, err
	}
	s.settle()
	longest := slices.Max(append(slices.Clone(units), 1))
	s.group = append(s.group, s.grouped(late, int(min(mostGrouped, groupRows/longest)))...)
	return s, nil
}

// units are those that it is read from.
func (s *sample) units() (all []int) {
	for _, p := range s.part {
		all = append(all, p.unit)
	}
	return all
}

// make gives s its rows and columns, once its parts are cut. Cells are kept of
// the rows of the last stage alone, unless these are all or all are asked for.
func (s *sample) make(r Request, units []int64, rows, columns int) {
	s.letter, s.seed, s.column = make([]int32, rows), seedOf(r.Private, units), make([]*column, columns)
	sizes := stages(rows)
	last := sizes[len(sizes)-1]
	s.picked, s.rare = chosen(len(sizes)-1, rows, r.Prior, r.Factor)
	s.whole, s.akin = r.Full || s.picked == math.MaxUint64, below(kinRows, rows)
	s.longest = min(mostText, max(leastText, textRoom/max(1, columns*last)))
}

// kin is a little more than how many of so many rows are kept for values that come with all theirs.
func (s *sample) kin(rows int) int {
	if s.whole {
		return 0
	}
	return expected(rows, s.akin)
}

// blank is a column before any unit of it is read.
func (s *sample) blank() *column { return &column{unit: make([]keyed, len(s.part))} }

// settle puts the cells of all parts behind each other.
func (s *sample) settle() {
	at := 0
	for i := range s.part {
		p := &s.part[i]
		p.cell = at
		if at += len(p.some); s.whole {
			at = p.to
		}
		p.end = at
		s.cell = append(s.cell, p.some...)
		p.some = nil
	}
}

// number is that by which row i is chosen.
func (s *sample) number(i int) uint64 { return Mix(s.seed ^ Mix(uint64(i))) }

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

// read takes the letters of part i, and the cells of the columns that are read with them.
func (s *sample) read(ctx context.Context, file *dataset.Files, i int, a *table.Alphabet, columns []int,
	person int) error {
	p, at := &s.part[i], s.part[i].from
	cells, rows := p.to-p.from, p.to-p.from
	if !s.whole {
		cells = expected(rows, s.picked)
		p.some = make([]int32, 0, cells)
	}
	in := make([]*reader, len(columns))
	for k, column := range columns {
		in[k] = &reader{}
		in[k].begin(&s.column[column].unit[i], cells, s.kin(rows))
	}
	var picks []int32
	err := file.Read(ctx, p.unit, []*table.Alphabet{a}, func(b table.Batch) error {
		n := copy(s.letter[at:p.to], b.Letters[0])
		for k := range b.Beside {
			b.Beside[k].Code = b.Beside[k].Code[:n]
		}
		picks = s.pick(at, n, picks[:0])
		rows := picks
		if s.whole {
			rows = everyRow[:n]
		}
		for k, c := range in {
			c.take(&b.Beside[k], s, at, rows, picks)
		}
		if s.person != nil {
			persons(s.person[at:at+n], &b.Beside[person])
		}
		for _, k := range picks {
			if !s.whole {
				p.some = append(p.some, int32(at)+k)
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
		if b := s.column[columns[k]]; i == 0 {
			b.typ = n.typ
		}
	}
	return nil
}

// everyRow are those of a batch.
var everyRow = firstRows(table.BatchRows)

// pick lists those of n rows from one on that are chosen.
func (s *sample) pick(from, n int, picks []int32) []int32 {
	for i := range n {
		limit := s.picked
		if x := s.letter[from+i]; limit < math.MaxUint64 && x >= 0 {
			limit = s.rare[x]
		}
		if limit == math.MaxUint64 || s.number(from+i) < limit {
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
		} else if of[i] = Mix(keyOf(v, i)); of[i] == 0 {
			of[i] = 1
		}
	}
}
