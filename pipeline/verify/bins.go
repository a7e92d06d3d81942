package verify

import (
	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/pipeline/verify/kernel/files"
)

// A binner finds the bins of cells, one by one: it is their column.
type binner struct {
	*table.Binner
	labels []string // of the bins that were met
	number int64
	bytes  []byte
}

// binsOf has the product's own code say which bin a cell is in.
func binsOf(b *table.Bins) *files.Bins {
	return &files.Bins{Of: b.Of, Place: b.Place, Begin: func(t files.Type) func(int64, []byte) (string, bool) {
		cell := table.CellType{Form: map[files.Kind]table.Form{files.Text: table.TextCells, files.Integer: table.IntegerCells,
			files.Date: table.DateCells, files.Timestamp: table.TimestampCells, files.Float: table.FloatCells,
			files.Decimal: table.DecimalCells}[t.Kind], Ticks: t.Ticks, Scale: t.Scale}
		if t.Unsigned {
			cell.Form = table.UnsignedCells
		}
		f := &binner{Binner: table.NewBinner(b)}
		column := table.Values{Type: cell, Code: []int32{0}, Source: f}
		return func(number int64, bytes []byte) (label string, ok bool) {
			column.Type.Form = cell.Form
			if f.number, f.bytes = number, bytes; bytes != nil && cell.Form == table.DecimalCells {
				column.Type.Form = table.WideDecimalCells
			}
			at := f.Find(&column, 0)
			if at < 0 {
				return "", false
			}
			for len(f.labels) <= int(at) {
				f.labels = append(f.labels, f.Label(len(f.labels)))
			}
			return f.labels[at], true
		}
	}}
}

// Int and Bytes are the one cell.
func (b *binner) Int(int) int64    { return b.number }
func (b *binner) Bytes(int) []byte { return b.bytes }
