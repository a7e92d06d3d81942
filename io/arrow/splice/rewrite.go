package splice

import (
	"context"
	"errors"
	"fmt"

	"github.com/tacet-privacy/tacet/io/arrow/batch"
	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/io/table"
)

// Rewrite writes the file message by message, in their old places where all
// have room there. Record batches are worked on in parallel; each waits until
// the one before has its place in the file, and is then written beside the
// others.
func (a *File) Rewrite(ctx context.Context, out publish.Output, in, to []*table.Alphabet,
	f func(table.Batch) error) error {
	output, err := a.outputs(to)
	if err != nil {
		return err
	}
	w, err := a.writer(out, output)
	if err != nil {
		return inputError(err)
	}
	if err := a.writeDictionaries(ctx, w, output); err != nil {
		return err
	}
	turn := make([]chan bool, len(a.rows)+1)
	for i := range turn {
		turn[i] = make(chan bool, 1)
	}
	turn[0] <- true
	err = table.EachUnit(ctx, len(a.rows), a.request.Workers(), func(_, unit int) error {
		b, err := a.unitBatch(ctx, unit, in, output, f)
		if placed := <-turn[unit]; !placed || err != nil {
			turn[unit+1] <- false
			return err
		}
		p := w.Batch(b)
		turn[unit+1] <- true
		return p.Write(ctx)
	})
	if err != nil {
		return err
	}
	size, err := w.Finish(a.metadata(a.raw.Metadata))
	if err != nil {
		return err
	}
	return out.Truncate(size)
}

// writeDictionaries writes the dictionaries of the private columns anew and
// copies those that kept columns use.
func (a *File) writeDictionaries(ctx context.Context, w *Writer, output []*outputColumn) error {
	if err := ownDictionaries(ctx, w, output); err != nil {
		return err
	}
	ids := a.keptDictionaries()
	for i, d := range a.raw.Dicts {
		if !ids[d.ID] {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		b, err := a.raw.Dictionary(d)
		if err != nil {
			return inputError(fmt.Errorf("dictionary message %d: %w", i, err))
		}
		if err := w.Dictionary(d.ID, d.Delta, Keep(b)).Write(ctx); err != nil {
			return err
		}
	}
	return nil
}

// ownDictionaries writes those of the private columns.
func ownDictionaries(ctx context.Context, w *Writer, output []*outputColumn) error {
	for _, o := range output {
		if o.dict == nil {
			continue
		}
		if err := w.Dictionary(o.field.Dict.ID, false, o.dictionary(w.in.Version)).Write(ctx); err != nil {
			return err
		}
	}
	return nil
}

// unitBatch is what becomes of record batch unit.
func (a *File) unitBatch(ctx context.Context, unit int, in []*table.Alphabet, output []*outputColumn,
	f func(table.Batch) error) (*Batch, error) {
	b, err := a.raw.Batch(unit)
	if err != nil {
		return nil, inputError(fmt.Errorf("record batch %d: %w", unit, err))
	}
	if b.Rows != a.rows[unit] {
		return nil, table.Errorf("write no file while it is read", "record batch %d: the file has changed", unit)
	}
	return a.newBatch(ctx, b, unit, in, output, f)
}

// newBatch hands out the letters of record batch unit, and lays out what becomes of it.
func (a *File) newBatch(ctx context.Context, b *batch.RecordBatch, unit int, in []*table.Alphabet,
	output []*outputColumn, f func(table.Batch) error) (*Batch, error) {
	column := make([]*columnWriter, len(output))
	for i, o := range output {
		column[i] = o.cells.newColumn(b.Rows, o.letters)
	}
	err := a.read(ctx, b, unit, in, func(batch table.Batch) error {
		if err := f(batch); err != nil {
			return err
		}
		for i, o := range output {
			valid := table.Within(batch.Letters[i], int32(o.letters)-1)
			if !valid {
				if err := o.check(batch.Letters[i]); err != nil {
					return err
				}
			}
			if !column[i].append(batch.Letters[i], valid) {
				return table.Errorf("cast it to large_utf8 or write smaller record batches",
					"column %q, record batch %d: the outputs take more than 2 GiB", o.field.Name, unit)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	whole := Keep(b)
	columns := whole.Columns[:0]
	for top, c := range whole.Columns {
		switch at := a.role[top]; at {
		case dropped:
		case kept:
			columns = append(columns, c)
		default:
			n := column[at].column()
			for i := range min(len(n.Buffers), len(c.Buffers)) {
				n.Buffers[i].Over = c.Buffers[i].Copy
			}
			columns = append(columns, n)
		}
	}
	whole.Columns = columns
	return whole, nil
}

// check fails for letters that cannot be written.
func (o *outputColumn) check(letter []int32) error {
	last := int32(o.letters) - 1
	if o.null {
		last++
	}
	for _, l := range letter {
		if l < -1 || l > last {
			return errors.New("a letter outside the output alphabet")
		}
		if l < 0 && !o.field.Nullable {
			return fmt.Errorf("a null in column %q, which had none", o.field.Name)
		}
	}
	return nil
}
