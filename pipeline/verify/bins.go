package verify

import (
	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/pipeline/verify/kernel/files"
)

// A binning has the product's own code say which bin a cell is in.
type binning struct{ *table.Bins }

// A binner finds the bins of cells, one by one: it is their column.
type binner struct {
	*table.Binner
	column *table.Values
	number int64
	bytes  []byte
}

// binsOf are the bins of a rule.
func binsOf(b *table.Bins) *files.Bins { return files.NewBins(b.Of, binning{b}) }

// Begin has what finds the bins of cells of a type.
func (b binning) Begin(t files.Type) files.Finder {
	cell := table.CellType{Form: map[files.Kind]table.Form{files.Text: table.TextCells, files.Integer: table.IntegerCells,
		files.Date: table.DateCells, files.Timestamp: table.TimestampCells, files.Float: table.FloatCells,
		files.Decimal: table.DecimalCells}[t.Kind], Ticks: t.Ticks, Scale: t.Scale}
	if t.Unsigned {
		cell.Form = table.UnsignedCells
	}
	f := &binner{Binner: table.NewBinner(b.Bins)}
	f.column = &table.Values{Type: cell, Code: []int32{0}, Source: f}
	return f
}

// Find is the bin of a cell.
func (b *binner) Find(number int64, bytes []byte) int32 {
	column := *b.column
	if b.number, b.bytes = number, bytes; bytes != nil && column.Type.Form == table.DecimalCells {
		column.Type.Form = table.WideDecimalCells
	}
	return b.Binner.Find(&column, 0)
}

// Int and Bytes are the one cell.
func (b *binner) Int(int) int64    { return b.number }
func (b *binner) Bytes(int) []byte { return b.bytes }
