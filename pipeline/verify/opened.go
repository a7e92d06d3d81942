package verify

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
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
	size    int64          // of all files
	members []files.Member // of a data set; nil for one file
	disk    io.ReaderAt    // nil for a data set
	close   func() error
	sums    []string // of members, or of the one file, once they are there
}

// openFile opens a column of what a path or an address names; flag is what gave it.
func openFile(ctx context.Context, q Request, path, flag string, c files.Column) (*opened, error) {
	o, err := q.locate(ctx, path, flag)
	if err != nil {
		return nil, err
	}
	open := func(c files.Column) (files.File, error) {
		if c.Lengths = lengths; o.members != nil {
			return files.OpenSet(o.members, c)
		}
		return c.Open(o.disk, o.size)
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
	o := &opened{path: store.Plain(path), close: func() error { return nil }}
	set, err := q.find(ctx, path, flag)
	if err != nil {
		return nil, err
	}
	if !set.Tree {
		in, err := set.Members[0].Open()
		if err != nil {
			return nil, unfound(path, flag, err)
		}
		o.disk, o.size, o.close = watched{in, q.failed}, in.Size(), in.Close
		return o, nil
	}
	for _, m := range set.Members {
		open := func() (io.ReaderAt, error) { return shut(m.Open), nil }
		if m.Path == "" {
			open = func() (io.ReaderAt, error) {
				object, err := m.Open()
				return watched{object, q.failed}, err
			}
		}
		o.members = append(o.members, files.Member{Rel: m.Rel, Size: m.Size, Open: open})
	}
	if len(q.Since) > 0 {
		if o.members, err = q.later(o.members); err != nil {
			return nil, err
		}
	}
	for _, m := range o.members {
		o.size += m.Size
	}
	return o, nil
}

// find are the files of a path or an address, none of which is open.
func (q Request) find(ctx context.Context, path, flag string) (*dataset.Set, error) {
	set, err := dataset.Find(ctx, path)
	if err != nil {
		return nil, unfound(path, flag, err)
	}
	set.Fetch(ctx)
	return set, nil
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

// later are the files that no other release has.
func (q Request) later(members []files.Member) ([]files.Member, error) {
	list, err := report.ReadLists(q.Since, q.own())
	known := map[string]bool{}
	for _, f := range list {
		known[f.Path] = true
	}
	members = slices.DeleteFunc(members, func(m files.Member) bool { return known[m.Rel] })
	if err == nil && len(members) == 0 {
		err = errors.New("they have all files")
	}
	if err != nil {
		return nil, kernel.Errorf("give the report folders of other releases of the input", "--since: %v", err)
	}
	return members, nil
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

// hash is the SHA-256 of every file, computed once.
func (o *opened) hash(ctx context.Context) error {
	if o.sums != nil {
		return nil
	}
	of := o.members
	if of == nil {
		of = []files.Member{{Size: o.size, Open: func() (io.ReaderAt, error) { return o.disk, nil }}}
	}
	sums := make([]string, len(of))
	for i, m := range of {
		in, err := m.Open()
		if err == nil {
			sums[i], err = publish.SumOf(ctx, io.NewSectionReader(in, 0, m.Size))
		}
		if err != nil {
			return err
		}
	}
	o.sums = sums
	return nil
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

// sum is the hash of the file; of a data set that of the list of hashes and paths, as
// sha256sum prints it.
func (o *opened) sum() string {
	if o.members == nil {
		return o.sums[0]
	}
	h := sha256.New()
	for i, m := range o.members {
		fmt.Fprintf(h, "%s  %s\n", o.sums[i], m.Rel)
	}
	return hex.EncodeToString(h.Sum(nil))
}
