package splice

import (
	"context"

	"github.com/tacet-privacy/tacet/io/table"
)

// Scan counts the values of the private columns, row groups in parallel.
func (p *File) Scan(ctx context.Context) ([]*table.Alphabet, [][]int64, error) {
	return table.Scan(ctx, len(p.footer.Groups), p.request.Workers(), p.private,
		func(group int) (table.Cells, error) { return p.open(group, nil) })
}

// Read hands out the letters of one row group in batches.
func (p *File) Read(ctx context.Context, group int, in []*table.Alphabet, f func(table.Batch) error) error {
	g, err := p.open(group, p.beside)
	if err != nil {
		return err
	}
	defer g.Close()
	return table.Hand(ctx, group, g, p.private, in, f)
}

// groupCells reads columns of a row group side by side, whatever their pages are.
type groupCells struct {
	row    int64 // the next one in the file
	left   int64
	chunks []columnCells
	cells  []table.Values
}

// open begins a row group: its private columns, and those beside. Several may be read at
// once.
func (p *File) open(group int, beside []cellColumn) (_ *groupCells, err error) {
	defer table.Guard(decoding, &err)
	g := &groupCells{row: p.footer.Groups[group].Row, left: p.footer.Groups[group].Rows}
	for _, columns := range [][]cellColumn{p.cells, beside} {
		for i := range columns {
			c, err := p.openCells(group, &columns[i])
			if err != nil {
				g.Close()
				return nil, err
			}
			g.chunks = append(g.chunks, c)
		}
	}
	g.cells = make([]table.Values, len(g.chunks))
	return g, nil
}

// Next are the next rows.
func (g *groupCells) Next() (rows table.Rows, err error) {
	defer table.Guard(decoding, &err)
	rows = table.Rows{First: g.row, N: int(min(g.left, table.BatchRows)), Cells: g.cells}
	if rows.N == 0 {
		return rows, nil
	}
	for i, c := range g.chunks {
		if g.cells[i], err = c.next(rows.N); err != nil {
			return rows, err
		}
	}
	g.row, g.left = g.row+int64(rows.N), g.left-int64(rows.N)
	return rows, nil
}

// Close gives buffers back.
func (g *groupCells) Close() {
	for _, c := range g.chunks {
		c.close()
	}
}
