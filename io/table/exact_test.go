package table_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tacet-privacy/tacet/io/table"
)

// exactNames are types of which values are published.
var exactNames = []string{"float16", "float32", "float64", "decimal(4,2)", "decimal(38,18)", "decimal(76,0)",
	"decimal(5,-3)", "decimal(9,12)", "timestamp[s]", "timestamp[ms]", "timestamp[us]", "timestamp[ns]"}

// valuesOf are the values of a type, by any rule of it.
func valuesOf(t testing.TB, name string) *table.Bins {
	t.Helper()
	spec := "0,1000"
	if strings.HasPrefix(name, "timestamp") {
		spec = "day"
	}
	b, err := table.BinsOf(spec, name, table.BinLower)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return b.Values()
}

// A label is read in one way alone, and what a column stores for it is written as it.
func TestExactLabels(t *testing.T) {
	for _, c := range []struct {
		of, label string
		cell      int64
	}{
		{"float64", "0.1", int64(math.Float64bits(.1))}, {"float32", "0.1", int64(math.Float32bits(.1))},
		{"float16", "0.099975586", 0x2e66}, {"float64", "0", 0},
		{"float64", "-2", int64(math.Float64bits(2)) | math.MinInt64}, {"float16", "-65504", int64(0x7bff) - 1<<15},
		{"float64", "100000000000000000000000", int64(math.Float64bits(1e23))},
		{"decimal(4,2)", "12.5", 1250}, {"decimal(4,2)", "-0.01", -1}, {"decimal(5,-3)", "12000", 12},
		{"decimal(38,18)", "4", 4e18}, {"timestamp[s]", "1970-01-02", 86400}, {"timestamp[ms]", "1969-12-31T23:59:59.999",
			-1}, {"timestamp[ns]", "1970-01-01T00:00:00.000000001", 1}, {"timestamp[us]", "1970-01-01T00:00:01", 1e6},
	} {
		b := valuesOf(t, c.of)
		if cell, ok := b.Cell(c.label); !ok || !cell.IsInt64() || cell.Int64() != c.cell {
			t.Errorf("%s: %s is stored as %v, want %d", c.of, c.label, cell, c.cell)
		}
		if v, err := (table.Type{Kind: table.Text, Bins: b}).Parse(c.label); err != nil || v.Bytes != c.label {
			t.Errorf("%s: %s is read as %v, %v", c.of, c.label, v, err)
		}
	}
	for _, c := range []struct{ of, label string }{
		{"float64", "0.10"}, {"float64", "1e-1"}, {"float64", "NaN"}, {"float64", "Inf"}, {"float64", "-0"}, {"float64", ""},
		{"float64", "0x1p-1"}, {"float64", "0.30000000000000001"}, {"float32", "0.30000000000000004"}, {"float16", "0.1"},
		{"float16", "65520"}, {"float32", "1" + strings.Repeat("0", 39)}, {"decimal(4,2)", "12.50"},
		{"decimal(4,2)", "0.125"},
		{"decimal(4,2)", "100"}, {"decimal(4,2)", "-0"}, {"decimal(4,2)", "+1"}, {"decimal(4,2)", "01"},
		{"decimal(5,-3)", "12500"}, {"timestamp[s]", "1970-01-01T00:00:00"}, {"timestamp[s]", "1970-01-01T00:00:00.5"},
		{"timestamp[us]", "1970-01-01T00:00:00.0000005"}, {"timestamp[us]", "1970-01-01 01:00:00"}, {"timestamp[s]", "1970"},
	} {
		b := valuesOf(t, c.of)
		if cell, ok := b.Cell(c.label); ok {
			t.Errorf("%s: %q is stored as %v", c.of, c.label, cell)
		}
		if _, err := (table.Type{Kind: table.Text, Bins: b}).Parse(c.label); err == nil || strings.Contains(err.Error(),
			"1970") {
			t.Errorf("%s: %q is read, or quoted: %v", c.of, c.label, err)
		}
	}
	for _, name := range []string{"float", "float8", "float64 ", "decimal(0,2)", "decimal(77,2)", "decimal(4, 2)",
		"decimal(04,2)", "timestamp", "timestamp[m]", "timestamp[]", "float64]"} {
		if b, err := table.BinsOf("0,1", name, table.BinLower); err == nil && b.Exact() {
			t.Errorf("%q names a type", name)
		}
	}
	if _, err := table.BinsOf("0,1", "float64", table.BinText); err == nil {
		t.Error("a rule of bins as text names a type that is written")
	}
}

