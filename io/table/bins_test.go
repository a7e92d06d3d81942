package table_test

import "github.com/tacet-privacy/tacet/io/table"

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
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
func binOf(x *table.Binner, typ table.CellType, cell oneCell) string {
	place := x.Find(&table.Values{Type: typ, Code: []int32{0}, Source: cell}, 0)
	if place < 0 {
		return ""
	}
	return x.Label(int(place))
}

func mustBins(t *testing.T, spec, of string) *table.Bins {
	t.Helper()
	b, err := table.BinsOf(spec, of)
	if err != nil {
		t.Fatalf("%s of %s: %v", spec, of, err)
	}
	return b
}

// TestBinTable holds bins to testdata/bins.txt: a cell at an edge is in the bin above it, whatever
// the type that it is stored in, and alone as among those before it; labels say what a bin holds;
// a label that is not written in the one way that bins are is none.
func TestBinTable(t *testing.T) {
	data, err := os.ReadFile("testdata/bins.txt")
	must(t, err)
	together := map[string]*table.Binner{}
	seen := map[string]int{}
	for line := range strings.Lines(string(data)) {
		r := strings.Split(strings.TrimSuffix(line, "\n"), ";")
		if len(r) < 4 || strings.HasPrefix(line, "#") {
			continue
		}
		kind, spec, of, last := r[0], r[1], r[2], r[len(r)-1]
		seen[kind]++
		switch kind {
		case "refused":
			if _, err := table.BinsOf(spec, of); err == nil || !strings.Contains(err.Error(), last) {
				t.Errorf("%q of %s: %v, want %q", spec, of, err, last)
			}
		case "unknown":
			if _, _, ok := mustBins(t, spec, of).Ends(last); ok {
				t.Errorf("%q is a bin of %s", last, spec)
			}
		case "bin":
			typ, cell := storedAs(t, of, r[3])
			name := typ.CellName()
			if typ.Form == table.TextCells {
				name = table.OfText(spec)
			}
			b := mustBins(t, spec, name)
			if together[spec+of] == nil {
				together[spec+of] = table.NewBinner(b)
			}
			for _, x := range []*table.Binner{table.NewBinner(b), together[spec+of]} {
				if got := binOf(x, typ, cell); got != last {
					t.Errorf("%s of %s: %q is in %q, want %q", spec, of, r[3], got, last)
				}
			}
			if fresh, _ := table.BinsOf(b.Spec, b.Of); fresh != b {
				t.Errorf("%s: the spec %q is another rule", spec, b.Spec)
			}
		}
	}
	if seen["bin"] != 113 || seen["refused"] != 28 || seen["unknown"] != 21 {
		t.Errorf("the table has %v", seen)
	}
}

// storedAs is a type of cells by its name in the table, and a cell of it.
func storedAs(t *testing.T, of, text string) (typ table.CellType, cell oneCell) {
	t.Helper()
	name, unit, _ := strings.Cut(of, " ")
	n, _ := strconv.ParseInt(unit, 10, 64)
	number, ok := new(big.Int).SetString(text, 10)
	if ok {
		if cell.n = number.Int64(); number.IsUint64() {
			cell.n = int64(number.Uint64())
		}
	}
	switch name {
	case "integer":
		typ.Form = table.IntegerCells
	case "unsigned":
		typ.Form = table.UnsignedCells
	case "decimal":
		typ = table.CellType{Form: table.DecimalCells, Scale: int(n)}
	case "wide":
		if typ = (table.CellType{Form: table.WideDecimalCells, Scale: int(n)}); number.Sign() < 0 {
			number.Add(number, new(big.Int).Lsh(big.NewInt(1), 128))
		}
		cell.bytes = number.FillBytes(make([]byte, 16))
	case "text":
		typ.Form, cell.bytes = table.TextCells, []byte(text)
	case "float":
		f, err := strconv.ParseFloat(text, 64)
		must(t, err)
		typ.Form, cell.n = table.FloatCells, int64(math.Float64bits(f))
	default: // dates and timestamps
		typ, n = table.CellType{Form: table.TimestampCells, Ticks: n}, max(n, 1)
		at, err := time.Parse("2006-01-02T15:04:05.999999999", text)
		if name == "date" {
			typ.Form = table.DateCells
			at, err = time.Parse(time.DateOnly, text)
		}
		if cell.n = at.Unix()*n + int64(at.Nanosecond())/(1e9/n); name == "date" {
			cell.n /= 86400
		}
		if ok { // days beyond those that have a name
			cell.n, err = number.Int64(), nil
		}
		must(t, err)
	}
	return typ, cell
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
			cell := oneCell{n: n}
			place := whole.Find(&table.Values{Type: typ, Code: []int32{0}, Source: cell}, 0)
			alone := binOf(table.NewBinner(b), typ, cell)
			if place < 0 {
				if alone != "" {
					t.Fatalf("%s: %d has a bin alone", c.spec, n)
				}
				continue
			}
			id := whole.ID[place]
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
				must(t, err)
				in, counted, err := f.Scan(context.Background())
				must(t, err)
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
					must(t, f.Read(context.Background(), unit, in, check))
				}
				if row != rows {
					t.Fatalf("%d rows", row)
				}
				out := &memoryOutput{}
				to := table.NewAlphabet(table.Type{Kind: table.Text}, a.Values(), a.Null() >= 0)
				must(t, f.Rewrite(context.Background(), out, in, []*table.Alphabet{in[0], to},
					func(table.Batch) error { return nil }))
				f, err = open(bytesInput{bytes.NewReader(out.b)}, table.Request{Private: []string{column}})
				must(t, err)
				written, counts, err := f.Scan(context.Background())
				must(t, err)
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
		must(t, err)
		_, _, err = f.Scan(context.Background())
		want := fmt.Sprintf(`column "c4": %d records are below the first bin, %d records are above the last bin`,
			below, above)
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
		for _, c := range []string{"c0", "c2", "c8"} {
			_, err := open(bytesInput{bytes.NewReader(data)}, table.Request{Private: []string{c},
				Bins: []string{"0,1"}})
			if err == nil || !strings.Contains(err.Error(), "which has no bins") {
				t.Errorf("%s, %s: %v", name, c, err)
			}
		}
	}
}
