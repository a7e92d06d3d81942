package colfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/tacet-privacy/tacet/io/parquetraw"
	"github.com/tacet-privacy/tacet/io/parquetraw/column"
	"github.com/tacet-privacy/tacet/io/parquetraw/format"
	"github.com/tacet-privacy/tacet/io/parquetraw/splice"
	"github.com/tacet-privacy/tacet/io/publish"
)

// writtenBy is the value of our key in the file metadata, the version of what
// is written; it does not change from build to build.
const writtenBy = "1"

// Rewrite copies the chunks of all other columns and writes those of the
// private ones anew. Where everything goes is known beforehand, so row groups
// are drawn and copied side by side, each piece at its place.
func (p *parquetFile) Rewrite(ctx context.Context, out publish.Output, in, to []*Alphabet, f func(Batch) error) (err error) {
	defer recovered(&err)
	changes, err := p.changes(to)
	if err != nil {
		return err
	}
	splice := splice.NewLayout(p.footer, changes)
	written := make([][]column.Written, len(p.footer.Groups))
	var file *os.File // only a file of this machine as it is, nothing around it
	if l, ok := p.in.(*Local); ok {
		file = l.File
	}

	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(p.threads())
	for group := range p.footer.Groups {
		work.Go(func() (err error) {
			written[group], err = p.rewriteGroup(ctx, splice, group, out, in, f)
			return err
		})
		for _, run := range splice.Runs(group) {
			work.Go(func() error { return run.Copy(ctx, out, p.in, file) })
		}
	}
	if err := work.Wait(); err != nil {
		return err
	}

	footer, err := splice.Footer(written)
	if err != nil {
		return parquetError(err)
	}
	if err := out.Truncate(splice.End() + int64(len(footer))); err != nil {
		return err
	}
	if _, err := out.WriteAt([]byte(format.Magic), 0); err != nil {
		return err
	}
	_, err = out.WriteAt(footer, splice.End())
	return err
}

// rewriteGroup draws one row group and writes its private chunks.
func (p *parquetFile) rewriteGroup(ctx context.Context, s *splice.Layout, group int, out publish.Output, in []*Alphabet, f func(Batch) error) (_ []column.Written, err error) {
	defer func() {
		if recover() != nil { // what it says may quote data
			err = fmt.Errorf("row group %d: internal failure while it was rewritten", group)
		}
	}()
	g, err := p.openLetters(group, in)
	if err != nil {
		return nil, err
	}
	defer g.Close()
	chunk := make([]*column.Writer, len(p.private))
	letters, rows := make([][]int32, len(chunk)), make([][]int32, len(chunk))
	for i := range chunk {
		if chunk[i], err = s.Chunk(out, group, i); err != nil {
			return nil, err
		}
		defer chunk[i].Discard()
		letters[i] = make([]int32, batchRows)
	}
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		row := g.row
		n, err := g.Next(letters)
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		for i := range rows {
			rows[i] = letters[i][:n]
		}
		beside, err := g.Beside(n)
		if err != nil {
			return nil, err
		}
		if err := f(Batch{Unit: Unit{Group: group}, Row: row, Letters: rows, Beside: beside}); err != nil {
			return nil, err
		}
		for i := range chunk {
			if len(rows[i]) != n {
				panic("colfile: a batch was left with another number of rows")
			}
			if err := chunk[i].Write(rows[i]); err != nil {
				return nil, p.writeError(err, i, row)
			}
		}
	}
	written := make([]column.Written, len(chunk))
	for i := range chunk {
		if err := chunk[i].Close(); err != nil {
			return nil, err
		}
		written[i] = chunk[i].Written
	}
	return written, nil
}

func (p *parquetFile) writeError(err error, private int, row int64) error {
	if errors.Is(err, column.ErrLetter) {
		return fmt.Errorf("column %q, rows from %d on: %w", p.private[private].name, row+1, err)
	}
	return err
}

// changes turn the request and the output alphabets into what is to be done.
func (p *parquetFile) changes(to []*Alphabet) (c splice.Changes, err error) {
	if len(to) != len(p.private) {
		panic("colfile: not one output alphabet per private column")
	}
	c.Keys, c.Extra = p.request.Metadata, map[string]string{"tacet": writtenBy}
	for _, name := range p.request.Drop {
		at, err := p.column(name)
		if err != nil {
			return c, err
		}
		if !slices.Contains(c.Drop, at) {
			c.Drop = append(c.Drop, at)
		}
	}
	for i := range p.private {
		fresh, err := p.private[i].fresh(p.footer, to[i])
		if err != nil {
			return c, err
		}
		c.Fresh = append(c.Fresh, fresh)
	}
	return c, nil
}

// fresh is how the column is written with the letters of to.
func (c *privateColumn) fresh(footer *parquetraw.Footer, to *Alphabet) (f splice.Fresh, err error) {
	f = splice.Fresh{Leaf: c.leaf, Text: to.Type() != c.typ}
	physical := footer.Leaves[c.leaf].Physical
	switch {
	case f.Text && to.Type().Kind != Text:
		return f, inputErrorf("write the column as string", "column %q is of type %s and cannot be written as %s", c.name, c.typ, to.Type())
	case to.Null() >= 0 && !c.null:
		return f, inputErrorf("make the column nullable first", "column %q cannot hold nulls, and null is one of its outputs", c.name)
	case to.Len() > maxLetters:
		return f, inputErrorf("", "column %q has %d output letters, more than %d are not supported", c.name, to.Len(), maxLetters)
	}
	if f.Text {
		physical = format.ByteArray
	}
	f.Coding = column.NewCoding(physical, c.null)
	for _, letter := range to.Sorted() {
		if v := to.Values()[letter]; physical == format.ByteArray {
			f.Coding.AddBytes(letter, v.Bytes)
		} else {
			f.Coding.AddInt(letter, v.Int)
		}
	}
	if to.Null() >= 0 {
		f.Coding.AddNull(to.Null())
	}
	return f, nil
}
