package table_test

import "github.com/tacet-privacy/tacet/io/table"

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/parquet"
)

// oneCell is a column of one number.
type oneCell struct {
	n     int64
	bytes []byte
}

func (c oneCell) Bytes(int) []byte { return c.bytes }

func (c oneCell) Int(int) int64 { return c.n }

// binOf is the label of a cell's bin, or "" where it has none.
func binOf(t *testing.T, b *table.Bins, typ table.CellType, cell oneCell) string {
	t.Helper()
	place := []int32{0}
	x := table.NewBinner(b)
	x.Next(place, &table.Values{Type: typ, Code: []int32{0}, Source: cell})
	if place[0] < 0 {
		return ""
	}
	return b.Label(x.ID[place[0]])
}

func mustBins(t *testing.T, spec, of string) *table.Bins {
	t.Helper()
	b, err := table.BinsOf(spec, of)
	if err != nil {
		t.Fatalf("%s of %s: %v", spec, of, err)
	}
	return b
}

// A cell at an edge is in the bin above it, whatever the type that it is stored in;
// labels say what a bin holds.
func TestBinsOfCells(t *testing.T) {
	float := func(f float64) oneCell { return oneCell{n: int64(math.Float64bits(f))} }
	wide := func(s string) oneCell {
		n, _ := new(big.Int).SetString(s, 10)
		if n.Sign() < 0 {
			n.Add(n, new(big.Int).Lsh(big.NewInt(1), 128))
		}
		return oneCell{bytes: n.FillBytes(make([]byte, 16))}
	}
	at := func(layout string, ticks int64) oneCell {
		d, err := time.Parse("2006-01-02T15:04:05.999999999", layout)
		if err != nil {
			t.Fatal(err)
		}
		return oneCell{n: d.Unix()*ticks + int64(d.Nanosecond())/(1e9/ticks)}
	}
	day := func(s string) oneCell { return oneCell{n: at(s+"T00:00:00", 1).n / 86400} }
	integer, unsigned := table.CellType{Form: table.IntegerCells}, table.CellType{Form: table.UnsignedCells}
	floats, dates := table.CellType{Form: table.FloatCells}, table.CellType{Form: table.DateCells}
	stamps := func(ticks int64) table.CellType { return table.CellType{Form: table.TimestampCells, Ticks: ticks} }
	cents := table.CellType{Form: table.DecimalCells, Scale: 2}
	for _, c := range []struct {
		spec string
		typ  table.CellType
		cell oneCell
		want string
	}{
		{"0,10,20,50", integer, oneCell{n: 0}, "0-9"},
		{"0,10,20,50", integer, oneCell{n: 9}, "0-9"},
		{"0,10,20,50", integer, oneCell{n: 10}, "10-19"},
		{"0,10,20,50", integer, oneCell{n: 49}, "20-49"},
		{"0,10,20,50", integer, oneCell{n: 50}, ""},
		{"0,10,20,50", integer, oneCell{n: -1}, ""},
		{"-inf,0,1,inf", integer, oneCell{n: math.MinInt64}, "<0"},
		{"-inf,0,1,inf", integer, oneCell{n: 0}, "0"},
		{"-inf,0,1,inf", integer, oneCell{n: math.MaxInt64}, ">=1"},
		{"-20,-10,0,5", integer, oneCell{n: -11}, "-20 to -11"},
		{"-20,-10,0,5", integer, oneCell{n: -10}, "-10 to -1"},
		{"width:10", integer, oneCell{n: -1}, "-10 to -1"},
		{"width:10", integer, oneCell{n: math.MinInt64}, "-9223372036854775810 to -9223372036854775801"},
		{"width:10", integer, oneCell{n: math.MaxInt64}, "9223372036854775800-9223372036854775809"},
		{"width:10", unsigned, oneCell{n: -1}, "18446744073709551610-18446744073709551619"},
		{"width:1", integer, oneCell{n: 7}, "7"},
		{"0,0.1,0.3,1", floats, float(0.1), "[0.1, 0.3)"},                  // 0.1 is above 1/10
		{"0,0.1,0.3,1", floats, float(0.3), "[0.1, 0.3)"},                  // 0.3 is below 3/10
		{"0,0.1,0.3,1", floats, float(math.Nextafter(0.3, 1)), "[0.3, 1)"}, //
		{"0,1", floats, float(math.Copysign(0, -1)), "[0, 1)"},
		{"0,1", floats, float(-math.SmallestNonzeroFloat64), ""},
		{"0,1", floats, float(math.Nextafter(1, 0)), "[0, 1)"},
		{"0,1", floats, float(1), ""},
		{"0,1", floats, float(math.NaN()), ""},
		{"-inf,0,inf", floats, float(math.NaN()), ""},
		{"-inf,0,inf", floats, float(math.Inf(-1)), "<0"},
		{"-inf,0,inf", floats, float(math.Inf(1)), ">=0"},
		{"0,1", floats, float(math.Inf(1)), ""},
		{"width:0.5", floats, float(-0.25), "[-0.5, 0)"},
		{"width:0.5", floats, float(math.Inf(1)), ""},
		{"width:0.5", floats, float(1e300), ""},
		{"width:0.1", floats, float(0.3), "[0.2, 0.3)"},
		{"0,0.99,10", cents, oneCell{n: 98}, "[0, 0.99)"},
		{"0,0.99,10", cents, oneCell{n: 99}, "[0.99, 10)"},
		{"0,0.995,10", cents, oneCell{n: 99}, "[0, 0.995)"},
		{"0,0.995,10", cents, oneCell{n: 100}, "[0.995, 10)"},
		{"0,100000000000000000000,inf", table.CellType{Form: table.WideDecimalCells, Scale: 1},
			wide("1000000000000000000000"),
			">=100000000000000000000"},
		{"0,100000000000000000000,inf", table.CellType{Form: table.WideDecimalCells, Scale: 1}, wide("999999999999999999999"),
			"[0, 100000000000000000000)"},
		{"-inf,-5,inf", table.CellType{Form: table.WideDecimalCells, Scale: 1}, wide("-51"), "<-5"},
		{"0,500,1000", table.CellType{Form: table.DecimalCells, Scale: -2}, oneCell{n: 5}, "[500, 1000)"},
		{"2020-01-01,2020-02-01,2021-01-01", dates, day("2020-01-31"), "2020-01-01 to 2020-01-31"},
		{"2020-01-01,2020-01-02,2021-01-01", dates, day("2020-01-01"), "2020-01-01"},
		{"2020-01-01,2020-02-01,2021-01-01", dates, day("2021-01-01"), ""},
		{"width:7", dates, day("1970-01-07"), "1970-01-01 to 1970-01-07"},
		{"width:7d", dates, day("1969-12-31"), "1969-12-25 to 1969-12-31"},
		{"decade", dates, day("1969-12-31"), "1960s"},
		{"year", dates, day("1969-12-31"), "1969"},
		{"quarter", dates, day("2020-03-31"), "2020-Q1"},
		{"quarter", dates, day("2020-04-01"), "2020-Q2"},
		{"month", dates, day("2020-02-29"), "2020-02"},
		{"week", dates, day("2021-01-03"), "2020-W53"},
		{"week", dates, day("2021-01-04"), "2021-W01"},
		{"day", dates, day("0001-01-01"), "0001-01-01"},
		{"year", dates, oneCell{n: 5_000_000}, ""},
		{"year", dates, oneCell{n: -5_000_000}, ""},
		{"width:90min", stamps(1), at("1970-01-01T01:30:00", 1), "[1970-01-01T01:30:00, 1970-01-01T03:00:00)"},
		{"hour", stamps(1), at("1969-12-31T23:59:59", 1), "1969-12-31T23"},
		{"hour", stamps(1e3), at("2020-03-29T01:59:59.999", 1e3), "2020-03-29T01"}, // no hour is skipped in UTC
		{"hour", stamps(1e3), at("2020-03-29T02:00:00", 1e3), "2020-03-29T02"},
		{"day", stamps(1e6), at("2020-01-01T23:59:59.999999", 1e6), "2020-01-01"},
		{"month", stamps(1e9), at("1969-12-31T23:59:59.999999999", 1e9), "1969-12"},
		{"month", stamps(1e9), at("1970-01-01T00:00:00", 1e9), "1970-01"},
		{"2020-01-01,2020-01-01T06:00:00,2020-01-02", stamps(1), at("2020-01-01T05:59:59", 1),
			"[2020-01-01, 2020-01-01T06:00:00)"},
		{"2020-01-01,2020-01-01T06:00:00,2020-01-02", stamps(1e9), at("2020-01-01T06:00:00", 1e9),
			"[2020-01-01T06:00:00, 2020-01-02)"},
		{"-inf,2020-01-01T00:00:00.5,inf", stamps(1e3), at("2020-01-01T00:00:00.499", 1e3), "<2020-01-01T00:00:00.5"},
		{"-inf,2020-01-01T00:00:00.5,inf", stamps(1), at("2020-01-01T00:00:00", 1), "<2020-01-01T00:00:00.5"},
		{"-inf,2020-01-01T00:00:00.5,inf", stamps(1), at("2020-01-01T00:00:01", 1), ">=2020-01-01T00:00:00.5"},
	} {
		b := mustBins(t, c.spec, c.typ.CellName())
		got := binOf(t, b, c.typ, c.cell)
		if got != c.want {
			t.Errorf("%s of %s: %q, want %q", c.spec, c.typ.CellName(), got, c.want)
		}
		if got == "" {
			continue
		}
		fresh, _ := table.BinsOf(b.Spec, b.Of)
		if fresh != b {
			t.Errorf("%s: the spec %q is another rule", c.spec, b.Spec)
		}
	}
}

