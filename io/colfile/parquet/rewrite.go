package parquet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/tacet-privacy/tacet/io/colfile/input"
	"github.com/tacet-privacy/tacet/io/colfile/letter"
	"github.com/tacet-privacy/tacet/io/parquetraw"
	"github.com/tacet-privacy/tacet/io/parquetraw/column"
	"github.com/tacet-privacy/tacet/io/parquetraw/format"
	"github.com/tacet-privacy/tacet/io/parquetraw/splice"
	"github.com/tacet-privacy/tacet/io/publish"
	"golang.org/x/sync/errgroup"
)

// writtenBy is the value of our key in the file metadata, the version of what
// is written; it does not change from build to build.
const writtenBy = "1"

// Rewrite copies the chunks of all other columns and writes those of the
// private ones anew. Where everything goes is known beforehand, so row groups
// are drawn and copied side by side, each piece at its place.
func (p *File) Rewrite(ctx context.Context, out publish.Output, in, to []*letter.Alphabet, f func(letter.Batch) error) (err error) {
	defer recovered(&err)
	changes, err := p.changes(to)
	if err != nil {
		return err
	}
	splice := splice.NewLayout(p.footer, changes)
	written := make([][]column.Written, len(p.footer.Groups))
	var file *os.File // only a file of this machine as it is, nothing around it
	if l, ok := p.in.(*input.Local); ok {
		file = l.File
	}

	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(p.threads())
	work.Go(func() error { // one after the other: two copies into a file wait for each other, busily
		for group := range p.footer.Groups {
			for _, run := range splice.Runs(group) {
				if err := run.Copy(ctx, out, p.in, file); err != nil {
					return err
				}
			}
		}
		return nil
	})
	for group := range p.footer.Groups {
		work.Go(func() (err error) {
			written[group], err = p.rewriteGroup(ctx, splice, group, out, in, f)
			return err
		})
	}
	if err := work.Wait(); err != nil {
		return err
	}

	footer, err := splice.Footer(written)
	if err != nil {
		return inputError(err)
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
func (p *File) rewriteGroup(ctx context.Context, s *splice.Layout, group int, out publish.Output, in []*letter.Alphabet, f func(letter.Batch) error) (_ []column.Written, err error) {
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
		letters[i] = make([]int32, letter.BatchRows)
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
		if err := f(letter.Batch{Unit: letter.Unit{Group: group}, Row: row, Letters: rows, Beside: beside}); err != nil {
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

func (p *File) writeError(err error, private int, row int64) error {
	if errors.Is(err, column.ErrLetter) {
		return fmt.Errorf("column %q, rows from %d on: %w", p.private[private].Name, row+1, err)
	}
	return err
}

// changes turn the request and the output alphabets into what is to be done.
func (p *File) changes(to []*letter.Alphabet) (c splice.Changes, err error) {
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
		f, err := fresh(&p.private[i], p.footer, to[i])
		if err != nil {
			return c, err
		}
		c.Fresh = append(c.Fresh, f)
	}
	return c, nil
}

// fresh is how column c is written with the letters of to.
func fresh(c *letter.Column, footer *parquetraw.Footer, to *letter.Alphabet) (f splice.Fresh, err error) {
	f = splice.Fresh{Leaf: c.Leaf, Text: to.Type() != c.Type}
	physical := footer.Leaves[c.Leaf].Physical
	switch {
	case f.Text && to.Type().Kind != letter.Text:
		return f, input.Errorf("write the column as string", "column %q is of type %s and cannot be written as %s", c.Name, c.Type, to.Type())
	case to.Null() >= 0 && !c.Null:
		return f, input.Errorf("make the column nullable first", "column %q cannot hold nulls, and null is one of its outputs", c.Name)
	case to.Len() > letter.Max:
		return f, input.Errorf("", "column %q has %d output letters, more than %d are not supported", c.Name, to.Len(), letter.Max)
	}
	if f.Text {
		physical = format.ByteArray
	}
	f.Coding = column.NewCoding(physical, c.Null)
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
