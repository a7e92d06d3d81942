package count

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/io/dataset"
	"github.com/tacet-privacy/tacet/io/store"
	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// An Input is the opened file with its private columns.
type Input struct {
	request.Reading
	File    *dataset.Files // that --input names
	request table.Request
	Dropped []string
	Rows    int64
	Private []*Source // as they were asked for
}

// A Source is one private column of the input and what pass one found in it.
type Source struct {
	*Input
	at     int // among the private columns
	Column table.Column

	Alphabet *table.Alphabet
	counts   mechanism.Prior // by letter of alphabet
	given    [][]int64       // by group and letter of a plan, where all was counted before; else nil
}

// OpenColumn opens the input for one private column.
func OpenColumn(ctx context.Context, r request.Reading, column string) (*Source, error) {
	in, err := Open(ctx, r, []string{column})
	if err != nil {
		return nil, err
	}
	return in.Private[0], nil
}

// Open opens the input and finds the columns; nothing is counted yet. An object of a
// store is read until ctx ends.
func Open(ctx context.Context, r request.Reading, columns []string) (*Input, error) {
	if slices.Contains(columns, "") {
		return nil, fault.New(fault.Usage, "name the private column with --column", "no column is given")
	}
	if r.Path == request.Standard {
		return nil, request.ReadOnce()
	}
	set, err := Find(ctx, r)
	if err != nil {
		return nil, err
	}
	return OpenFound(ctx, r, set, columns)
}

// OpenFound is Open for files that Find has found, or some of them.
func OpenFound(ctx context.Context, r request.Reading, set *dataset.Set, columns []string) (*Input, error) {
	r.Path = store.Plain(r.Path) // from here on it is told, and not opened
	for _, key := range set.KeyNames() {
		if slices.ContainsFunc(columns, func(c string) bool { return strings.EqualFold(c, key) }) {
			return nil, fault.New(fault.Privacy, "write the data without folders of the private column", "%s: the folders "+
				"%s=... would publish the private column", r.Path, key)
		}
	}
	s := &Input{Reading: r}
	if err := s.open(ctx, set, columns); err != nil {
		return nil, InFile(r.Path, err)
	}
	return s, nil
}

// Find are the files of the input, of a shard those that it has.
func Find(ctx context.Context, r request.Reading) (*dataset.Set, error) {
	set, err := dataset.Find(ctx, r.Path)
	r.Path = store.Plain(r.Path)
	if err == nil && len(r.Since) > 0 {
		err = since(set, r)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fault.New(fault.Input, "check the path given to --input", "%s does not exist", r.Path)
	case errors.Is(err, fs.ErrPermission):
		return nil, fault.New(fault.Environment, "run as a user who may read it", "%s cannot be read: permission denied",
			r.Path)
	case err != nil:
		return nil, InFile(r.Path, err)
	case r.Shard.N > 0 && !set.Tree:
		return nil, fault.New(fault.Usage, "give the folder with --input, or remove --shard",
			"--shard needs a folder; %s is a file", r.Path)
	case r.Shard.N > len(set.Members):
		return nil, fault.New(fault.Usage, fmt.Sprintf("give --shard I/N with N at most %d", len(set.Members)),
			"--shard %d/%d would have no files: %s has %d", r.Shard.I, r.Shard.N, r.Path, len(set.Members))
	case r.Shard.N > 0:
		set.Shard(r.Shard.I, r.Shard.N)
	}
	return set, nil
}

func (s *Input) open(ctx context.Context, set *dataset.Set, columns []string) (err error) {
	request := s.asked(columns) // Keep is turned into Dropped once the columns are known
	request.Dialect = table.Dialect{Delimiter: s.Delimiter, Header: s.Header}
	first, err := dataset.Open(ctx, set, request, OpenFile)
	if err != nil {
		return err
	}
	s.File = first
	if s.Dropped, err = dropped(s.File.Columns(), columns, s.Keep, slices.Concat(s.Drop, s.IDs)); err != nil {
		return errors.Join(err, first.Close())
	}
	if len(s.Dropped) > 0 {
		request.Drop, request.Dialect = s.Dropped, s.File.Dialect()
		s.File, err = first.Again(request)
		if err := errors.Join(err, first.Close()); err != nil {
			return err
		}
	}
	if s.request = request; s.request.Dialect == (table.Dialect{}) {
		s.request.Dialect = s.File.Dialect()
	}
	s.find(columns, s.File.Columns())
	for _, n := range s.File.Units() {
		s.Rows += n
	}
	return nil
}

// asked is what is read of an input with these private columns.
func (s *Input) asked(columns []string) table.Request {
	r := table.Request{Private: columns, Beside: s.Beside(), Threads: s.Threads, Metadata: s.Metadata}
	for _, name := range columns {
		r.Bins = append(r.Bins, s.Bins[name])
	}
	return r
}

// find makes the private columns of those that the input has.
func (s *Input) find(columns []string, all []table.Column) {
	for at, name := range columns {
		p := &Source{Input: s, at: at}
		for _, c := range all {
			if c.Name == name {
				p.Column = c
			}
		}
		s.Private = append(s.Private, p)
	}
}

