package document

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"sync"

	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
	"github.com/tacet-privacy/tacet/pipeline/verify/files"
)

// A Request names the files of a release.
type Request struct {
	Report string // Required. report.json.
	Plan   string // "": plan.json beside the report
	Order  string // "": order.csv beside the report
	Input  string // "": what needs the input is not checked
	Output string // Required.
	Trust  string // public key, or a file that holds it; "": signatures are not checked
	// Approvers are the keys, given as Trust is, of who may decide; nil: decisions are
	// read, and their signatures are not checked.
	Approvers []string

	Ledger  string // ledger, or its export; "": the releases before are not looked at
	History string // record history, or the folder where it lies; "": beside the ledger
	Key     string // draw key: with it and the input every draw is made again

	Dialect files.Dialect // of CSV files, which the report states

	// Stored finds the objects of an address in a store, and whether they are a data set;
	// none where the path is no address. nil: there are no stores.
	Stored func(path string) (members []files.Member, many bool, err error)
}

// Files are the output and, where there is one, the input.
type Files struct {
	In, Out *Opened // in is nil for an outside reviewer
}

// An Opened file stays open until it is closed; those of a data set are open while
// they are read.
type Opened struct {
	files.File
	Path    string
	Size    int64          // of all files
	Members []files.Member // of a data set; nil for one file
	disk    content        // nil for a data set
	sums    []string       // of Members, once they are there
	sum     string         // of one file, once it is there
	files.Dialect
}

// A content is what one file holds.
type content interface {
	io.ReaderAt
	io.Closer
}

