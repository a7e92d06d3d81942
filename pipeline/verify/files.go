package verify

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/verify/cells"
)

// files are the output and, where there is one, the input.
type files struct {
	in, out *opened // in is nil for an outside reviewer
}

type opened struct {
	cells.File
	path string
	disk *os.File
	size int64
}

func openFiles(q Request, column string) (f *files, err error) {
	f = &files{}
	if f.out, err = openFile(q.Output, "--output", column); err != nil {
		return nil, err
	}
	if q.Input == "" {
		return f, nil
	}
	if f.in, err = openFile(q.Input, "--input", column); err != nil {
		f.close()
		return nil, err
	}
	return f, nil
}

func openFile(path, flag, column string) (*opened, error) {
	disk, err := os.Open(path)
	if err != nil {
		return nil, unreadable(path, flag, err)
	}
	o := &opened{path: path, disk: disk}
	st, err := disk.Stat()
	if err == nil && !st.Mode().IsRegular() {
		err = errors.New("it is no file")
	}
	if err != nil {
		disk.Close()
		return nil, unreadable(path, flag, err)
	}
	o.size = st.Size()
	if o.File, err = cells.Open(disk, o.size, column); err != nil {
		disk.Close()
		return nil, o.fault(err)
	}
	return o, nil
}

// fault names the file in what package cells says of it.
func (o *opened) fault(err error) error {
	var e *cells.Error
	if errors.As(err, &e) {
		return errorf("name the file that the report is about", "%s: %s", o.path, e.What)
	}
	return err
}

func (f *files) close() {
	for _, o := range []*opened{f.in, f.out} {
		if o != nil {
			o.disk.Close()
		}
	}
}

func (o *opened) rows() int64 {
	n := int64(0)
	for _, u := range o.Units() {
		n += u
	}
	return n
}

// sum is the SHA-256 of the file in hex.
func (o *opened) sum(ctx context.Context) (string, error) {
	h := sha256.New()
	in := io.NewSectionReader(o.disk, 0, o.size)
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

// checkFiles compares hashes, sizes, rows and columns with the report.
func (v *verifier) checkFiles(ctx context.Context, f *files) error {
	for _, k := range []struct {
		name  string
		file  *opened
		claim fileClaim
	}{{"input", f.in, v.report.Input}, {"output", f.out, v.report.Output}} {
		if k.file == nil {
			v.skip(k.name+" hash", "no input")
			v.skip(k.name+" file", "no input")
			continue
		}
		if how := v.report.option("hash"); k.claim.SHA256 == "" && how != "" && how != "none" {
			v.add(k.name+" hash", false, "the report holds no hash, and its options say that there is one")
		} else if k.claim.SHA256 == "" {
			v.skip(k.name+" hash", "the report holds no hash")
		} else {
			sum, err := k.file.sum(ctx)
			if err != nil {
				return err
			}
			v.add(k.name+" hash", isSum(sum) && sum == k.claim.SHA256, "%s", either(sum == k.claim.SHA256,
				"the file is, byte for byte, the one that the report is about", "the file is another than the one that the report is about"))
		}
		var w wrong
		w.match(k.claim.Rows == k.file.rows(), "the number of rows")
		w.match(k.claim.Bytes == k.file.size, "the number of bytes")
		w.match(k.claim.Format == k.file.Format(), "the format")
		v.settle(k.name+" file", w, "%d rows, %d bytes, %s", k.file.rows(), k.file.size, k.file.Format())
	}
	v.checkColumns(f)
	return nil
}

// checkColumns compares the columns of output, report and input.
func (v *verifier) checkColumns(f *files) {
	var w wrong
	private, kept, dropped := v.report.fate("privatized"), v.report.fate("published in clear"), v.report.fate("dropped")
	var listed, left []string
	for _, c := range v.report.Columns {
		if listed = append(listed, c.Name); c.Fate != "dropped" {
			left = append(left, c.Name)
		}
	}
	redrawn := []string{v.plan.Column}
	if j := v.report.Joint; j != nil {
		redrawn = j.names()
		w.match(slices.Contains(redrawn, v.plan.Column), "the private columns")
	}
	together := slices.Clone(private)
	slices.Sort(together)
	slices.Sort(redrawn)
	w.match(slices.Equal(together, redrawn) && len(private)+len(kept)+len(dropped) == len(listed), "the fate of the columns")
	if !slices.Equal(f.out.Columns(), left) {
		w.addf("the output has other columns than the report says")
	}
	if f.in != nil && !slices.Equal(f.in.Columns(), listed) {
		w.addf("the input has other columns than the report says")
	}
	v.settle("columns", w, "%d privatized, %d published in clear, %d dropped", len(private), len(kept), len(dropped))
	const name = "copied columns"
	if f.in == nil {
		v.skip(name, "no input")
		return
	}
	differ, err := f.out.Same(f.in.File, redrawn)
	switch {
	case err != nil:
		v.add(name, false, "the output %v", err)
	default:
		v.add(name, len(differ) == 0, "%s", either(len(differ) == 0, "every column published in clear is that of the input", "columns published in clear are not those of the input"))
	}
}
