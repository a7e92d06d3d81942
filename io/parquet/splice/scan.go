package splice

import (
	"context"
	"io"

	"github.com/tacet-privacy/tacet/io/parquet/page"
	"github.com/tacet-privacy/tacet/io/table"
	"golang.org/x/sync/errgroup"
)

// Scan counts the values of the private columns, chunks in parallel.
func (p *File) Scan(ctx context.Context) ([]*table.Alphabet, [][]int64, error) {
	total := make([]table.Tally, len(p.private))
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(p.request.Workers())
	for group := range p.footer.Groups {
		for i := range p.private {
			work.Go(func() error {
				if err := ctx.Err(); err != nil {
					return err
				}
				if p.private[i].Bins != nil {
					return p.scanBins(ctx, group, i, &total[i])
				}
				return p.scanChunk(ctx, group, &p.private[i], &total[i])
			})
		}
	}
	if err := work.Wait(); err != nil {
		return nil, nil, err
	}
	alphabet, count := make([]*table.Alphabet, len(total)), make([][]int64, len(total))
	for i := range total {
		if err := total[i].Refuse(&p.private[i]); err != nil {
			return nil, nil, err
		}
		alphabet[i], count[i] = total[i].Alphabet(p.private[i].Type)
	}
	return alphabet, count, nil
}

func (p *File) scanChunk(ctx context.Context, group int, c *table.PrivateColumn, total *table.Tally) (err error) {
	defer recovered(&err)
	r, err := page.OpenChunk(p.footer, p.in, group, c.Leaf)
	if err != nil {
		return inputError(err)
	}
	defer r.Close()
	var count []int64 // of nulls, then by code
	for {
		if count, err = r.Count(count); err == io.EOF {
			return addChunk(total, r, count, c)
		}
		if err != nil {
			return inputError(err)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// scanBins counts the bins of a chunk.
func (p *File) scanBins(ctx context.Context, group, at int, total *table.Tally) error {
	c, err := p.openBeside(group, &p.binned[at])
	if err != nil {
		return err
	}
	defer c.chunk.Close()
	count := table.NewBinCount(p.private[at].Bins)
	for left := p.footer.Groups[group].Rows; left > 0; left -= table.BatchRows {
		if err := ctx.Err(); err != nil {
			return err
		}
		v, err := c.next(int(min(left, table.BatchRows)))
		if err != nil {
			return err
		}
		count.Add(&v)
	}
	total.Lock()
	defer total.Unlock()
	return count.Into(total, &p.private[at])
}

// addChunk takes over the values of a chunk that occur.
func addChunk(t *table.Tally, r *page.Reader, count []int64, c *table.PrivateColumn) error {
	if len(count) == 0 {
		return nil
	}
	t.Lock()
	defer t.Unlock()
	t.Null += count[0]
	for code, n := range count[1:] {
		if n == 0 {
			continue
		}
		if err := addCode(t, r, code, n, c); err != nil {
			return err
		}
	}
	return t.Check(c)
}

func addCode(t *table.Tally, r *page.Reader, code int, n int64, c *table.PrivateColumn) error {
	if c.Type.Kind <= table.Binary {
		return t.PutBytes(r.Bytes(code), n, c)
	}
	v, ok := integer(c.Type, r.Int(code))
	if !ok {
		return table.Errorf("write the file again", "column %q holds a number outside the type %s", c.Name, c.Type)
	}
	return t.PutInt(v, n, c)
}

// integer is a stored number as a table.Value has it; ok is false where it is
// outside the type.
func integer(t table.Type, stored int64) (v int64, ok bool) {
	switch {
	case t.Kind != table.Integer || t.Bits == 64:
		return stored, true
	case t.Unsigned:
		v = int64(uint32(stored))
		return v, v>>t.Bits == 0
	}
	return stored, stored>>(t.Bits-1) == stored>>63
}
