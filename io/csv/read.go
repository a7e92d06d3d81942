package csv

import (
	"context"
	"slices"
	"unicode/utf8"

	"github.com/tacet-privacy/tacet/io/table"
)

// Scan counts the values of the private columns, and reads all cells.
func (f *File) Scan(ctx context.Context) ([]*table.Alphabet, [][]int64, error) {
	threads := f.request.Workers()
	tally := make([][]table.Tally, threads)
	for w := range tally {
		tally[w] = make([]table.Tally, len(f.private))
	}
	err := table.EachUnit(ctx, len(f.blocks), threads, func(worker, unit int) error {
		return f.count(ctx, unit, tally[worker])
	})
	if err != nil {
		return nil, nil, err
	}
	alphabet, count := make([]*table.Alphabet, len(f.private)), make([][]int64, len(f.private))
	for i, c := range f.private {
		total := &table.Tally{}
		for w := range tally {
			own := &tally[w][i]
			total.Null += own.Null
			total.AddOutside(own)
			for k, v := range own.Value {
				if err := total.Put(v, own.Count[k], &c.PrivateColumn); err != nil {
					return nil, nil, err
				}
			}
		}
		if c.Bins != nil {
			if err := total.Refuse(&c.PrivateColumn); err != nil {
				return nil, nil, err
			}
		}
		if err := total.Check(&c.PrivateColumn); err != nil {
			return nil, nil, err
		}
		alphabet[i], count[i] = total.Alphabet(c.Type)
	}
	return alphabet, count, nil
}

// count adds the values of a block.
func (f *File) count(ctx context.Context, unit int, to []table.Tally) error {
	r := f.open(unit)
	bins := make([]*table.BinCount, len(f.private))
	for i, c := range f.private {
		if c.Bins != nil {
			bins[i] = table.NewBinCount(c.Bins)
		}
	}
	cells := make([]besideCells, len(f.private))
	for {
		n, err := f.next(r, unit)
		if err != nil {
			return err
		}
		if n == 0 {
			for i, c := range f.private {
				if bins[i] != nil {
					if err := bins[i].Into(&to[i], &c.PrivateColumn); err != nil {
						return err
					}
				}
			}
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := r.checkText(); err != nil {
			return err
		}
		for i, c := range f.private {
			if bins[i] != nil {
				v := cells[i].of(r, c.slot, n)
				if at := bins[i].Add(&v); at >= 0 {
					return noBin(c, r.row-int64(n-at))
				}
				continue
			}
			for row := range n {
				text, ok := r.value(r.column(row, c.slot))
				if !ok {
					to[i].Null++
				} else if err := to[i].PutBytes(text, 1, &c.PrivateColumn); err != nil {
					return err
				}
			}
		}
	}
}

// noBin says that a cell is not what its column's bins are of.
func noBin(c *privateColumn, row int64) error {
	if c.Bins.Of == "timestamp" {
		return table.Errorf("write dates as 2020-01-31 or 2020-01-31T06:00:00, and leave unknown ones empty",
			"column %q, row %d: the cell is no date", c.Name, row+1)
	}
	return table.Errorf("write plain numbers such as 12.5, and leave unknown ones empty", "column %q, row %d: the cell "+
		"is no plain number", c.Name, row+1)
}

// checkText fails for the first row in the window that is not UTF-8.
func (r *rows) checkText() error {
	n := len(r.bound)
	if utf8.Valid(r.text[r.bound[0].from:r.bound[n-1].to]) {
		return nil
	}
	for i, b := range r.bound {
		if !utf8.Valid(r.text[b.from:b.to]) {
			return table.Errorf("save the file as UTF-8", "row %d: the text is not UTF-8", r.row-int64(n-i)+1)
		}
	}
	panic("csv: rows are UTF-8 one by one and not together")
}

// text8 fails for a name that is not UTF-8.
func (r *rows) text8(name []byte, column int) error {
	if utf8.Valid(name) {
		return nil
	}
	return table.Errorf("save the file as UTF-8", "the first row of the CSV file, cell %d: the text is not UTF-8",
		column+1)
}

// Read hands out the letters of one block in batches.
func (f *File) Read(ctx context.Context, group int, in []*table.Alphabet, each func(table.Batch) error) error {
	return f.read(ctx, f.open(group), group, in, each)
}

// read hands out what r reads; the window holds the rows of a batch meanwhile.
func (f *File) read(ctx context.Context, r *rows, unit int, in []*table.Alphabet, each func(table.Batch) error) error {
	if len(in) != len(f.private) {
		panic("csv: not one alphabet per private column")
	}
	for i, c := range f.private {
		if in[i].Type() != c.Type {
			return table.Errorf("", "column %q is of type %s, its alphabet of type %s", c.Name, c.Type, in[i].Type())
		}
	}
	lexicon := f.lexica.Of(in)
	letters := make([][]int32, len(in))
	for i := range letters {
		letters[i] = make([]int32, table.BatchRows)
	}
	b := table.Batch{Unit: table.Unit{Group: unit}, Letters: make([][]int32, len(in)),
		Beside: make([]table.Values, len(f.beside))}
	beside := make([]besideCells, len(f.beside))
	bins, cells := make([]*table.BinLetters, len(in)), make([]besideCells, len(in))
	for i, c := range f.private {
		if c.Bins != nil {
			bins[i] = table.NewBinLetters(&c.PrivateColumn, lexicon[i])
		}
	}
	for {
		n, err := f.next(r, unit)
		if n == 0 || err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		b.Row = r.row - int64(n)
		for i, c := range f.private {
			b.Letters[i] = letters[i][:n]
			if bins[i] != nil {
				v := cells[i].of(r, c.slot, n)
				if !bins[i].Put(b.Letters[i], &v) {
					return table.UnseenError(c.Name, b.Row+int64(slices.Index(b.Letters[i], table.Unseen)))
				}
				continue
			}
			if !r.letters(b.Letters[i], c.slot, lexicon[i]) {
				return table.UnseenError(c.Name, b.Row+int64(slices.Index(b.Letters[i], table.Unseen)))
			}
		}
		for i, slot := range f.beside {
			b.Beside[i] = beside[i].of(r, slot, n)
		}
		if err := each(b); err != nil {
			return err
		}
	}
}

// letters are those of a column in the window; it reports whether all cells have one.
func (r *rows) letters(to []int32, slot int, l *table.ColumnLexicon) bool {
	seen := true
	for row := range to {
		text, ok := r.value(r.column(row, slot))
		if !ok {
			to[row] = l.Null
			continue
		}
		if to[row], ok = l.Text[string(text)]; !ok {
			to[row], seen = table.Unseen, false
		}
	}
	return seen
}

// besideCells are the cells of a column in the window, by row.
type besideCells struct {
	rows *rows
	slot int
	code []int32
}

// of are the cells of the n rows in the window.
func (b *besideCells) of(r *rows, slot, n int) table.Values {
	b.rows, b.slot, b.code = r, slot, b.code[:0]
	for row := range n {
		code := int32(row)
		if c := r.column(row, slot); c.from == c.to {
			code = -1
		}
		b.code = append(b.code, code)
	}
	return table.Values{Type: table.CellType{Form: table.TextCells}, Code: b.code, Source: b}
}

// Bytes is the text of a cell.
func (b *besideCells) Bytes(code int) []byte {
	text, _ := b.rows.value(b.rows.column(code, b.slot))
	return text
}

// Int panics: all cells are text.
func (b *besideCells) Int(int) int64 { panic("csv: a cell of text has no number") }
