package dataset

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"sync"

	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/io/store"
	"github.com/tacet-privacy/tacet/io/table"
)

// Opener opens one file, of whatever format.
type Opener func(table.Input, table.Request) (table.File, error)

// Files are an opened set: what table.File is of one file, with a unit for each unit
// of each file.
type Files struct {
	*Set
	opener  Opener
	request table.Request
	threads int // of one file, while several are worked on

	*known
	beside []*key // of the columns of request.Beside; nil where paths tell none of them

	mu     sync.Mutex
	opened map[int]*opened
	idle   []int // of opened, those that nobody uses, the one that is idle longest first
}

// What is known of a set, however often it is opened.
type known struct {
	format   string
	dialect  table.Dialect
	columns  []table.Column
	units    []int64
	first    []int   // of every file, its first unit; and their number
	row      []int64 // likewise its first row
	size     []int64
	identity []string
	keys     []*key
	most     [][]Most // by private column and member, once they are scanned
}

// lay puts the next file behind those before.
func (k *known) lay(units []int64, bytes int64) {
	k.units, k.size = append(k.units, units...), append(k.size, bytes)
	rows := k.row[len(k.row)-1]
	for _, n := range units {
		rows += n
	}
	k.first, k.row = append(k.first, len(k.units)), append(k.row, rows)
}

// ErrChanged is a file that is not the one that was opened first.
var ErrChanged = errors.New("the file changed while it was read")

// Outputs are the files that a set is written to, by member. Begin comes before
// the first byte of one, End after its last.
type Outputs interface {
	Begin(i int) (publish.Output, error)
	End(i int) error
}

// Open opens every file of a set once, and refuses those that are not alike.
func Open(ctx context.Context, s *Set, r table.Request, open Opener) (*Files, error) {
	n := len(s.Members)
	f := newFiles(s, open, r, &known{first: []int{0}, row: []int64{0}, identity: make([]string, n)})
	if s.Tree {
		f.keys = keysOf(s.Members)
	}
	shapes := make([]shape, n)
	if err := table.EachUnit(ctx, n, f.asking(), func(_, i int) error { return f.look(i, &shapes[i]) }); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	for i, own := range shapes {
		if err := f.alike(&shapes[0], &own, i); err != nil {
			return nil, errors.Join(err, f.Close())
		}
		f.lay(own.units, own.bytes)
	}
	f.format, f.columns, f.dialect = shapes[0].format, shapes[0].columns, shapes[0].dialect
	return f, nil
}

func newFiles(s *Set, open Opener, r table.Request, k *known) *Files {
	return &Files{Set: s, opener: open, request: r, threads: max(1, r.Workers()/len(s.Members)), known: k,
		opened: map[int]*opened{}}
}

// look opens a member for the first time.
func (f *Files) look(i int, own *shape) error {
	return f.with(i, func(o *opened) (err error) {
		if f.identity[i], err = o.disk.Identity(); err != nil {
			return err
		}
		*own = shape{o.Format(), o.Dialect(), o.Columns(), slices.Clone(o.Units()), o.disk.Size()}
		return nil
	})
}

// Format is that of all files.
func (f *Files) Format() string { return f.format }

// Dialect is that of all files.
func (f *Files) Dialect() table.Dialect { return f.dialect }

// Columns are those of all files.
func (f *Files) Columns() []table.Column { return f.columns }

// Units are those of all files, one file after the other.
func (f *Files) Units() []int64 { return f.units }

// Rows of one member.
func (f *Files) Rows(i int) int64 { return f.row[i+1] - f.row[i] }

// UnitsOf one member.
func (f *Files) UnitsOf(i int) []int64 { return f.units[f.first[i]:f.first[i+1]] }

// Bytes of all members.
func (f *Files) Bytes() (n int64) {
	for _, size := range f.size {
		n += size
	}
	return n
}

// BytesOf one member.
func (f *Files) BytesOf(i int) int64 { return f.size[i] }