// Open opens the output and, where one is named, the input of a plan.
func Open(q Request, p *Plan) (f *Files, err error) {
	f = &Files{}
	if f.Out, err = openBinned(q, q.Output, "--output", p, files.OpenValued); err != nil {
		return nil, err
	}
	if q.Input == "" {
		return f, nil
	}
	if f.In, err = OpenInput(q, p); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// OpenInput opens the input of a plan, whose column may be put into bins.
func OpenInput(q Request, p *Plan) (*Opened, error) {
	return openBinned(q, q.Input, "--input", p, files.OpenBinned)
}

// openBinned opens the input or output of a plan by a function of package files.
func openBinned(q Request, path, flag string, p *Plan, open func(in io.ReaderAt, size int64, column string,
	d files.Dialect, b *files.Bins) (files.File, error)) (*Opened, error) {
	if p.Bins == nil {
		return OpenFile(q, path, flag, p.Column)
	}
	b, ok := files.NewBins(p.Bins)
	if !ok {
		return nil, Errorf("it was changed, or written by another version", "the plan has bins that are none")
	}
	return openFile(q, path, flag, func(disk io.ReaderAt, size int64) (files.File, error) {
		return open(disk, size, p.Column, q.Dialect, b)
	})
}

// OpenFile opens the files that a path or an address names; flag is what gave it.
func OpenFile(q Request, path, flag, column string) (*Opened, error) {
	return openFile(q, path, flag, func(disk io.ReaderAt, size int64) (files.File, error) {
		return files.Open(disk, size, column, q.Dialect)
	})
}

func openFile(q Request, path, flag string, open func(disk io.ReaderAt, size int64) (files.File, error)) (o *Opened,
	err error) {
	defer func() {
		if err == nil {
			o.Dialect = q.Dialect
		}
	}()
	if q.Stored != nil {
		if members, many, err := q.Stored(path); err != nil || members != nil {
			return openStored(path, members, many, err, open)
		}
	}
	members, err := tree(path)
	var none *Error
	switch {
	case errors.As(err, &none):
		return nil, err
	case err != nil:
		return nil, Unreadable(path, flag, err)
	case members != nil:
		return openSet(path, members, open)
	}
	disk, err := os.Open(path)
	if err != nil {
		return nil, Unreadable(path, flag, err)
	}
	o = &Opened{Path: path, disk: disk}
	st, err := disk.Stat()
	if err == nil && !st.Mode().IsRegular() {
		err = errors.New("it is no file")
	}
	if err != nil {
		disk.Close()
		return nil, Unreadable(path, flag, err)
	}
	o.Size = st.Size()
	if o.File, err = open(disk, o.Size); err != nil {
		disk.Close()
		return nil, o.Fault(err)
	}
	return o, nil
}

// openStored opens objects of a store: one, or a data set.
func openStored(path string, members []files.Member, many bool, err error,
	open func(disk io.ReaderAt, size int64) (files.File, error)) (*Opened, error) {
	if err != nil {
		return nil, err
	}
	if u, err := url.Parse(path); err == nil { // parameters and names of users are no concern of who reads messages
		u.RawQuery, u.User = "", nil
		path = u.String()
	}
	if many {
		return openSet(path, members, open)
	}
	o := &Opened{Path: path, Size: members[0].Size, disk: unclosed{members[0].In}}
	if o.File, err = open(o.disk, o.Size); err != nil {
		return nil, o.Fault(err)
	}
	return o, nil
}

// unclosed is what whoever gave it closes.
type unclosed struct{ io.ReaderAt }

func (unclosed) Close() error { return nil }

func openSet(path string, members []files.Member, open func(disk io.ReaderAt, size int64) (files.File, error)) (*Opened,
	error) {
	o := &Opened{Path: path, Members: members}
	for _, m := range members {
		o.Size += m.Size
	}
	var err error
	if o.File, err = files.OpenSet(members, open); err != nil {
		return nil, o.Fault(err)
	}
	return o, nil
}

// Beside opens the file again for a column beside the private one.
func (o *Opened) Beside(column string) (*Opened, error) {
	open := func(in io.ReaderAt, size int64) (files.File, error) {
		return files.OpenBeside(in, size, column, o.Dialect)
	}
	again := &Opened{Path: o.Path, Size: o.Size, Members: o.Members, Dialect: o.Dialect}
	var err error
	if o.Members == nil {
		again.File, err = open(o.disk, o.Size)
	} else {
		again.File, err = files.OpenSet(o.Members, open)
	}
	return again, err
}

// Close closes the file.
func (o *Opened) Close() {
	if o.disk != nil {
		o.disk.Close()
	}
}

// Fault names the file in what package files says of it.
func (o *Opened) Fault(err error) error {
	var e *files.Error
	if errors.As(err, &e) {
		return Errorf("name the file that the report is about", "%s %s", o.Path, e.What)
	}
	return err
}

// Close closes both.
func (f *Files) Close() {
	for _, o := range []*Opened{f.In, f.Out} {
		if o != nil {
			o.Close()
		}
	}
}

// Rows are those of all units.
func (o *Opened) Rows() int64 { return exact.Sum(o.Units()) }

// Sum is the SHA-256 of the file in hex; of a data set it is that of the list of
// hashes and paths, as sha256sum prints it.
func (o *Opened) Sum(ctx context.Context) (string, error) {
	if o.Members == nil {
		var err error
		if o.sum == "" {
			o.sum, err = sum(ctx, o.disk, o.Size)
		}
		return o.sum, err
	}
	sums, err := o.Sums(ctx)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	for i, m := range o.Members {
		fmt.Fprintf(h, "%s  %s\n", sums[i], m.Rel)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// Sums are those of the members of a data set.
func (o *Opened) Sums(ctx context.Context) ([]string, error) {
	if o.sums != nil {
		return o.sums, nil
	}
	var sums []string
	for _, m := range o.Members {
		one, err := sum(ctx, m.In, m.Size)
		if err != nil {
			return nil, err
		}
		sums = append(sums, one)
	}
	o.sums = sums
	return sums, nil
}

// SumBoth takes the sums of two files at once. Sum has them afterwards, or says what is wrong.
func SumBoth(ctx context.Context, a, b *Opened) {
	var group sync.WaitGroup
	for _, o := range []*Opened{a, b} {
		group.Go(func() { _, _ = o.Sum(ctx) })
	}
	group.Wait()
}

func sum(ctx context.Context, of io.ReaderAt, size int64) (string, error) {
	h := sha256.New()
	in := io.NewSectionReader(of, 0, size)
	for {
		n, err := io.CopyN(h, in, 8<<20)
		if err == io.EOF {
			return hex.EncodeToString(h.Sum(nil)), nil
		}
		if err != nil || ctx.Err() != nil {
			return "", errors.Join(err, ctx.Err())
		}
		_ = n
	}
}