// Every label is that of one bin, and leads back to it; in any order in which cells
// come, a cell has the bin that it has alone.
func TestBinsAreFoundByLabel(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct{ spec, of string }{
		{"-7,-3,0,1,2,12", "integer"}, {"-inf,-7,3,inf", "integer"}, {"width:3", "integer"}, {"width:1", "integer"},
		{"-1.5,0,0.25,7", "decimal"}, {"width:0.25", "float"}, {"-inf,-0.5,inf", "float"},
		{"1999-12-31,2000-01-01,2000-03-01", "date"}, {"width:10", "date"}, {"-inf,2000-01-01,inf", "date"},
		{"quarter", "date"}, {"month", "date"}, {"week", "date"}, {"day", "date"}, {"year", "date"}, {"decade", "date"},
		{"week", "timestamp"}, {"day", "timestamp"}, {"hour", "timestamp"},
		{"2000-01-01,2000-01-01T12:00:00,2000-01-02", "timestamp"},
	} {
		b := mustBins(t, c.spec, c.of)
		typ := map[string]table.CellType{"integer": {Form: table.IntegerCells},
			"decimal": {Form: table.DecimalCells, Scale: 2},
			"float":   {Form: table.FloatCells}, "date": {Form: table.DateCells},
			"timestamp": {Form: table.TimestampCells, Ticks: 1e3}}[c.of]
		whole := table.NewBinner(b)
		byLabel := map[string]int64{}
		for range 4000 {
			n := r.Int64N(40) - 20
			switch c.of {
			case "decimal":
				n = r.Int64N(1000) - 200
			case "float":
				n = int64(math.Float64bits(float64(r.Int64N(1000)-500) / 37))
			case "date":
				n = 10957 + r.Int64N(120) - 60
			case "timestamp":
				n = (946684800+r.Int64N(400000)-200000)*1e3 + r.Int64N(1000)
			}
			cell, place := oneCell{n: n}, []int32{0}
			whole.Next(place, &table.Values{Type: typ, Code: []int32{0}, Source: cell})
			alone := binOf(t, b, typ, cell)
			if place[0] < 0 {
				if alone != "" {
					t.Fatalf("%s: %d has a bin alone", c.spec, n)
				}
				continue
			}
			id := whole.ID[place[0]]
			number := map[string]*big.Rat{"integer": big.NewRat(n, 1), "decimal": big.NewRat(n, 100),
				"date": big.NewRat(n*86400, 1), "timestamp": big.NewRat(n, 1e3)}[c.of]
			if c.of == "float" {
				number = new(big.Rat).SetFloat64(math.Float64frombits(uint64(n)))
			}
			if from, to, ok := b.Ends(alone); !ok || from != nil && number.Cmp(from) < 0 || to != nil && number.Cmp(to) >= 0 {
				t.Fatalf("%s: %v is not within %q", c.spec, number, alone)
			}
			if label := b.Label(id); label != alone {
				t.Fatalf("%s: %d is in %q among others and in %q alone", c.spec, n, label, alone)
			}
			if was, ok := byLabel[alone]; ok && was != id {
				t.Fatalf("%s: two bins are called %q", c.spec, alone)
			}
			byLabel[alone] = id
		}
		if len(byLabel) < 2 {
			t.Fatalf("%s: %d bins", c.spec, len(byLabel))
		}
		labels := table.Type{Bins: b}
		for label, id := range byLabel {
			if got, ok := b.Place(label); !ok || got != id {
				t.Errorf("%s: %q leads to %d, %v, want %d", c.spec, label, got, ok, id)
			}
			if _, ok := b.Place(label + " "); ok {
				t.Errorf("%s: %q with a blank is a label", c.spec, label)
			}
			for other, at := range byLabel {
				if got := labels.Compare(table.Value{Bytes: label}, table.Value{Bytes: other}); got*int(sign(id-at)) < 0 ||
					(got == 0) != (id == at) {
					t.Errorf("%s: %q and %q compare as %d", c.spec, label, other, got)
				}
			}
		}
	}
}

