package splice

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/parquet-go/parquet-go/format"
	"golang.org/x/sync/errgroup"

	"github.com/tacet-privacy/tacet/io/parquet/meta"
	"github.com/tacet-privacy/tacet/io/parquet/page"
	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/io/table"
)

// Rewrite copies the chunks of all other columns and writes those of the
// private ones anew. Where everything goes is known beforehand, so row groups
// are drawn and copied side by side, each piece at its place.
func (p *File) Rewrite(ctx context.Context, out publish.Output, in, to []*table.Alphabet,
	f func(table.Batch) error) (err error) {
	defer table.Guard(decoding, &err)
	changes, err := p.changes(to)
	if err != nil {
		return err
	}
	splice := NewLayout(p.footer, changes)
	written := make([][]page.Written, len(p.footer.Groups))
	var file *os.File // only a file of this machine as it is, nothing around it
	if l, ok := p.in.(*table.Local); ok {
		file = l.File
	}

	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(p.request.Workers())
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

	footer := splice.Footer(written)
	if err := out.Truncate(splice.End() + int64(len(footer))); err != nil {
		return err
	}
	if _, err := out.WriteAt([]byte(meta.Magic), 0); err != nil {
		return err
	}
	_, err = out.WriteAt(footer, splice.End())
	return err
}

// rewriteGroup draws one row group and writes its private chunks.
func (p *File) rewriteGroup(ctx context.Context, s *Layout, group int, out publish.Output, in []*table.Alphabet,
	f func(table.Batch) error) (_ []page.Written, err error) {
	defer func() {
		if recover() != nil { // what it says may quote data
			err = fmt.Errorf("row group %d: internal failure while it was rewritten", group)
		}
	}()
	chunk := make([]*page.Writer, len(p.private))
	for i := range chunk {
		if chunk[i], err = s.Chunk(out, group, i); err != nil {
			return nil, err
		}
		defer chunk[i].Discard()
	}
	err = p.Read(ctx, group, in, func(b table.Batch) error {
		if err := f(b); err != nil {
			return err
		}
		for i := range chunk {
			if err := chunk[i].Write(b.Letters[i]); err != nil {
				return p.writeError(err, i, b.Row)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	written := make([]page.Written, len(chunk))
	for i := range chunk {
		if err := chunk[i].Close(); err != nil {
			return nil, err
		}
		if written[i] = chunk[i].Written; written[i].Rows != p.footer.Groups[group].Rows {
			panic("splice: a batch was left with another number of rows")
		}
	}
	return written, nil
}

func (p *File) writeError(err error, private int, row int64) error {
	if errors.Is(err, page.ErrLetter) {
		return fmt.Errorf("column %q, rows from %d on: %w", p.private[private].Name, row+1, err)
	}
	return err
}

// changes turn the request and the output alphabets into what is to be done.
func (p *File) changes(to []*table.Alphabet) (c Changes, err error) {
	if len(to) != len(p.private) {
		panic("splice: not one output alphabet per private column")
	}
	c.Keys, c.Role = p.request.Metadata, p.Role
	for i := range p.private {
		f, err := fresh(p.private[i], p.footer, to[i])
		if err != nil {
			return c, err
		}
		c.Fresh = append(c.Fresh, f)
	}
	return c, nil
}

// fresh is how column c is written with the letters of to.
func fresh(c *table.PrivateColumn, footer *meta.Footer, to *table.Alphabet) (f Fresh, err error) {
	t := to.Type()
	f = Fresh{Leaf: c.Leaf, Text: !c.Writes(t)}
	physical := footer.Leaves[c.Leaf].Physical
	switch {
	case f.Text && t.Kind != table.Text:
		return f, table.Errorf("write the column as string", "column %q is of type %s and cannot be written as %s",
			c.Name, c.Type, t)
	case to.Null() >= 0 && !c.Null:
		return f, table.Errorf("make the column nullable first",
			"column %q cannot hold nulls, and null is one of its outputs", c.Name)
	case to.Len() > table.MaxLetters:
		return f, table.Errorf("", "column %q has %d output values; more than %d are not supported", c.Name, to.Len(),
			table.MaxLetters)
	}
	if f.Text {
		physical = format.ByteArray
	}
	f.Coding = page.NewCoding(physical, c.Null)
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
