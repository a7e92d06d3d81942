package dataset

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
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

	format   string
	dialect  table.Dialect
	columns  []table.Column
	units    []int64
	first    []int   // of every file, its first unit; and their number
	row      []int64 // likewise its first row
	size     []int64
	identity []string
	keys     []*key
	beside   []*key   // of the columns of request.Beside; nil where paths tell none of them
	most     [][]Most // by private column and member, once they are scanned

	one *lasting // the file of a set of one, which stays the one that was opened first; nil for several

	mu     sync.Mutex
	opened map[int]*opened
	idle   []int // of opened, those that nobody uses, the one that is idle longest first
}

// An opened member is kept for who comes next.
type opened struct {
	table.File
	disk table.Content
	end  func() error // closes disk, or ends this use of it
	uses int
}

// mostIdle bounds the files that are open and not in use.
const mostIdle = 16

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
	f := &Files{Set: s, opener: open, request: r, opened: map[int]*opened{}, first: make([]int, n+1),
		row: make([]int64, n+1), size: make([]int64, n), identity: make([]string, n)}
	f.threads = max(1, r.Workers()/n)
	if s.Tree {
		f.keys = keysOf(s.Members)
	}
	if n == 1 {
		content, err := s.Members[0].Open()
		if err != nil {
			return nil, err
		}
		f.one = &lasting{content: content, users: 1}
	}
	shapes := make([]shape, n)
	if err := table.EachUnit(ctx, n, f.asking(), func(_, i int) error { return f.look(i, &shapes[i]) }); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	for i, own := range shapes {
		if err := f.alike(&shapes[0], &own, i); err != nil {
			return nil, errors.Join(err, f.Close())
		}
		f.units = append(f.units, own.units...)
		f.first[i+1], f.row[i+1] = len(f.units), f.row[i]
		for _, rows := range own.units {
			f.row[i+1] += rows
		}
	}
	f.format, f.columns, f.dialect = shapes[0].format, shapes[0].columns, shapes[0].dialect
	return f, nil
}

// A shape is what a file says of itself.
type shape struct {
	format  string
	dialect table.Dialect
	columns []table.Column
	units   []int64
}

// look opens a member for the first time.
func (f *Files) look(i int, own *shape) error {
	return f.with(i, func(o *opened) (err error) {
		f.size[i] = o.disk.Size()
		if f.identity[i], err = o.disk.Identity(); err != nil {
			return err
		}
		*own = shape{o.Format(), o.Dialect(), o.Columns(), slices.Clone(o.Units())}
		return nil
	})
}

// alike refuses member i where it is not of the kind of the first.
func (f *Files) alike(s, other *shape, i int) error {
	a, b := f.Members[0].Rel, f.Members[i].Rel
	switch {
	case s.format != other.format:
		return table.Errorf("give files of one format", "%s is a file of format %s, and %s of %s", a, s.format, b,
			other.format)
	case s.dialect != other.dialect:
		return table.Errorf("write the files alike, or say how they are written with --csv-delimiter and --csv-header",
			"%s %s, and %s %s", a, written(s.dialect), b, written(other.dialect))
	case !slices.Equal(s.columns, other.columns) && s.dialect.Header == "yes" && f.request.Dialect.Header != "yes":
		return table.Errorf("write the files with one header; with --csv-header yes all of both is shown", "the headers "+
			"differ: %s has %s; %s has %s", a, s.known(other), b, other.known(s))
	case !slices.Equal(s.columns, other.columns):
		return table.Errorf("write the files with one schema, or give those of one schema", "the schemas differ: %s has "+
			"%s; %s has %s", a, schema(s.columns), b, schema(other.columns))
	}
	return nil
}

// known are the columns of a CSV file that another has, too. Others are not named unless
// the user says that all files have a header: what stands in the first row may be data.
func (s *shape) known(other *shape) string {
	var own []table.Column
	for _, c := range s.columns {
		if slices.Contains(other.columns, c) {
			own = append(own, c)
		}
	}
	switch more := len(s.columns) - len(own); {
	case more == 0:
		return schema(own)
	case len(own) == 0:
		return fmt.Sprintf("%d other columns", more)
	default:
		return fmt.Sprintf("%s, and %d more", schema(own), more)
	}
}

