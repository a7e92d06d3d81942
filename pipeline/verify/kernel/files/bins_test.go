package files

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
	"time"

	run "github.com/tacet-privacy/tacet/io/table"
)

// aCell is a column of one cell.
type aCell struct {
	n     int64
	bytes []byte
}

func (c aCell) Int(int) int64 { return c.n }

func (c aCell) Bytes(int) []byte { return c.bytes }

// Cells are put into bins by other code than the run's, and are in the same: for every cell,
// the label that the run writes is the one that is read here.
func TestBinsAgreeWithTheRun(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	wider := func(f float32) int64 { return int64(math.Float64bits(float64(f))) }
	near64 := func() int64 {
		edge := []float64{-0.5, -0.3, 0, 0.1, 0.3, 1000, math.Copysign(0, -1), math.Inf(1), 0.2}
		return int64(math.Float64bits(edge[r.IntN(len(edge))])) + r.Int64N(5) - 2
	}
	day := func() int64 { return 10957 + r.Int64N(2000) - 1000 }
	for _, c := range []struct {
		spec, as string
		cell     run.CellType
		typ      Type
		draw     func() int64
	}{
		{"-7,-3,0,1,2,12", "text", run.CellType{Form: run.IntegerCells}, Type{Kind: Integer, Bits: 64},
			func() int64 { return r.Int64N(30) - 12 }},
		{"-inf,-7,3,inf", "text", run.CellType{Form: run.IntegerCells}, Type{Kind: Integer, Bits: 64},
			func() int64 { return int64(r.Uint64()) >> r.Uint64N(64) }},
		{"width:1000:-7", "text", run.CellType{Form: run.UnsignedCells}, Type{Kind: Integer, Bits: 64, Unsigned: true},
			func() int64 { return int64(r.Uint64() >> (50 * r.Uint64N(2))) }},
		{"width:7:2", "lower", run.CellType{Form: run.IntegerCells}, Type{Kind: Integer, Bits: 64},
			func() int64 { return r.Int64N(100) - 50 }},
		{"width:7:2", "middle", run.CellType{Form: run.IntegerCells}, Type{Kind: Integer, Bits: 64},
			func() int64 { return r.Int64N(100) - 50 }},
		{"-0.5,0,0.1,0.3,1000,inf", "text", run.CellType{Form: run.FloatCells}, Type{Kind: Float}, func() int64 {
			near := []float64{-0.5, 0, 0.1, 0.3, 1000, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 5e-324}
			f := near[r.IntN(len(near))]
			return int64(math.Float64bits(f)) + r.Int64N(5) - 2
		}},
		{"width:0.1:0.05", "text", run.CellType{Form: run.FloatCells}, Type{Kind: Float},
			func() int64 { return int64(math.Float64bits(float64(r.Int64N(100)-50) / 20)) }},
		{"0,0.995,1.5,7", "text", run.CellType{Form: run.DecimalCells, Scale: 2}, Type{Kind: Decimal, Scale: 2},
			func() int64 { return r.Int64N(900) - 50 }},
		{"-inf,-50,0,100,inf", "text", run.CellType{Form: run.DecimalCells, Scale: -1}, Type{Kind: Decimal, Scale: -1},
			func() int64 { return r.Int64N(60) - 30 }},
		{"1999-12-31,2000-01-01,2001-03-01,2002-01-01", "text", run.CellType{Form: run.DateCells}, Type{Kind: Date}, day},
		{"-inf,2000-01-01,inf", "text", run.CellType{Form: run.DateCells}, Type{Kind: Date}, day},
		{"width:10:2000-01-03", "text", run.CellType{Form: run.DateCells}, Type{Kind: Date}, day},
		{"width:10", "lower", run.CellType{Form: run.DateCells}, Type{Kind: Date}, day},
		{"decade", "text", run.CellType{Form: run.DateCells}, Type{Kind: Date}, func() int64 { return 20 * day() }},
		{"year", "text", run.CellType{Form: run.DateCells}, Type{Kind: Date}, day},
		{"quarter", "text", run.CellType{Form: run.DateCells}, Type{Kind: Date}, day},
		{"month", "middle", run.CellType{Form: run.DateCells}, Type{Kind: Date}, day},
		{"week", "text", run.CellType{Form: run.DateCells}, Type{Kind: Date}, func() int64 { return 10 * day() }},
		{"day", "text", run.CellType{Form: run.DateCells}, Type{Kind: Date}, day},
		{"hour", "text", run.CellType{Form: run.TimestampCells, Ticks: 1e3}, Type{Kind: Timestamp, Ticks: 1e3},
			func() int64 { return day()*86400e3 + r.Int64N(86400e3) }},
		{"width:90min:1999-12-31T00:10:00", "text", run.CellType{Form: run.TimestampCells, Ticks: 1e3},
			Type{Kind: Timestamp, Ticks: 1e3}, func() int64 { return day()*86400e3 + r.Int64N(86400e3) }},
		{"width:14d", "middle", run.CellType{Form: run.DateCells}, Type{Kind: Date}, day},
		{"-0.5,-0.3,0,0.1,0.3,1000,inf", "lower", run.CellType{Form: run.FloatCells, Bits: 64}, Type{Kind: Float, Bits: 64},
			near64},
		{"-0.5,-0.3,0,0.1,0.3,1000", "middle", run.CellType{Form: run.FloatCells, Bits: 64}, Type{Kind: Float, Bits: 64},
			near64},
		{"-0.5,-0.3,0,0.1,0.3,1000,inf", "lower", run.CellType{Form: run.FloatCells, Bits: 32}, Type{Kind: Float, Bits: 32},
			func() int64 {
				return wider(math.Float32frombits(math.Float32bits(float32(r.NormFloat64())) + uint32(r.IntN(3))))
			}},
		{"width:0.01:-0.003", "middle", run.CellType{Form: run.FloatCells, Bits: 32}, Type{Kind: Float, Bits: 32},
			func() int64 { return wider(float32(r.NormFloat64())) }},
		{"width:0.003", "lower", run.CellType{Form: run.FloatCells, Bits: 16}, Type{Kind: Float, Bits: 16},
			func() int64 { return int64(math.Float64bits(run.Half(uint16(r.IntN(0x2000) | r.IntN(2)<<15)))) }},
		{"width:0.000001", "middle", run.CellType{Form: run.FloatCells, Bits: 16}, Type{Kind: Float, Bits: 16},
			func() int64 { return int64(math.Float64bits(run.Half(uint16(r.IntN(0x800) | r.IntN(2)<<15)))) }},
		{"0,0.99,1.51,7", "lower", run.CellType{Form: run.DecimalCells, Scale: 2, Digits: 9}, Type{Kind: Decimal, Scale: 2},
			func() int64 { return r.Int64N(900) - 50 }},
		{"width:100:50", "middle", run.CellType{Form: run.DecimalCells, Scale: -1, Digits: 9}, Type{Kind: Decimal, Scale: -1},
			func() int64 { return r.Int64N(900) - 500 }},
		{"month", "middle", run.CellType{Form: run.TimestampCells, Ticks: 1}, Type{Kind: Timestamp, Ticks: 1},
			func() int64 { return day()*86400 + r.Int64N(86400) }},
		{"width:15min:1999-12-31T00:00:00.000001", "lower", run.CellType{Form: run.TimestampCells, Ticks: 1e6},
			Type{Kind: Timestamp, Ticks: 1e6}, func() int64 { return day()*86400e6 + r.Int64N(86400e6) }},
		{"week", "text", run.CellType{Form: run.TimestampCells, Ticks: 1e9}, Type{Kind: Timestamp, Ticks: 1e9},
			func() int64 { return day()*86400e9 + r.Int64N(86400e9) }},
		{"1999-01-01T12:00:00,2000-01-01,2000-01-01T00:00:00.000001,2001-01-01", "text",
			run.CellType{Form: run.TimestampCells, Ticks: 1e6}, Type{Kind: Timestamp, Ticks: 1e6},
			func() int64 {
				return 946684800e6 + []int64{-1, 0, 1, 2, -86400e6 * 300, 86400e6 * 400}[r.IntN(6)]
			}},
	} {
		of := c.cell.CellName()
		if c.as != "text" {
			of = c.cell.ExactName()
		}
		b, err := run.BinsOf(c.spec, of, c.as)
		if err != nil {
			t.Fatalf("%s: %v", c.spec, err)
		}
		own := NewBins(b.Of, b.As == "text", b.Ends)
		whole, cells := run.NewBinner(b), make([]int64, 700)
		place := make([]int32, len(cells))
		for i := range cells {
			cells[i] = c.draw()
			whole.Next(place[i:i+1], &run.Values{Type: c.cell, Code: []int32{0}, Source: aCell{n: cells[i]}})
		}
		var labels []Label
		for _, id := range whole.ID {
			labels = append(labels, Label{Text: b.Label(id)})
		}
		typ := c.typ
		typ.Bins = own
		l, err := NewLetters(typ, append(labels, Label{Text: "OTHER"}, Label{Null: true}))
		if err != nil {
			t.Fatal(err)
		}
		inside := 0
		for i, n := range cells {
			want := place[i]
			if place[i] >= 0 {
				inside++
			} else {
				want = Stranger
			}
			if got := l.num(n); got != want {
				t.Fatalf("%s as %s: cell %d is letter %d, and the run has %d", c.spec, c.as, n, got, want)
			}
			if c.typ.Kind == Decimal {
				wide := new(big.Int).Mod(big.NewInt(n), new(big.Int).Lsh(big.NewInt(1), 128)).FillBytes(make([]byte, 16))
				if got := l.bytes(wide); got != want {
					t.Fatalf("%s: the wide cell %d is letter %d, and the run has %d", c.spec, n, got, want)
				}
			}
		}
		if b.Exact() {
			publishedAgree(t, b, own, c.typ, labels)
		}
		if len(labels) < 2 || inside == 0 {
			t.Fatalf("%s: %d bins, %d cells in them", c.spec, len(labels), inside)
		}
		few := whole.ID[:min(40, len(whole.ID))]
		for i, id := range few {
			for j, other := range few {
				if got := own.Compare(labels[i].Text, labels[j].Text); (got < 0) != (id < other) || (got == 0) != (i == j) {
					t.Errorf("%s: %q and %q compare as %d", c.spec, labels[i].Text, labels[j].Text, got)
				}
			}
		}
	}
}