// FuzzExactLabels: no text is a label unless the cell that it names has that label, and
// labels are ordered as numbers.
func FuzzExactLabels(f *testing.F) {
	for i, s := range []string{"0.1", "-65504", "0.30000000000000004", "12.5", "4", "100", "12000", "0.000001",
		"1970-01-02",
		"1969-12-31T23:59:59.999", "2020-01-01T00:00:01", "9999-12-31", "-0", "1e5", "0000-01-01", "nan", "_1"} {
		f.Add(uint8(i), s, "0")
	}
	f.Fuzz(func(t *testing.T, of uint8, one, other string) {
		name := exactNames[int(of)%len(exactNames)]
		b := valuesOf(t, name)
		cell, ok := b.Cell(one)
		if !ok {
			return
		}
		ref := &exactReference{name: name}
		if v := ref.number(t, cell); v == nil || ref.text(one).Cmp(v) != 0 && ref.nearest(ref.text(one)).Cmp(v) != 0 {
			t.Fatalf("%s: %q is stored as %v, which is %v", name, one, cell, v)
		}
		also, ok := b.Cell(other)
		if !ok {
			return
		}
		want := ref.number(t, cell).Cmp(ref.number(t, also))
		typ := table.Type{Kind: table.Text, Bins: b}
		if got := typ.Compare(table.Value{Bytes: one}, table.Value{Bytes: other}); got != want ||
			(got == 0) != (one == other) {
			t.Fatalf("%s: %q and %q compare as %d, want %d", name, one, other, got, want)
		}
	})
}

// An exactReference knows a type by its name, and its floats by libraries alone.
type exactReference struct{ name string }

// number is what a cell stands for.
func (r *exactReference) number(t *testing.T, cell *big.Int) *big.Rat {
	bits := uint64(cell.Int64())
	scale := 0
	switch {
	case r.name == "float16":
		return new(big.Rat).SetFloat64(halfOf(uint16(bits)))
	case r.name == "float32":
		return new(big.Rat).SetFloat64(float64(math.Float32frombits(uint32(bits))))
	case r.name == "float64":
		return new(big.Rat).SetFloat64(math.Float64frombits(bits))
	case strings.HasPrefix(r.name, "decimal"):
		_, after, _ := strings.Cut(strings.TrimSuffix(r.name, ")"), ",")
		if _, err := fmt.Sscan(after, &scale); err != nil {
			t.Fatal(err)
		}
	default:
		scale = map[string]int{"[s]": 0, "[ms]": 3, "[us]": 6, "[ns]": 9}[strings.TrimPrefix(r.name, "timestamp")]
	}
	v, ok := new(big.Rat).SetString(fmt.Sprintf("%de%d", cell, -scale))
	if !ok {
		t.Fatal(r.name)
	}
	return v
}

// text is the number of a label.
func (r *exactReference) text(label string) *big.Rat {
	if strings.HasPrefix(r.name, "timestamp") {
		at, err := time.Parse("2006-01-02T15:04:05"[:min(19, len(label))], label)
		if err != nil {
			return new(big.Rat).SetInt64(math.MaxInt64)
		}
		return new(big.Rat).Add(big.NewRat(at.Unix(), 1), big.NewRat(int64(at.Nanosecond()), 1e9))
	}
	v, _ := new(big.Rat).SetString(label)
	return v
}

// nearest is the float of the type that is nearest to v.
func (r *exactReference) nearest(v *big.Rat) *big.Rat {
	switch r.name {
	case "float16": // of which labels are those of 32 bits
		f, _ := v.Float32()
		return new(big.Rat).SetFloat64(float64(f))
	case "float32":
		f, _ := v.Float32()
		return new(big.Rat).SetFloat64(float64(f))
	case "float64":
		f, _ := v.Float64()
		return new(big.Rat).SetFloat64(f)
	}
	return new(big.Rat)
}

