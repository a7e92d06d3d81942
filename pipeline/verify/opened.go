package verify

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/tacet-privacy/tacet/io/arrow"
	"github.com/tacet-privacy/tacet/io/dataset"
	"github.com/tacet-privacy/tacet/io/parquet/meta"
	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/io/store"
	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/verify/kernel"
	"github.com/tacet-privacy/tacet/pipeline/verify/kernel/files"
)

// lengths are looked at by the packages that read such files for a run.
var lengths = files.Lengths{Heads: arrow.Heads, Schema: arrow.ReadSchema, Thrift: meta.Check}

// An opened file is an input or output, which may be a data set. It stays open until it is
// closed; those of a data set are open while they are read.
type opened struct {
	kernel.File
	path    string
	set     *dataset.Set
	members []files.Member // of the set, as they are read
	size    int64          // of all files
	close   func() error
	sums    []string // of members, once they are there
}

// openFile opens a column of what a path or an address names; flag is what gave it.
func openFile(ctx context.Context, q Request, path, flag string, c files.Column) (*opened, error) {
	o, err := q.locate(ctx, path, flag)
	if err != nil {
		return nil, err
	}
	open := func(c files.Column) (files.File, error) {
		if c.Lengths = lengths; o.set.Tree {
			return files.OpenSet(o.members, c)
		}
		in, err := o.members[0].Open()
		if err != nil {
			return nil, err
		}
		return c.Open(in, o.size)
	}
	o.Fault = o.fault
	o.Beside = func(column string) (files.File, error) {
		return open(files.Column{Name: column, Dialect: c.Dialect})
	}
	if o.File.File, err = open(c); err != nil {
		return nil, errors.Join(o.fault(err), o.close())
	}
	return o, nil
}

// locate finds what a path or an address names, of which no column is open.
func (q Request) locate(ctx context.Context, path, flag string) (*opened, error) {
	set, err := dataset.Find(ctx, path)
	if err != nil {
		return nil, unfound(path, flag, err)
	}
	set.Fetch(ctx)
	o := &opened{path: store.Plain(path), set: set, close: func() error { return nil }}
	switch one := &set.Members[0]; {
	case !set.Tree:
		in, err := one.Open()
		if err != nil {
			return nil, unfound(path, flag, err)
		}
		one.Size, one.Open, o.close = in.Size(), func() (table.Content, error) { return in, nil }, in.Close
	case len(q.Since) > 0:
		if err := q.later(set); err != nil {
			return nil, err
		}
	}
	for _, m := range set.Members {
		open := func() (io.ReaderAt, error) {
			in, err := m.Open()
			return watched{in, q.failed}, err
		}
		if set.Tree && m.Path != "" {
			open = func() (io.ReaderAt, error) { return shut(m.Open), nil }
		}
		o.members, o.size = append(o.members, files.Member{Rel: m.Rel, Size: m.Size, Open: open}), o.size+m.Size
	}
	return o, nil
}

// unfound is the Error of what a path or an address does not name.
func unfound(path, flag string, err error) error {
	var unfit *table.InputError
	var none *store.Error
	switch {
	case errors.As(err, &unfit):
		return kernel.Errorf(unfit.Hint, "%s: %s", store.Plain(path), unfit.What)
	case errors.As(err, &none):
		return err
	}
	return unreadable(path, flag, err)
}

// later leaves the files that no other release has.
func (q Request) later(set *dataset.Set) error {
	list, err := report.ReadLists(q.Since, q.own())
	known := map[string]bool{}
	for _, f := range list {
		known[f.Path] = true
	}
	set.Members = slices.DeleteFunc(set.Members, func(m dataset.Member) bool { return known[m.Rel] })
	if err == nil && len(set.Members) == 0 {
		err = errors.New("they have all files")
	}
	if err != nil {
		return kernel.Errorf("give the report folders of other releases of the input", "--since: %v", err)
	}
	return nil
}

// own is the folder of the report.
func (q Request) own() string {
	own, _ := strings.CutSuffix(filepath.Dir(q.Report), string(filepath.Separator)+"public")
	return own
}

// fault names the file in what package files says of it.
func (o *opened) fault(err error) error {
	var e *files.Error
	if errors.As(err, &e) {
		return kernel.Errorf("name the file that the report is about", "%s %s", o.path, e.What)
	}
	return err
}

// rows are those of all units.
func (o *opened) rows() (n int64) {
	for _, k := range o.Units() {
		n += k
	}
	return n
}

// files is how many there are of a data set; 0 of one file.
func (o *opened) files() int {
	if o.set.Tree {
		return len(o.members)
	}
	return 0
}

// sum is the hash of the file, or of the data set, of whose files each is computed once.
func (o *opened) sum(ctx context.Context) (string, error) {
	for _, m := range o.members[len(o.sums):] {
		in, err := m.Open()
		if err != nil {
			return "", err
		}
		sum, err := publish.SumOf(ctx, io.NewSectionReader(in, 0, m.Size))
		if err != nil {
			return "", err
		}
		o.sums = append(o.sums, sum)
	}
	return o.set.Hash(o.sums), nil
}

// A shut file is open only while it is read.
type shut func() (table.Content, error)

// ReadAt reads from the file as it stands now.
func (open shut) ReadAt(b []byte, off int64) (int, error) {
	in, err := open()
	if err != nil {
		return 0, err
	}
	defer in.Close()
	return in.ReadAt(b, off)
}

// A watched file or object keeps its first failure: what it hides looks damaged.
type watched struct {
	table.Content
	failed *atomic.Pointer[error]
}

// ReadAt reads from the file.
func (w watched) ReadAt(b []byte, off int64) (n int, err error) {
	if n, err = w.Content.ReadAt(b, off); err != nil && err != io.EOF {
		w.failed.CompareAndSwap(nil, &err)
	}
	return n, err
}