// written is how people call a dialect.
func written(d table.Dialect) string {
	header := "no header"
	if d.Header == "yes" {
		header = "a header"
	}
	return fmt.Sprintf("has %s and cells with %q between them", header, d.Delimiter)
}

// schema is how people read columns.
func schema(columns []table.Column) string {
	var all []string
	for _, c := range columns {
		one := c.Name + " " + c.Type
		if !c.Nullable {
			one += " required"
		}
		all = append(all, one)
	}
	return strings.Join(all, ", ")
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
	if len(f.Members) == 1 {
		var a []*table.Alphabet
		var n [][]int64
		err := f.with(0, func(o *opened) (err error) { a, n, err = o.Scan(ctx); return err })
		return a, n, err
	}
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
	if f.most == nil {
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

// ReadColumns reads columns of a unit without the others. It may be one nested column.
func (f *Files) ReadColumns(ctx context.Context, unit int, names []string, each func(table.Batch) error) error {
	u := f.Of(unit)
	return f.with(u.File, func(o *opened) error {
		own, err := o.File.(table.Columnar).Only(names)
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

// Shuffled is the one file of a set with its rows in another order, in memory.
func (f *Files) Shuffled(ctx context.Context, order []uint32, most int64) (in table.Input, err error) {
	err = f.with(0, func(o *opened) error {
		in, err = o.Shuffled(ctx, order, most)
		return err
	})
	return in, err
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
	var all []store.Named
	last := -1
	for _, unit := range units {
		if i := f.Of(unit).File; i != last {
			m := f.Members[i]
			all, last = append(all, store.Named{URL: m.address, Entry: store.Entry{Size: m.Size, Tag: m.tag}}), i
		}
	}
	store.Fetch(ctx, all)
}

// Stat looks at every file; none are those of a store.
func (f *Files) Stat() ([]fs.FileInfo, error) {
	if store.Is(f.Path) {
		return nil, nil
	}
	all := make([]fs.FileInfo, len(f.Members))
	for i, m := range f.Members {
		if f.Tree {
			var err error
			if all[i], err = os.Stat(m.Path); err != nil {
				return nil, err
			}
			continue
		}
		err := f.onDisk(i, func(disk table.Content) (err error) {
			if local, ok := disk.(*table.Local); ok {
				all[i], err = local.Stat()
			}
			return err
		})
		if err != nil {
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
		return f.onDisk(i, func(disk table.Content) error { return f.same(i, disk) })
	})
}

// onDisk looks at a file of which nothing is read.
func (f *Files) onDisk(i int, look func(table.Content) error) error {
	f.mu.Lock()
	o := f.opened[i]
	if o != nil {
		defer f.mu.Unlock() // which keeps it open
		return look(o.disk)
	}
	f.mu.Unlock()
	disk, end, err := f.content(i)
	if err != nil {
		return err
	}
	return errors.Join(look(disk), end())
}

func (f *Files) same(i int, disk table.Content) error {
	now, err := disk.Identity()
	if err == nil && now != f.identity[i] {
		err = fmt.Errorf("%s: %w", f.Members[i].Rel, ErrChanged)
	}
	return err
}

// Again opens the same files for other columns. A file that has changed since is
// refused when it is read.
func (f *Files) Again(r table.Request) (*Files, error) {
	again := &Files{Set: f.Set, opener: f.opener, request: r, threads: max(1, r.Workers()/len(f.Members)),
		format: f.format, dialect: f.dialect, columns: f.columns, units: f.units, first: f.first, row: f.row, size: f.size,
		identity: f.identity, keys: f.keys, most: f.most, one: f.one, opened: map[int]*opened{}}
	if f.one != nil {
		f.one.use()
	}
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
	n := len(s.Members)
	over := &Files{Set: s, opener: f.opener, request: f.request, threads: max(1, f.request.Workers()/n), format: f.format,
		dialect: f.dialect, columns: f.columns, opened: map[int]*opened{}, first: make([]int, n+1), row: make([]int64, n+1),
		size: make([]int64, n), identity: make([]string, n), keys: keysOf(s.Members)}
	var most []Most
	for i, l := range looks {
		over.units = append(over.units, l.Units...)
		over.size[i], over.first[i+1], over.row[i+1] = l.Bytes, len(over.units), over.row[i]
		for _, rows := range l.Units {
			over.row[i+1] += rows
		}
		most = append(most, l.Most)
	}
	if n > 1 {
		over.most = [][]Most{most}
	}
	return over
}

// Shape is how all files are alike.
func (f *Files) Shape() string {
	return fmt.Sprintf("%s %q %q %q", f.format, f.dialect.Delimiter, f.dialect.Header, schema(f.columns))
}

// with hands out an open member. What is wrong with it is said with its name where
// there are several.
func (f *Files) with(i int, work func(o *opened) error) error {
	o, err := f.take(i)
	if err == nil {
		err = work(o)
		f.give(i, o)
	}
	var input *table.InputError
	if f.Tree && errors.As(err, &input) {
		return &table.InputError{What: f.Members[i].Rel + ": " + input.What, Hint: input.Hint, Err: err}
	}
	return err
}

func (f *Files) take(i int) (*opened, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if o := f.opened[i]; o != nil {
		if o.uses == 0 {
			f.idle = slices.DeleteFunc(f.idle, func(k int) bool { return k == i })
		}
		o.uses++
		return o, nil
	}
	f.mu.Unlock()
	o, err := f.begin(i)
	f.mu.Lock()
	if err != nil {
		return nil, err
	}
	if other := f.opened[i]; other != nil { // somebody else was faster
		if other.uses == 0 {
			f.idle = slices.DeleteFunc(f.idle, func(k int) bool { return k == i })
		}
		other.uses++
		return other, o.close()
	}
	o.uses, f.opened[i] = 1, o
	return o, nil
}

// begin opens a member.
func (f *Files) begin(i int) (*opened, error) {
	disk, end, err := f.content(i)
	if err != nil {
		return nil, err
	}
	if f.one == nil && f.identity[i] != "" {
		if err := f.same(i, disk); err != nil {
			return nil, errors.Join(err, end())
		}
	}
	r := f.request
	r.Threads = f.threads
	file, err := f.opener(disk, r)
	if err != nil {
		return nil, errors.Join(err, end())
	}
	return &opened{File: file, disk: disk, end: end}, nil
}

// content is a member to read, and what ends that.
func (f *Files) content(i int) (disk table.Content, end func() error, err error) {
	if f.one != nil {
		f.one.use()
		return f.one.content, f.one.end, nil
	}
	if disk, err = f.Members[i].Open(); err != nil {
		return nil, nil, err
	}
	return disk, disk.Close, nil
}

// give ends a use, and closes what is idle longest where there is too much of it.
func (f *Files) give(i int, o *opened) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if o.uses--; o.uses > 0 {
		return
	}
	if f.idle = append(f.idle, i); len(f.idle) > mostIdle {
		f.opened[f.idle[0]].close() // nothing was written
		delete(f.opened, f.idle[0])
		f.idle = f.idle[1:]
	}
}

func (o *opened) close() error { return errors.Join(o.File.Close(), o.end()) }

// Close closes what is open.
func (f *Files) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	var errs []error
	for _, o := range f.opened {
		errs = append(errs, o.close())
	}
	f.opened, f.idle = map[int]*opened{}, nil
	if f.one != nil {
		errs = append(errs, f.one.end())
		f.one = nil
	}
	return errors.Join(errs...)
}

// A lasting content is open as long as somebody uses it, whatever becomes of its name.
type lasting struct {
	content table.Content
	mu      sync.Mutex
	users   int
}

func (l *lasting) use() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.users++
}

// end is that of one use.
func (l *lasting) end() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.users--; l.users > 0 {
		return nil
	}
	return l.content.Close()
}
