package neighbours

import (
	"context"
	"errors"
	"iter"
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
	Private string
	Columns []table.Column // that stay in the output beside it
	Full    bool           // every row, not a sample
	Threads int            // 0 means one per processor
	Person  string         // column that tells persons apart, "" where none is known
	Prior   []float64      // of the letters
	Factor  float64        // e^epsilon, as asked for
	Labels  []string       // of the letters
	Dialect table.Dialect  // of a CSV file
}

// A sample holds the rows that are judged: all letters, and column by column the
// cells of those that are kept.
type sample struct {
	letter  []int32   // -1 for a null that is no letter
	person  []uint64  // whose row it is, nil where that is not known
	column  []*column // by view
	view    []view
	part    []part // of the units read, in file order
	of      int64  // rows of all files
	files   int
	file    *dataset.Files // that it is read from, open as long as columns are
	name    []string       // by view: of its column
	cell    []int32        // the rows whose cells are kept, in file order
	seed    uint64         // of the choice of rows
	picked  uint64         // a row is chosen where its number is below this,
	rare    []uint64       // or below that of its letter;
	before  uint64         // and the row before one of the first stage, whose numbers are below this, is kept with it
	akin    uint64         // a value comes with the keys of all its rows where its own number is below this
	longest int            // so many bytes of a text are kept

	group []group // all views, as they are read
	late  []bool  // by view: it is read when it is judged, and again where it must
}

// A part of a sample is a unit of the file, or its first rows.
type part struct {
	unit      int
	file      int       // that the unit is in
	row       int64     // its first one in the file
	from, to  int       // its rows in the sample
	cell, end int       // and its cells,
	some      []int32   // which are of these rows,
	early     []*column // and, until all parts are read, those of views that are read with the letters
}

// every reports whether the cells of all rows are kept.
func (s *sample) every() bool { return s.picked == math.MaxUint64 }

// parts are those that rows, which rise, are in.
func (s *sample) parts(row []int32) iter.Seq2[int, *part] {
	return func(yield func(int, *part) bool) {
		at := 0
		for k, i := range row {
			for int(i) >= s.part[at].to {
				at++
			}
			if !yield(k, &s.part[at]) {
				return
			}
		}
	}
}

var errEnough = errors.New("enough rows")

// read takes whole units spread over the file until rows are enough; of a
// unit that alone has more, its first ones. Where a file reads one column without the
// others, each is read when it is judged, and else with the private one.
func read(ctx context.Context, in *dataset.Files, r Request, a *table.Alphabet) (*sample, error) {
	s := &sample{view: views(r.Columns)}
	s.late = make([]bool, len(s.view))
	var early, late []int // views of columns that are read with the private one, and when they are judged
	var beside []string   // names of the early ones, which have one view each
	for k, w := range s.view {
		c := r.Columns[w.column]
		if s.name = append(s.name, c.Name); in.Columnar() && c.Type != table.PathType {
			late, s.late[k] = append(late, k), true
		} else {
			early, beside, s.group = append(early, k), append(beside, c.Name), append(s.group, group{k})
		}
	}
	person := slices.Index(beside, r.Person)
	if r.Person != "" && person < 0 {
		person, beside = len(beside), append(beside, r.Person)
	}
	var err error
	if s.file, err = in.Again(table.Request{Private: []string{r.Private}, Bins: []string{a.Type().Bins.Asked()}, Threads: 1,
		Dialect: r.Dialect, Beside: beside}); err != nil {
		return nil, err
	}
	s.files = len(s.file.Members)
	units := s.file.Units()
	for _, n := range units {
		s.of += n
	}
	limit := int64(min(maxRows, maxCells/(len(s.view)+1)))
	limit = min(limit, max(enoughRows, int64(maxBytes*float64(s.of)/float64(max(1, in.Bytes())))))
	if r.Full {
		limit = s.of
	}
	rows := s.cut(units, limit)
	var all []int
	for i := range s.part {
		all = append(all, s.part[i].unit)
		s.part[i].file = s.file.Of(s.part[i].unit).File
	}
	s.file.Fetch(ctx, all...)
	s.make(r, units, rows)
	if person >= 0 {
		s.person = make([]uint64, rows)
	}
	err = table.EachUnit(ctx, len(s.part), threads(r), func(_, i int) error {
		return s.read(ctx, &s.part[i], a, early, person)
	})
	if err != nil {
		return s, err
	}
	s.settle(early)
	longest := slices.Max(append(slices.Clone(units), 1))
	s.group = append(s.group, s.grouped(late, int(min(mostGrouped, groupRows/longest)))...)
	return s, nil
}

// make gives s its rows and columns, once its parts are cut. Cells are kept of
// the rows of the last stage, and of those before the rows of the first.
func (s *sample) make(r Request, units []int64, rows int) {
	s.letter, s.seed = make([]int32, rows), seedOf(r.Private, units)
	s.column = make([]*column, len(s.view))
	sizes := stages(rows)
	last := sizes[len(sizes)-1]
	s.picked, s.rare = chosen(len(sizes)-1, rows, r.Prior, r.Factor)
	s.before, s.akin = below(stageRows[0], rows), below(kinRows, rows)
	s.longest = min(mostText, max(leastText, textRoom/max(1, len(s.view)*last)))
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

// read takes the letters of a part, whose rows they are, and the cells of the views that are read with
// them.
func (s *sample) read(ctx context.Context, p *part, a *table.Alphabet, early []int, person int) error {
	at, in := p.from, make([]*reader, len(early))
	cells := int(float64(p.to-p.from) * (float64(s.picked) / math.MaxUint64))
	for k, view := range early {
		in[k] = s.reader(view, cells)
		p.early = append(p.early, in[k].column)
	}
	return unless(s.file.Read(ctx, p.unit, []*table.Alphabet{a}, func(b table.Batch) error {
		n := copy(s.letter[at:p.to], b.Letters[0])
		rows := s.pick(p, at, n)
		for k := range in {
			in[k].take(&b.Beside[k], at, n, rows)
		}
		if s.person != nil {
			persons(s.person[at:at+n], &b.Beside[person])
		}
		at += n
		return p.enough(at)
	}))
}

// settle puts what was read of all parts behind each other.
func (s *sample) settle(early []int) {
	for i := range s.part {
		p := &s.part[i]
		p.cell, s.cell = len(s.cell), append(s.cell, p.some...)
		p.end, p.some = len(s.cell), nil
	}
	for k, view := range early {
		s.column[view] = s.reader(view, len(s.cell)).column
		for i := range s.part {
			s.column[view].append(s.part[i].early[k])
			s.part[i].early[k] = nil
		}
	}
}

// enough ends the reading of a unit behind the last row of the part.
func (p *part) enough(at int) error {
	if at == p.to {
		return errEnough
	}
	return nil
}

// unless is an error but that which ends the reading of a unit.
func unless(err error) error {
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// pick lists the rows of n from one on whose cells are kept.
func (s *sample) pick(p *part, from, n int) []int32 {
	had, next := len(p.some), s.number(from)
	for i := from; i < from+n; i++ {
		own, limit := next, s.picked
		if x := s.letter[i]; x >= 0 && !s.every() {
			limit = s.rare[x]
		}
		next = s.number(i + 1)
		if s.every() || own < limit || next < s.before && i+1 < p.to {
			p.some = append(p.some, int32(i))
		}
	}
	return p.some[had:]
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
