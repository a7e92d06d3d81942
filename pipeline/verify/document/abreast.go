package document

import (
	"context"
	"io"

	"github.com/tacet-privacy/tacet/pipeline/verify/files"
)

// abreastRows is how many rows are read at once.
const abreastRows = 4096

// A Side is a column that is read by its letters.
type Side struct {
	Of *Opened
	By *files.Letters
}

// Abreast reads columns of a unit side by side, and visits their letters in blocks of rows.
func Abreast(ctx context.Context, unit int, sides []Side, visit func(block [][]int32) error) error {
	readers, block := make([]files.Reader, len(sides)), make([][]int32, len(sides))
	for i, s := range sides {
		var err error
		if readers[i], err = s.Of.Open(unit, s.By); err != nil {
			return s.Of.Fault(err)
		}
		block[i] = make([]int32, abreastRows)
	}
	for ctx.Err() == nil {
		rows := 0
		for i, r := range readers {
			n, err := fill(r, block[i][:abreastRows])
			if err != nil {
				return sides[i].Of.Fault(err)
			}
			if i > 0 && n != rows {
				return Errorf("write the file again", "%s: unit %d holds other rows than its head says", sides[i].Of.Path, unit+1)
			}
			block[i], rows = block[i][:n], n
		}
		if rows == 0 {
			return nil
		}
		if err := visit(block); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// Letters reads a whole column; starts are where its units begin.
func (o *Opened) Letters(ctx context.Context, by *files.Letters) (all []int32, starts []int, err error) {
	for u := range o.Units() {
		starts = append(starts, len(all))
		err := Abreast(ctx, u, []Side{{o, by}}, func(block [][]int32) error {
			all = append(all, block[0]...)
			return nil
		})
		if err != nil {
			return nil, nil, err
		}
	}
	return all, starts, nil
}

// fill reads as many letters as dst has room for, fewer only at the end.
func fill(r files.Reader, dst []int32) (n int, err error) {
	for n < len(dst) {
		k, err := r.Next(dst[n:])
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		n += k
	}
	return n, nil
}