// publishedAgree reads what a column holds where the labels are published.
func publishedAgree(t *testing.T, b *run.Bins, own *Bins, typ Type, labels []Label) {
	t.Helper()
	if !own.Holds(typ) {
		t.Fatalf("%s: values are not those of %v", b, typ)
	}
	l, err := NewLetters(typ, labels)
	if err != nil {
		t.Fatalf("%s: %v", b, err)
	}
	for i, label := range labels {
		cell, ok := b.Cell(label.Text)
		if !ok {
			t.Fatalf("%s: %s is no value", b, label.Text)
		}
		stored := cell.Int64()
		switch {
		case typ.Kind == Float && typ.Bits == 16:
			stored = int64(math.Float64bits(run.Half(uint16(stored))))
		case typ.Kind == Float && typ.Bits == 32:
			stored = int64(math.Float64bits(float64(math.Float32frombits(uint32(stored)))))
		}
		if got := l.num(stored); got != int32(i) {
			t.Errorf("%s: %s is read as letter %d, want %d", b, label.Text, got, i)
		}
		if typ.Kind == Decimal {
			if got := l.bytes(twosComplement(cell)); got != int32(i) {
				t.Errorf("%s: wide, %s is read as letter %d, want %d", b, label.Text, got, i)
			}
		}
		if got := l.num(stored + 1); got != Stranger {
			t.Errorf("%s: what follows %s is letter %d", b, label.Text, got)
		}
	}
}