// Before is what was counted of a set before, and added up.
type Before struct {
	Looks []dataset.Look
	In    *table.Alphabet // of a plan
	Given [][]int64       // by its groups and letters
	Nulls int64           // that are no letter of it
}

// Over is the input of all files of a set, alike those of s, as they were counted before.
func (s *Input) Over(set *dataset.Set, b Before) (*Input, error) {
	over := &Input{Reading: s.Reading, request: s.request, Dropped: s.Dropped}
	all := s.File.Over(set, b.Looks)
	var err error
	if over.File, err = all.Again(s.request); err != nil {
		return nil, InFile(s.Path, errors.Join(err, all.Close()))
	}
	for _, n := range over.File.Units() {
		over.Rows += n
	}
	p := &Source{Input: over, Column: s.Private[0].Column, given: b.Given}
	var value []table.Value
	var count []int64
	sum := func(x int) (n int64) {
		for _, g := range b.Given {
			n += g[x]
		}
		return n
	}
	for _, x := range b.In.Sorted() {
		if n := sum(int(x)); n > 0 {
			value, count = append(value, b.In.Values()[x]), append(count, n)
		}
	}
	nulls := b.Nulls
	if x := b.In.Null(); x >= 0 {
		nulls += sum(int(x))
	}
	if nulls > 0 {
		count = append(count, nulls)
	}
	p.Alphabet = table.NewAlphabet(b.In.Type(), value, nulls > 0)
	p.counts, err = countsOf(s.Path, count)
	over.Private = []*Source{p}
	return over, err
}

// Scan is pass one. It reads nothing where all was counted before.
func (s *Input) Scan(ctx context.Context) error {
	if s.Private[0].given != nil {
		return nil
	}
	if s.Rewritten {
		if err := s.File.CheckKept(ctx); err != nil {
			return s.Failed(err)
		}
	}
	s.Tell("counting", 0, s.Rows)
	alphabets, counts, err := s.File.Scan(ctx)
	if err != nil {
		return s.Failed(err)
	}
	if err := s.Unchanged(); err != nil {
		return err
	}
	for i, p := range s.Private {
		p.Alphabet = alphabets[i]
		if p.counts, err = countsOf(s.Path, counts[i]); err != nil {
			return err
		}
	}
	return nil
}

// MostInFiles are the values that most rows of a file have, by file.
func (s *Source) MostInFiles() []dataset.Most { return s.File.MostOf(s.at) }

// Names are those of the private columns.
func (s *Input) Names() []string {
	var names []string
	for _, p := range s.Private {
		names = append(names, p.Column.Name)
	}
	return names
}

// by are the alphabets by which batches are read: a for this column, for the others the letters
// that pass one found.
func (s *Source) by(a *table.Alphabet) (in []*table.Alphabet) {
	for _, p := range s.Private {
		in = append(in, p.Alphabet)
	}
	in[s.at] = a
	return in
}

// Failed is the error of a pass over the input, or what lies behind it: a file
// that changes under the reader looks damaged.
func (s *Input) Failed(err error) error {
	return cmp.Or(s.Unchanged(), InFile(s.Path, err))
}

// Unchanged compares the identity of the input with that at the start.
func (s *Input) Unchanged() error {
	err := s.File.Unchanged()
	if errors.Is(err, dataset.ErrChanged) {
		return fault.New(fault.Environment, "run again when no other program writes to the file",
			"%s changed while it was read", s.Path)
	}
	return err
}

// Close closes the file; the letters stay.
func (s *Input) Close() error { return s.File.Close() }

// Walk reads the input by alphabets, units in parallel. begin gives what the goroutine of a number
// does with the batches of a unit.
func (s *Input) Walk(ctx context.Context, done *request.Meter, in []*table.Alphabet,
	begin func(worker, unit int) func(*table.Batch) error) error {
	err := table.EachUnit(ctx, len(s.File.Units()), s.Workers(), func(worker, unit int) error {
		each := begin(worker, unit)
		return s.File.Read(ctx, unit, in, func(b table.Batch) error {
			done.Add(len(b.Letters[0]))
			return each(&b)
		})
	})
	if err == nil || errors.As(err, new(*fault.Fault)) {
		return err
	}
	return s.Failed(err)
}

// ownName stands in hints for the file that they are about.
var ownName = regexp.MustCompile(`\bFILE\b`)

// InFile puts the file's name before what is wrong with its content, and into the command that
// helps.
func InFile(path string, err error) error {
	var input *table.InputError
	if errors.As(err, &input) {
		f := &fault.Fault{Class: fault.Input, What: path + ": " + input.What,
			Hint: cmp.Or(input.Hint, "write the file again, or give another one"), Err: err}
		if report.Shell(path) == path { // else it would have to be quoted within quotes
			f.Hint = ownName.ReplaceAllLiteralString(f.Hint, path)
		}
		return f
	}
	return err
}