func sign(n int64) int64 { return min(1, max(-1, n)) }

func TestBinsRefuse(t *testing.T) {
	for _, c := range []struct{ spec, of, want string }{
		{"", "integer", "an edge is neither"},
		{"5", "integer", "two edges"},
		{"-inf,inf", "integer", "two edges"},
		{"0,0", "integer", "edge 2 is not above"},
		{"0,2,1", "integer", "edge 3 is not above"},
		{"0,1e3", "integer", "neither a plain number nor a date"},
		{"0,NaN", "float", "neither a plain number nor a date"},
		{"0,inf,7", "float", "neither a plain number nor a date"},
		{"0,2020-01-01", "date", "numbers and dates"},
		{"2020-02-30,2020-03-01", "date", "neither a plain number nor a date"},
		{"width:0", "integer", "not above 0"},
		{"width:-1", "integer", "not above 0"},
		{"width:x", "integer", "neither a plain number nor a time"},
		{"width:10:5", "integer", "neither a plain number nor a time"},
		{"width:h", "timestamp", "neither a plain number nor a time"},
		{"width:6h", "integer", "the width is a time"},
		{"width:6h", "date", "no number of days"},
		{"width:367d", "timestamp", "above 366 days"},
		{"width:1.5", "integer", "an edge or the width is none"},
		{"0,1.5", "integer", "an edge or the width is none"},
		{"width:1.5", "date", "no number of days"},
		{"width:1", "timestamp", "the width of bins of timestamps is a time"},
		{"month", "integer", "month bins are of dates"},
		{"hour", "date", "hour bins need timestamps"},
		{"2020-01-01,2021-01-01", "float", "the edges are dates"},
		{"0,1", "date", "the edges are numbers"},
		{"2020-01-01,2020-01-01T01:00:00", "date", "a time of the day"},
		{"0,1", "", "no bins"},
	} {
		if _, err := table.BinsOf(c.spec, c.of); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q of %s: %v, want %q", c.spec, c.of, err, c.want)
		}
	}
}