// Cells of text are read by different code, too, and are in the same bins.
func TestTextBinsAgreeWithTheRun(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	number := func() string {
		text := fmt.Sprintf("%.*f", r.IntN(12), (r.Float64()-.5)*math.Pow10(r.IntN(5)))
		return []string{"", "+", "00", " ", "-"}[r.IntN(5)] + text
	}
	moment := func() string {
		at := time.Unix(r.Int64N(4e9)-2e9, r.Int64N(2)*r.Int64N(1e9)).UTC()
		return at.Format([]string{"2006-01-02", "2006-01-02T15:04:05", "2006-01-02T15:04:05.999999999Z",
			"2006-01-02 15:04:05", "2006-01-02 15:04:05.999Z", "02.01.2006", "2006-01-02T15:04"}[r.IntN(7)])
	}
	for _, c := range []struct {
		spec, as string
		draw     func() string
	}{
		{"-inf,-1,0,0.5,100,inf", "text", number}, {"-100,0,0.25,300", "lower", number}, {"width:2.5:1", "middle", number},
		{"month", "text", moment}, {"decade", "text", moment}, {"width:36h", "text", moment},
		{"width:90min", "middle", moment}, {"1960-01-01,1999-12-31T12:00:00,2010-01-01", "lower", moment},
	} {
		b, err := run.BinsOf(c.spec, run.OfText(c.spec), c.as)
		if err != nil {
			t.Fatal(c.spec, err)
		}
		own := NewBins(b.Of, b.As == "text", b.Ends)
		if !own.of(Type{Kind: Text}) {
			t.Fatalf("%s: read as none", c.spec)
		}
		whole := run.NewBinner(b)
		cells, place := make([]string, 1000), make([]int32, 1000)
		for i := range cells {
			cells[i] = c.draw()
			whole.Next(place[i:i+1], &run.Values{Type: run.CellType{Form: run.TextCells}, Code: []int32{0},
				Source: aCell{bytes: []byte(cells[i])}})
		}
		var labels []Label
		for _, id := range whole.ID {
			labels = append(labels, Label{Text: b.Label(id)})
		}
		l, err := NewLetters(Type{Kind: Text, Bins: own}, labels)
		if err != nil {
			t.Fatal(err)
		}
		inside := 0
		for i, text := range cells {
			want := place[i]
			if inside++; want < 0 {
				want, inside = Stranger, inside-1
			}
			if got := l.bytes([]byte(text)); got != want {
				t.Fatalf("%s as %s: %q is letter %d, and the run has %d", c.spec, c.as, text, got, want)
			}
		}
		if len(labels) < 2 || inside < 100 || inside == len(cells) {
			t.Fatalf("%s: %d bins, %d cells in them", c.spec, len(labels), inside)
		}
	}
}
