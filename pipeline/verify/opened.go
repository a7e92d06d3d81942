package verify

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/tacet-privacy/tacet/io/arrow"
	"github.com/tacet-privacy/tacet/io/dataset"
	"github.com/tacet-privacy/tacet/io/store"
	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/verify/kernel"
	"github.com/tacet-privacy/tacet/pipeline/verify/kernel/files"
)

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
		if c.Arrow = (files.Arrow{Heads: arrow.Heads, Schema: arrow.ReadSchema}); o.members != nil {
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
func (q Request) locate(ctx context.Context, path, flag string) (o *opened, err error) {
	o = &opened{path: store.Plain(path), close: func() error { return nil }}
	members, many, err := q.find(ctx, path, flag)
	if err == nil && many && len(q.Since) > 0 {
		members, err = q.later(members)
	}
	if err != nil {
		return nil, err
	}
	for _, m := range members {
		o.size += m.Size
	}
	if many {
		o.members = members
		return o, nil
	}
	if o.disk, err = members[0].Open(); err != nil {
		return nil, err
	}
	switch disk := o.disk.(type) {
	case *os.File:
		o.close = disk.Close
	case watched:
		o.size = disk.Size()
	}
	return o, nil
}

// find are the files of a path or an address, none of which is open. Of an object that is alone it
// does not know the size.
func (q Request) find(ctx context.Context, path, flag string) (members []files.Member, many bool, err error) {
	set, err := dataset.Find(ctx, path)
	var unfit *table.InputError
	var none *store.Error
	switch {
	case errors.As(err, &unfit):
		return nil, false, kernel.Errorf(unfit.Hint, "%s: %s", store.Plain(path), unfit.What)
	case errors.As(err, &none):
		return nil, false, err
	case err != nil:
		return nil, false, unreadable(path, flag, err)
	}
	set.Fetch(ctx)
	for _, m := range set.Members {
		if m.Path == "" {
			members = append(members, files.Member{Rel: m.Rel, Size: m.Size, Open: func() (io.ReaderAt, error) {
				object, err := m.Open()
				return watched{object, q.failed}, err
			}})
			continue
		}
		st, err := os.Stat(m.Path)
		if err == nil && !st.Mode().IsRegular() {
			err = errors.New("it is no file")
		}
		if err != nil {
			return nil, false, unreadable(path, flag, err)
		}
		members = append(members, files.Member{Rel: m.Rel, Size: st.Size(), Open: func() (io.ReaderAt, error) {
			if set.Tree {
				return files.Path(m.Path), nil
			}
			disk, err := os.Open(m.Path)
			if err != nil {
				return nil, unreadable(path, flag, err)
			}
			return disk, nil
		}})
	}
	return members, set.Tree, nil
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
		disk, err := m.Open()
		h := sha256.New()
		for in := io.NewSectionReader(disk, 0, m.Size); err == nil; err = ctx.Err() {
			if _, err = io.CopyN(h, in, 8<<20); err == io.EOF {
				break
			}
		}
		if err != io.EOF {
			return err
		}
		sums[i] = hex.EncodeToString(h.Sum(nil))
	}
	o.sums = sums
	return nil
}

// A watched object of a store keeps its first failure: what it hides looks damaged.
type watched struct {
	table.Content
	failed *atomic.Pointer[error]
}

// ReadAt reads from the object.
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