// binReference are edges that a test looks cells up in one by one.
type binReference struct {
	spec string
	edge []*big.Rat
	name []string
}

func numbers(text ...string) (out []*big.Rat) {
	for _, s := range text {
		v, ok := new(big.Rat).SetString(s)
		if !ok {
			panic(s)
		}
		out = append(out, v)
	}
	return out
}

// Bins are the same from every format and encoding, in Scan, Read and Rewrite, and
// what is written is text that holds labels alone.
func TestBinsOfFiles(t *testing.T) {
	const rows, group = 9000, 5000
	record := besideRecord(t, rows)
	file := map[string][]byte{"arrow": arrowBytes(t, record, group, false),
		"arrow dictionaries": arrowBytes(t, record, group, true),
		"dictionary":         parquetBytes(t, record, group, parquet.WithDictionaryDefault(true)),
		"fallback": parquetBytes(t, record, group, parquet.WithDictionaryDefault(true),
			parquet.WithDictionaryPageSizeLimit(3000), parquet.WithDataPageSize(2000)),
		"plain": parquetBytes(t, record, group, parquet.WithDictionaryDefault(false)),
		"split": parquetBytes(t, record, group, append(besideSplit(), parquet.WithDictionaryDefault(false))...)}
	halves := binReference{"-inf,-10.5,0,1.25,100,inf", numbers("-10.5", "0", "1.25", "100"),
		[]string{"<-10.5", "[-10.5, 0)", "[0, 1.25)", "[1.25, 100)", ">=100"}}
	wholes := binReference{"-inf,-5,0,60000,inf", numbers("-5", "0", "60000"),
		[]string{"<-5", "-5 to -1", "0-59999", ">=60000"}}
	days := binReference{"-inf,1990-01-01,2019-12-30,inf", nil, []string{"<1990-01-01", "1990-01-01 to 2019-12-29",
		">=2019-12-30"}}
	stamps := binReference{"-inf,2020-01-01T06:00:00,2020-03-01,inf", nil, []string{"<2020-01-01T06:00:00",
		"[2020-01-01T06:00:00, 2020-03-01)", ">=2020-03-01"}}
	for c, k := range besideCases() {
		if k.float == nil || k.typ.ID() == arrow.TIME64 {
			continue
		}
		ref := wholes
		switch k.typ.ID() {
		case arrow.FLOAT16, arrow.FLOAT32, arrow.FLOAT64, arrow.DECIMAL128:
			ref = halves
		case arrow.DATE32:
			ref = days
		case arrow.TIMESTAMP:
			ref = stamps
		}
		want := make([]string, rows) // "" for null
		count := map[string]int64{}
		for i := range want {
			if !besideNull(c, i) {
				want[i] = ref.of(k.text(i))
			}
			count[want[i]]++
		}
		for name, data := range file {
			t.Run(fmt.Sprint(name, " ", k.typ), func(t *testing.T) {
				column := fmt.Sprint("c", c)
				f, err := open(bytesInput{bytes.NewReader(data)}, table.Request{Private: []string{"private", column},
					Bins: []string{"", ref.spec}, Threads: 2})
				if err != nil {
					t.Fatal(err)
				}
				in, counted, err := f.Scan(context.Background())
				if err != nil {
					t.Fatal(err)
				}
				a := in[1]
				place := 0
				for x, label := range a.Labels() {
					if at := slices.Index(ref.name, label); at < place || counted[1][x] != count[label] || count[label] == 0 {
						t.Fatalf("%q stands %d times at %d, want %d times", label, counted[1][x], at, count[label])
					}
					place = slices.Index(ref.name, label)
				}
				if a.Null() < 0 && count[""] > 0 || a.Null() >= 0 && counted[1][a.Null()] != count[""] {
					t.Fatalf("nulls are counted otherwise than %d", count[""])
				}
				row := 0
				check := func(b table.Batch) error {
					for i, x := range b.Letters[1] {
						got := ""
						if x != a.Null() {
							got = a.Labels()[x]
						}
						if w := want[int(b.Row)+i]; got != w {
							return fmt.Errorf("row %d: %q, want %q", int(b.Row)+i, got, w)
						}
						row++
					}
					return nil
				}
				for unit := range f.Units() {
					if err := f.Read(context.Background(), unit, in, check); err != nil {
						t.Fatal(err)
					}
				}
				if row != rows {
					t.Fatalf("%d rows", row)
				}
				out := &memoryOutput{}
				to := table.NewAlphabet(table.Type{Kind: table.Text}, a.Values(), a.Null() >= 0)
				if err := f.Rewrite(context.Background(), out, in, []*table.Alphabet{in[0], to},
					func(table.Batch) error { return nil }); err != nil {
					t.Fatal(err)
				}
				f, err = open(bytesInput{bytes.NewReader(out.b)}, table.Request{Private: []string{column}})
				if err != nil {
					t.Fatal(err)
				}
				written, counts, err := f.Scan(context.Background())
				if err != nil {
					t.Fatal(err)
				}
				for x, label := range written[0].Labels() {
					if counts[0][x] != count[label] {
						t.Errorf("%q is written %d times, want %d", label, counts[0][x], count[label])
					}
				}
				if got := written[0].Type(); got.Kind != table.Text || len(written[0].Labels()) != len(a.Labels()) {
					t.Errorf("%d labels of type %s are written", len(written[0].Labels()), got)
				}
			})
		}
	}
}

