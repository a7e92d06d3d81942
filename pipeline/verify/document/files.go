package document

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"

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
}

// Files are the output and, where there is one, the input.
type Files struct {
	In, Out *Opened // in is nil for an outside reviewer
}

// An Opened file stays open until Files are closed.
type Opened struct {
	files.File
	Path string
	Disk *os.File
	Size int64
	files.Dialect
}

// Open opens the output and, where one is named, the input of a plan.
func Open(q Request, p *Plan) (f *Files, err error) {
	f = &Files{}
	if f.Out, err = OpenFile(q.Output, "--output", p.Column, q.Dialect); err != nil {
		return nil, err
	}
	if q.Input == "" {
		return f, nil
	}
	if f.In, err = OpenInput(q.Input, p, q.Dialect); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// OpenInput opens the input of a plan, whose column may be put into bins.
func OpenInput(path string, p *Plan, d files.Dialect) (*Opened, error) {
	if p.Bins == nil {
		return OpenFile(path, "--input", p.Column, d)
	}
	b, ok := files.NewBins(p.Bins)
	if !ok {
		return nil, Errorf("it was changed, or written by another version", "the plan has bins that are none")
	}
	o, err := openFile(path, "--input", func(disk *os.File, size int64) (files.File, error) {
		return files.OpenBinned(disk, size, p.Column, d, b)
	})
	if err == nil {
		o.Dialect = d
	}
	return o, err
}

// OpenFile opens one file; flag is what named it.
func OpenFile(path, flag, column string, d files.Dialect) (*Opened, error) {
	o, err := openFile(path, flag, func(disk *os.File, size int64) (files.File, error) {
		return files.Open(disk, size, column, d)
	})
	if err == nil {
		o.Dialect = d
	}
	return o, err
}

func openFile(path, flag string, open func(disk *os.File, size int64) (files.File, error)) (*Opened, error) {
	disk, err := os.Open(path)
	if err != nil {
		return nil, Unreadable(path, flag, err)
	}
	o := &Opened{Path: path, Disk: disk}
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
			o.Disk.Close()
		}
	}
}

// Rows are those of all units.
func (o *Opened) Rows() int64 {
	n := int64(0)
	for _, u := range o.Units() {
		n += u
	}
	return n
}

// Sum is the SHA-256 of the file in hex.
func (o *Opened) Sum(ctx context.Context) (string, error) {
	h := sha256.New()
	in := io.NewSectionReader(o.Disk, 0, o.Size)
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
