package files

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	run "github.com/tacet-privacy/tacet/io/table"
)

// aCell is a column of one cell.
type aCell int64

func (c aCell) Int(int) int64    { return int64(c) }
func (c aCell) Bytes(int) []byte { return nil }

// bins are those of the run.
type bins struct{ *run.Bins }

func (bins) Begin(Type) Finder { return nil }

// TestPublishedBins: a label of a bin that is published as a value is read as what the run
// writes for it, and as no other cell.
func TestPublishedBins(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	bits := func(f float64) int64 { return int64(math.Float64bits(f)) }
	day := func() int64 { return 10957 + r.Int64N(2000) - 1000 }
	for _, c := range []struct {
		spec, as string
		cell     run.CellType
		typ      Type
		draw     func() int64
	}{
		{"width:7:2", "middle", run.CellType{Form: run.IntegerCells}, Type{Kind: Integer, Bits: 64},
			func() int64 { return r.Int64N(100) - 50 }},
		{"width:10", "lower", run.CellType{Form: run.DateCells}, Type{Kind: Date}, day},
		{"-0.5,-0.3,0,0.1,0.3,1000", "lower", run.CellType{Form: run.FloatCells, Bits: 64}, Type{Kind: Float, Bits: 64},
			func() int64 { return bits(r.Float64() - .4) }},
		{"width:0.01:-0.003", "middle", run.CellType{Form: run.FloatCells, Bits: 32}, Type{Kind: Float, Bits: 32},
			func() int64 { return bits(float64(float32(r.NormFloat64()))) }},
		{"width:0.000001", "middle", run.CellType{Form: run.FloatCells, Bits: 16}, Type{Kind: Float, Bits: 16},
			func() int64 { return bits(run.Half(uint16(r.IntN(0x800) | r.IntN(2)<<15))) }},
		{"0,0.99,1.51,7", "lower", run.CellType{Form: run.DecimalCells, Scale: 2, Digits: 9}, Type{Kind: Decimal, Scale: 2},
			func() int64 { return r.Int64N(900) - 50 }},
		{"width:100:50", "middle", run.CellType{Form: run.DecimalCells, Scale: -1, Digits: 9}, Type{Kind: Decimal, Scale: -1},
			func() int64 { return r.Int64N(900) - 500 }},
		{"width:15min:1999-12-31T00:00:00.000001", "lower", run.CellType{Form: run.TimestampCells, Ticks: 1e6},
			Type{Kind: Timestamp, Ticks: 1e6}, func() int64 { return day()*86400e6 + r.Int64N(86400e6) }},
		{"month", "middle", run.CellType{Form: run.TimestampCells, Ticks: 1}, Type{Kind: Timestamp, Ticks: 1},
			func() int64 { return day()*86400 + r.Int64N(86400) }},
	} {
		b, err := run.BinsOf(c.spec, c.cell.ExactName(), c.as)
		if err != nil {
			t.Fatalf("%s: %v", c.spec, err)
		}
		by, place := run.NewBinner(b), make([]int32, 1)
		for range 700 {
			by.Next(place, &run.Values{Type: c.cell, Code: []int32{0}, Source: aCell(c.draw())})
		}
		var labels []Label
		for _, id := range by.ID {
			labels = append(labels, Label{Text: b.Label(id)})
		}
		own := NewBins(b.Of, false, bins{b})
		c.typ.Bins = own.values
		l, err := NewLetters(c.typ, labels)
		if err != nil || len(labels) < 2 || b.Exact() && !own.Holds(c.typ) {
			t.Fatalf("%s: %d labels: %v", b, len(labels), err)
		}
		for i, label := range labels {
			cell, ok := b.Cell(label.Text)
			if !b.Exact() { // whole numbers and days
				k, is := c.typ.Key(label.Text)
				cell, ok = big.NewInt(k.Number), is
			}
			if !ok {
				t.Fatalf("%s: %s is no value", b, label.Text)
			}
			stored := cell.Int64()
			switch {
			case c.typ.Kind == Float && c.typ.Bits == 16:
				stored = bits(run.Half(uint16(stored)))
			case c.typ.Kind == Float && c.typ.Bits == 32:
				stored = bits(float64(math.Float32frombits(uint32(stored))))
			}
			got, next := l.num(stored), l.num(stored+1)
			if c.typ.Kind == Decimal {
				got = l.bytes(twosComplement(cell))
			}
			if got != int32(i) || next != Stranger {
				t.Errorf("%s: %s is read as letter %d, and what follows it as %d, want %d and none", b, label.Text, got, next, i)
			}
		}
	}
}

// twosComplement is a decimal as Parquet stores it.
func twosComplement(n *big.Int) []byte {
	if n.Sign() < 0 {
		n = new(big.Int).Add(n, new(big.Int).Lsh(big.NewInt(1), 256))
	}
	return n.FillBytes(make([]byte, 32))
}