// The float of a bin is the nearest to its end or middle of all that lie in it,
// and none has a value where no float does.
func TestExactFloatsLieInTheirBins(t *testing.T) {
	var halves []*big.Rat
	for bits := range 1 << 16 {
		if f := halfOf(uint16(bits)); !math.IsNaN(f) && !math.IsInf(f, 0) {
			halves = append(halves, new(big.Rat).SetFloat64(f))
		}
	}
	slices.SortFunc(halves, (*big.Rat).Cmp)
	r := rand.New(rand.NewPCG(7, 8))
	edge := func() string {
		return new(big.Rat).SetFloat64(math.Ldexp(r.Float64()-.5, r.IntN(34)-16)).FloatString(r.IntN(12))
	}
	for n := range 3000 {
		from, to := numbers(edge())[0], numbers(edge())[0]
		if from.Cmp(to) >= 0 {
			continue
		}
		bits, as := []string{"float16", "float32", "float64"}[n%3], []string{table.BinLower, table.BinMiddle}[n%2]
		width, _ := from.FloatPrec()
		digits, _ := to.FloatPrec()
		b, err := table.BinsOf(from.FloatString(width)+","+to.FloatString(digits), bits, as)
		if err != nil {
			t.Fatal(err)
		}
		label := b.Label(1)
		ref := &exactReference{name: bits}
		point := from
		if as == table.BinMiddle {
			point = new(big.Rat).Quo(new(big.Rat).Add(from, to), big.NewRat(2, 1))
		}
		cell, ok := b.Cell(label)
		if !ok {
			if label != "" || bits != "float16" || slices.ContainsFunc(halves, func(h *big.Rat) bool {
				return h.Cmp(from) >= 0 && h.Cmp(to) < 0
			}) {
				t.Fatalf("%s: %s has no value, but %q", bits, b.Spec, label)
			}
			continue
		}
		if id, ok := b.Place(label); !ok || id != 1 {
			t.Fatalf("%s: %s leads to bin %d, %v", bits, label, id, ok)
		}
		v := ref.number(t, cell)
		at, _ := slices.BinarySearchFunc(halves, v, (*big.Rat).Cmp)
		near := halves[max(0, at-2):min(at+3, len(halves))]
		if f, _ := v.Float64(); bits == "float64" {
			near = []*big.Rat{finite(math.Nextafter(f, -math.MaxFloat64)), finite(math.Nextafter(f, math.MaxFloat64))}
		} else if f := float32(f); bits == "float32" {
			near = []*big.Rat{finite(float64(math.Nextafter32(f, -math.MaxFloat32))),
				finite(float64(math.Nextafter32(f, math.MaxFloat32)))}
		}
		off := func(x *big.Rat) *big.Rat { x = new(big.Rat).Sub(x, point); return x.Abs(x) }
		for _, x := range near {
			if x.Cmp(from) >= 0 && x.Cmp(to) < 0 && off(x).Cmp(off(v)) < 0 {
				t.Fatalf("%s as %s: %s of %s, and %v is nearer", bits, as, label, b.Spec, x)
			}
		}
		if v.Cmp(from) < 0 || v.Cmp(to) >= 0 {
			t.Fatalf("%s: %s lies outside %s", bits, label, b.Spec)
		}
	}
}

// halfOf is the number of 16 bits: the float16 of arrow-go is wrong below 2^-14.
func halfOf(bits uint16) float64 {
	sign, exponent, fraction := 1-2*float64(bits>>15), int(bits>>10&31), float64(bits&1023)/1024
	switch {
	case exponent == 0:
		return sign * math.Ldexp(fraction, -14)
	case exponent == 31:
		return math.NaN() // or infinite: the values here are finite
	}
	return sign * math.Ldexp(1+fraction, exponent-15)
}

func finite(f float64) *big.Rat { return new(big.Rat).SetFloat64(f) }
