package neighbours

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/pipeline/count"
)

// An odd row has cells of many kinds, few different ones in some units and
// thousands in others.
type odd struct {
	Private string   `parquet:"private,dict"`
	Whole   *int64   `parquet:"whole,optional"`
	Natural uint64   `parquet:"natural"`
	Real    *float64 `parquet:"real,optional"`
	Text    string   `parquet:"text"`
	Coded   *string  `parquet:"coded,optional,dict"`
}

// TestNumber compares the codes of cells with those of a map, and those of
// numbers with their order.
func TestNumber(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	var b bytes.Buffer
	const group, rows = 11_000, 50_000
	w := parquet.NewGenericWriter[odd](&b, parquet.MaxRowsPerRowGroup(group))
	cells := [5][]string{}
	size := [3][]float64{}
	for i := range rows {
		wide := int64(1 + rng.IntN(20))
		if i/group%2 == 1 {
			wide = 1 << 60
		}
		r := odd{Private: fmt.Sprint(i % 3), Natural: rng.Uint64N(uint64(wide)) << 3}
		whole, real, coded := rng.Int64N(wide)-wide/2, math.Ldexp(float64(rng.Int64N(wide))-9, -30),
			fmt.Sprint(rng.Int64N(wide))
		r.Whole, r.Real, r.Text, r.Coded = &whole, &real, fmt.Sprintf("text of a row, %d", rng.Int64N(wide)), &coded
		null := [5]bool{rng.IntN(9) == 0, false, rng.IntN(9) == 0, false, rng.IntN(9) == 0}
		if null[0] {
			r.Whole = nil
		}
		if null[2] {
			r.Real = nil
		}
		if null[4] {
			r.Coded = nil
		}
		for k, text := range []string{fmt.Sprint(whole), fmt.Sprint(r.Natural), fmt.Sprintf("%x", math.Float64bits(real)),
			r.Text, coded} {
			if null[k] {
				text = ""
			}
			cells[k] = append(cells[k], text)
		}
		for k, v := range []float64{float64(whole), float64(r.Natural), real} {
			size[k] = append(size[k], v)
		}
		if _, err := w.Write([]odd{r}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	in := memory{bytes.NewReader(b.Bytes())}
	f, err := count.OpenFile(in, table.Request{Private: []string{"private"}})
	if err != nil {
		t.Fatal(err)
	}
	a, _, err := f.Scan(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	s, err := read(context.Background(), setOf(t, in), Request{Private: "private", Columns: f.Columns()[1:], Full: true},
		a[0])
	if err != nil || len(s.letter) != rows {
		t.Fatal(len(s.letter), err)
	}
	room := newRoom(rows)
	for k, c := range s.column {
		sorted := func(u numbered) bool { return u.sorted }
		if !slices.ContainsFunc(c.unit, sorted) || !slices.ContainsFunc(c.unit, func(u numbered) bool { return !sorted(u) }) {
			t.Fatalf("column %d: all units are alike", k)
		}
		codes, before := c.number(s, room)
		of, count := map[string]int32{"": null}, make([]uint64, len(before))
		for i, text := range cells[k] {
			if code, ok := of[text]; ok && code != codes[i] {
				t.Fatalf("column %d: equal cells have the codes %d and %d", k, code, codes[i])
			}
			of[text] = codes[i]
			if codes[i] != null {
				count[codes[i]]++
			}
		}
		if delete(of, ""); len(of) != len(before)-2 {
			t.Fatalf("column %d: %d codes of %d different cells", k, len(before)-2, len(of))
		}
		smaller := uint64(0)
		for code, n := range before {
			if code > 0 && n != smaller {
				t.Fatalf("column %d: %d cells before code %d, want %d", k, n, code, smaller)
			}
			smaller += count[code]
		}
		if k < len(size) {
			by := make([]int, rows)
			for i := range by {
				by[i] = i
			}
			slices.SortFunc(by, func(i, j int) int { return cmp.Compare(codes[i], codes[j]) })
			for i, row := range by[1:] {
				if codes[by[i]] != null && !(size[k][by[i]] <= size[k][row]) {
					t.Fatalf("column %d: %v has a lower code than %v", k, size[k][by[i]], size[k][row])
				}
			}
		}
	}
}

// Where keys look alike until their last bits are compared, they are still
// told apart.
func TestNumberAlike(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 9))
	key, code := make([]uint64, 5000), make([]int32, 5000)
	for i := range key {
		key[i], code[i] = rng.Uint64N(3)<<62|rng.Uint64N(5), 1
	}
	before := newRoom(len(key)).number(key, code)
	want := slices.Clone(key)
	slices.Sort(want)
	want = slices.Compact(want)
	if len(before)-2 != len(want) {
		t.Fatalf("%d codes, want %d", len(before)-2, len(want))
	}
	for i, k := range key {
		if want[code[i]-1] != k {
			t.Fatalf("%x has the code of %x", k, want[code[i]-1])
		}
	}
}

// TestWideKey compares the order of wide numbers with that of math/big.
func TestWideKey(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 10))
	random := func() (n *big.Int, b []byte) {
		b = make([]byte, 1+rng.IntN(20))
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		if len(b) > 8 && rng.IntN(2) == 0 { // a small number in many bytes
			fill := byte(-(rng.IntN(2)))
			for i := range len(b) - 3 {
				b[i] = fill
			}
		}
		n = new(big.Int).SetBytes(b)
		if b[0] >= 0x80 {
			n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
		}
		return n, b
	}
	for range 100_000 {
		x, a := random()
		y, b := random()
		got, want := cmp.Compare(wideKey(a), wideKey(b)), x.Cmp(y)
		small := x.BitLen() < 55 && y.BitLen() < 55
		if got == -want && want != 0 || small && got != want {
			t.Fatalf("%x and %x compare as %d, want %d", a, b, got, want)
		}
	}
	for n := int64(-1000); n < 1000; n++ {
		a, b := binary.BigEndian.AppendUint64(nil, uint64(n)), binary.BigEndian.AppendUint64(nil, uint64(n+1))
		if wideKey(a) >= wideKey(b) || wideKey(a) != wideKey(a[6:]) {
			t.Fatalf("%d does not come before %d, or depends on its length", n, n+1)
		}
	}
}