// CheckKept is that of every file.
func (f *Files) CheckKept(ctx context.Context) error {
	return f.each(ctx, func(_ int, o *opened) error { return o.CheckKept(ctx) })
}

// Scan adds up what every file holds.
func (f *Files) Scan(ctx context.Context) ([]*table.Alphabet, [][]int64, error) {
	tally := make([]table.Tally, len(f.request.Private))
	kind := make([]*table.Type, len(tally))
	f.most = make([][]Most, len(tally))
	for k := range f.most {
		f.most[k] = make([]Most, len(f.Members))
	}
	var mu sync.Mutex
	err := f.each(ctx, func(i int, o *opened) error {
		a, n, err := o.Scan(ctx)
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		for k := range tally {
			t := a[k].Type()
			if kind[k] == nil {
				kind[k] = &t
			}
			c := &table.PrivateColumn{Name: f.request.Private[k], Type: t}
			f.most[k][i] = Most{Rows: f.Rows(i)}
			for x, v := range a[k].Values() {
				if m := &f.most[k][i]; 2*n[k][x] > m.Rows {
					m.Value, m.Count = v, n[k][x]
				}
				if err := tally[k].Put(v, n[k][x], c); err != nil {
					return err
				}
			}
			if null := a[k].Null(); null >= 0 {
				tally[k].Null += n[k][null]
				if err := tally[k].Check(c); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	alphabets, counts := make([]*table.Alphabet, len(tally)), make([][]int64, len(tally))
	for k := range tally {
		alphabets[k], counts[k] = tally[k].Alphabet(*kind[k])
	}
	return alphabets, counts, nil
}

// Most is the value that more than half of the rows of a file have.
type Most struct {
	Rows, Count int64 // no row where there is no such value
	Value       table.Value
}

// MostOf are those of every file, once it is scanned; nil for one file.
func (f *Files) MostOf(private int) []Most {
	if f.most == nil || len(f.Members) == 1 {
		return nil
	}
	return f.most[private]
}

// Of is the member that a unit is in, and its place there.
func (f *Files) Of(unit int) table.Unit {
	at, _ := slices.BinarySearch(f.first, unit+1)
	return table.Unit{File: at - 1, Group: unit - f.first[at-1], At: unit}
}

// Read reads a unit of the set. The rows of its batches are counted over the set.
func (f *Files) Read(ctx context.Context, unit int, in []*table.Alphabet, each func(table.Batch) error) error {
	u := f.Of(unit)
	return f.with(u.File, func(o *opened) error {
		return o.Read(ctx, u.Group, in, f.placed(u.File, each))
	})
}

// Columnar reports whether ReadColumns reads columns without the others.
func (f *Files) Columnar() (is bool) {
	return f.with(0, func(o *opened) error { _, is = o.File.(table.Columnar); return nil }) == nil && is
}

// ReadColumns reads columns of a unit without the others. They may be nested.
func (f *Files) ReadColumns(ctx context.Context, unit int, names []string, each func(table.Batch) error) error {
	u := f.Of(unit)
	return f.with(u.File, func(o *opened) error {
		own, err := o.File.(table.Columnar).Choose(table.Request{Beside: names, Nested: true})
		if err != nil {
			return err
		}
		return own.Read(ctx, u.Group, nil, each)
	})
}

// Rewrite writes every file to its output.
func (f *Files) Rewrite(ctx context.Context, out Outputs, in, to []*table.Alphabet,
	each func(table.Batch) error) error {
	return f.each(ctx, func(i int, o *opened) error {
		to1, err := out.Begin(i)
		if err != nil {
			return err
		}
		if err := o.Rewrite(ctx, to1, in, to, f.placed(i, each)); err != nil {
			return err
		}
		return out.End(i)
	})
}

// placed tells of a batch of a file where it stands in the set.
func (f *Files) placed(i int, each func(table.Batch) error) func(table.Batch) error {
	return func(b table.Batch) error {
		if f.beside != nil {
			own := b.Beside
			b.Beside = nil
			for _, k := range f.beside {
				if k != nil {
					b.Beside = append(b.Beside, k.cells(i, len(b.Letters[0])))
				} else {
					b.Beside, own = append(b.Beside, own[0]), own[1:]
				}
			}
		}
		b.Unit.File, b.Unit.At = i, f.first[i]+b.Unit.Group
		b.Row += f.row[i]
		return each(b)
	}
}

// each works on all files, several at once.
func (f *Files) each(ctx context.Context, work func(i int, o *opened) error) error {
	return table.EachUnit(ctx, len(f.Members), f.working(), func(_, i int) error {
		return f.with(i, func(o *opened) error { return work(i, o) })
	})
}

// Sum hashes every file.
func (f *Files) Sum(ctx context.Context, how string) ([]string, error) {
	sums := make([]string, len(f.Members))
	err := table.EachUnit(ctx, len(sums), f.working(), func(_, i int) error {
		return f.with(i, func(o *opened) (err error) { sums[i], err = publish.Sum(ctx, how, o.disk); return err })
	})
	return sums, err
}

// asking is how many files are asked at once what they are: a store is waited for.
func (f *Files) asking() int {
	if store.Is(f.Path) {
		return max(store.AtOnce, f.request.Workers())
	}
	return f.request.Workers()
}

// working is how many files are worked on at once: more than there are processors, where
// small ones are waited for.
func (f *Files) working() int {
	if n := int64(len(f.Members)); store.Is(f.Path) && f.Bytes()/n <= store.Small {
		return f.asking()
	}
	return f.request.Workers()
}

// Fetch asks for the small objects that these units are in.
func (f *Files) Fetch(ctx context.Context, units ...int) {
	if !store.Is(f.Path) {
		return
	}
	part, last := &Set{Path: f.Path}, -1
	for _, unit := range units {
		if i := f.Of(unit).File; i != last {
			part.Members, last = append(part.Members, f.Members[i]), i
		}
	}
	part.Fetch(ctx)
}

// Stat looks at every file; none are those of a store.
func (f *Files) Stat() ([]fs.FileInfo, error) {
	if store.Is(f.Path) {
		return nil, nil
	}
	all := make([]fs.FileInfo, len(f.Members))
	for i, m := range f.Members {
		if m.Path == "" {
			continue
		}
		var err error
		if all[i], err = os.Stat(m.Path); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Unchanged fails where a file is no longer what it was when it was opened.
func (f *Files) Unchanged() error {
	return table.EachUnit(context.Background(), len(f.Members), f.asking(), func(_, i int) error {
		if f.identity[i] == "" { // it was never opened
			return nil
		}
		disk, err := f.disk(i)
		if err == nil {
			err = disk.Close()
		}
		return err
	})
}

// Again opens the same files for other columns. A file that has changed since is
// refused when it is read.
func (f *Files) Again(r table.Request) (*Files, error) {
	again := newFiles(f.Set, f.opener, r, f.known)
	again.beside, again.request.Beside = f.split(r.Beside)
	if err := again.with(0, func(*opened) error { return nil }); err != nil {
		return nil, errors.Join(err, again.Close())
	}
	return again, nil
}

// A Look is what is known of a member that was looked at before.
type Look struct {
	Units []int64
	Bytes int64
	Most  Most // of the only private column
}

// Over are the files of a set, alike those of f, of which all is known but their bytes: none
// is opened until it is read.
func (f *Files) Over(s *Set, looks []Look) *Files {
	k := &known{format: f.format, dialect: f.dialect, columns: f.columns, first: []int{0}, row: []int64{0},
		identity: make([]string, len(s.Members)), keys: keysOf(s.Members)}
	var most []Most
	for _, l := range looks {
		k.lay(l.Units, l.Bytes)
		most = append(most, l.Most)
	}
	if len(looks) > 1 {
		k.most = [][]Most{most}
	}
	return newFiles(s, f.opener, f.request, k)
}