// of finds the bin of a cell's text, by going through the edges.
func (r binReference) of(text string) string {
	if r.edge == nil { // dates and timestamps of one length compare as text
		for i, at := range strings.Split(strings.TrimSuffix(strings.TrimPrefix(r.spec, "-inf,"), ",inf"), ",") {
			if text < at {
				return r.name[i]
			}
		}
		return r.name[len(r.name)-1]
	}
	v := numbers(text)[0]
	for i, e := range r.edge {
		if v.Cmp(e) < 0 {
			return r.name[i]
		}
	}
	return r.name[len(r.name)-1]
}

// TestBinsOfText: cells of text are what they say, whatever their length.
func TestBinsOfText(t *testing.T) {
	for _, c := range []struct {
		spec string
		bin  map[string]string // by cell; "" is below, above or no number
	}{
		{"-1.5,0,10,99999999999", map[string]string{"0": "[0, 10)", "-0": "[0, 10)", "+3": "[0, 10)", "007": "[0, 10)",
			"9.9999999999999999999999": "[0, 10)", "10": "[10, 99999999999)", "10.0": "[10, 99999999999)", "-1.5": "[-1.5, 0)",
			"-0.0000000000000001": "[-1.5, 0)", "-1.50001": "", "99999999998.999": "[10, 99999999999)", "99999999999": "",
			"123456789012345678901234567890": "", "18446744073709551620": "",
			"18446744073709551620.0": "", "9223372036.854775808": "[10, 99999999999)", "1e3": "", "1,5": "", ".5": "", "5.": "",
			"": "", "-": "", " 5": "", "5 ": "", "NaN": "", "inf": "", "0x1": "", "1.2.3": "", "\u0665": ""}},
		{"month", map[string]string{"2020-01-31": "2020-01", "2020-02-01T00:00:00": "2020-02",
			"2020-02-29 23:59:59.5": "2020-02",
			"2020-02-29T23:59:59Z":  "2020-02", "0001-01-01": "0001-01", "9999-12-31": "9999-12", "2020-02-30": "",
			"2020-1-1": "", "20200101": "", "2020": "", "2020-01-01T00:00:00+01:00": ""}},
		{"width:6h", map[string]string{"2020-01-31": "[2020-01-31, 2020-01-31T06:00:00)",
			"2020-01-31T05:59:59.999999999": "[2020-01-31, 2020-01-31T06:00:00)",
			"2020-01-31 06:00:00":           "[2020-01-31T06:00:00, 2020-01-31T12:00:00)",
			"1969-12-31T23:00:00":           "[1969-12-31T18:00:00, 1970-01-01)", "0000-01-01": "",
			"1500-01-01": "[1500-01-01, " +
				"1500-01-01T06:00:00)"}},
	} {
		b := mustBins(t, c.spec, table.OfText(c.spec))
		for range 3 { // whatever was met before
			together := table.NewBinner(b)
			for text, want := range c.bin {
				place := []int32{0}
				together.Next(place, &table.Values{Type: table.CellType{Form: table.TextCells}, Code: []int32{0},
					Source: oneCell{bytes: []byte(text)}})
				got := ""
				if place[0] >= 0 {
					got = b.Label(together.ID[place[0]])
				}
				if got != want {
					t.Errorf("%s: %q is in %q, want %q", c.spec, text, got, want)
				}
			}
		}
	}
}

// Cells without a bin are counted, and the file is refused.
func TestBinsOutside(t *testing.T) {
	record := besideRecord(t, 3000)
	for name, data := range map[string][]byte{"arrow": arrowBytes(t, record, 1000, false),
		"parquet": parquetBytes(t, record, 1000)} {
		var below, above int
		for i := range 3000 {
			if n := i%256 - 128; !besideNull(4, i) && n < -100 {
				below++
			} else if !besideNull(4, i) && n >= 100 {
				above++
			}
		}
		f, err := open(bytesInput{bytes.NewReader(data)}, table.Request{Private: []string{"c4"},
			Bins: []string{"-100,100"}})
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = f.Scan(context.Background())
		want := fmt.Sprintf(`column "c4": %d records are below the first bin, %d records are above the last bin`,
			below, above)
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
		for c, want := range map[string]string{"c0": "which has no bins", "c2": "which has no bins", "c8": "have no bins"} {
			_, err := open(bytesInput{bytes.NewReader(data)}, table.Request{Private: []string{c},
				Bins: []string{"0,1"}})
			if err == nil || !strings.Contains(err.Error(), "have no bins") && !strings.Contains(err.Error(), want) {
				t.Errorf("%s, %s: %v", name, c, err)
			}
		}
	}
}

// A label that is not written in the one way that bins are is none.
func TestLabelsOfNoBin(t *testing.T) {
	for _, c := range []struct{ spec, of, label string }{{"0,10,20", "integer", "0-8"}, {"0,10,20", "integer", "1-9"},
		{"0,10,20", "integer", "20-29"}, {"0,10,20", "integer", "<0"}, {"0,10,20", "integer", ">=20"},
		{"0,10,20", "integer", "0 to 19"}, {"0,10,20", "float", "0-9"}, {"0,10,20", "float", "[0, 11)"},
		{"width:10", "integer", "5-14"}, {"month", "date", "2020-13"}, {"month", "date", "2020-1"},
		{"month", "date", "2020"}, {"quarter", "date", "2020-Q5"}, {"quarter", "date", "2020-Q0"},
		{"week", "date", "2020-W54"}, {"week", "date", "2021-W53"}, {"decade", "date", "2021s"}, {"year", "date", "20"},
		{"day", "date", "2020-02-30"}, {"0,10,20", "integer", ""}, {"0,10,20", "integer", "a"}} {
		b, err := table.BinsOf(c.spec, c.of)
		if err != nil {
			t.Fatal(c.spec, err)
		}
		if _, _, ok := b.Ends(c.label); ok {
			t.Errorf("%q is a bin of %s", c.label, c.spec)
		}
	}
}
