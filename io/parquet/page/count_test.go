package page

import (
	"bytes"
	"encoding/binary"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	rlepack "github.com/parquet-go/parquet-go/encoding/rle"

	"github.com/tacet-privacy/tacet/io/parquet/meta"
)

// indexPages is an optional chunk of integers with a dictionary of that many
// entries: pages of 1 to 3,000 rows, of random indices of that width and
// stretches of one index or of nulls, and a PLAIN page at the end.
func indexPages(t testing.TB, r *rand.Rand, width uint, entries int) (b []byte, values int64) {
	t.Helper()
	dictionary := make([]byte, 4*entries)
	for i := range entries {
		binary.LittleEndian.PutUint32(dictionary[4*i:], uint32(7*i))
	}
	b = testPage{typ: meta.DictionaryPage, kind: ints(int64(entries), plain), body: dictionary}.append(b)
	for page := range 12 {
		rows := 1 + r.IntN(3000)
		var level, index []int32
		for i := range rows {
			l := int32(1)
			if page%3 == 2 && (i/100%2 == 1 || r.IntN(50) == 0) {
				l = 0
			} else if k := len(index); k > 0 && k/200%3 == 1 {
				index = append(index, index[k-1])
			} else {
				index = append(index, int32(r.IntN(entries)))
			}
			level = append(level, l)
		}
		levels, err := (&rlepack.Encoding{BitWidth: 1}).EncodeInt32(nil, level)
		if err != nil {
			t.Fatal(err)
		}
		indices, err := (&rlepack.Encoding{BitWidth: int(width)}).EncodeInt32(nil, index)
		if err != nil {
			t.Fatal(err)
		}
		body := append(binary.LittleEndian.AppendUint32(nil, uint32(len(levels))), levels...)
		body = append(append(body, byte(width)), indices...)
		b = testPage{typ: meta.DataPage, kind: ints(int64(rows), rleDict, rle, rle), body: body}.append(b)
		values += int64(rows)
	}
	last := []byte("\x02\x00\x00\x00\x06\x01\x05\x00\x00\x00\x06\x00\x00\x00\x05\x00\x00\x00")
	return testPage{typ: meta.DataPage, kind: ints(3, plain, rle, rle), body: last}.append(b), values + 3
}

// What is counted is what Next hands out, whatever the width of an index.
func TestCount(t *testing.T) {
	for width := uint(1); width <= 12; width++ {
		for _, entries := range []int{1, 1<<width - 1, 1 << width} {
			b, values := indexPages(t, rand.New(rand.NewPCG(1, uint64(entries))), width, entries)
			open := func() *Reader {
				return Open(bytes.NewReader(b), Chunk{Column: "a", Size: int64(len(b)), Values: values,
					Physical: meta.Int32, Optional: true})
			}
			x, code := open(), make([]int32, values)
			if n, err := x.Next(code); err != nil || int64(n) != values {
				t.Fatalf("width %d: %d values, %v", width, n, err)
			}
			want := make([]int64, x.Codes()+1)
			for _, c := range code {
				want[c+1]++
			}
			x.Close()
			for _, mixed := range []bool{false, true} {
				x := open()
				var got []int64
				for {
					var err error
					if mixed { // some values by Next, in between
						n, err := x.Next(code[:11])
						if err != nil && err != io.EOF {
							t.Fatal(err)
						}
						got = x.lengthen(got)
						countCodes(got, code[:n])
					}
					if got, err = x.Count(got); err == io.EOF {
						break
					} else if err != nil {
						t.Fatal(err)
					}
				}
				if !slices.Equal(got, want) || want[0] == 0 {
					t.Errorf("width %d, %d entries, mixed %v: %v, want %v", width, entries, mixed,
						got[:min(len(got), 20)], want[:min(len(want), 20)])
				}
				x.Close()
			}
		}
	}
}

// Pages of every kind, empty ones among them.
func TestCountPagesOfEveryKind(t *testing.T) {
	var b []byte
	for _, p := range []testPage{abc, nothing, v1, index, nothing, nothing, legacy, v2, overflow, nothing} {
		b = p.append(b)
	}
	x := Open(bytes.NewReader(b), Chunk{Column: "a", Size: int64(len(b)), Values: 17, Physical: meta.ByteArray,
		Optional: true})
	defer x.Close()
	var count []int64
	var err error
	for err == nil {
		count, err = x.Count(count)
	}
	if err != io.EOF || !slices.Equal(count, []int64{7, 3, 6, 0, 1}) {
		t.Errorf("%v, %v", count, err)
	}
}

// An index beyond the dictionary is refused where bytes are counted, too, and
// so is a page that ends early.
func TestCountRefuses(t *testing.T) {
	two := testPage{typ: meta.DictionaryPage, kind: ints(2, plain), body: make([]byte, 8)}
	for what, p := range map[string]testPage{
		"does not have": {typ: meta.DataPage, kind: ints(16, rleDict, rle, rle),
			body: []byte("\x02\x00\x00\x00\x20\x01\x04\x05\x10\x10\x10\x10\x10\x10\x10\x20")},
		"ends early": {typ: meta.DataPage, kind: ints(17, rleDict, rle, rle),
			body: []byte("\x02\x00\x00\x00\x22\x01\x04\x05\x10\x10\x10\x10\x10\x10\x10\x10")},
	} {
		b := p.append(two.append(nil))
		x := Open(bytes.NewReader(b), Chunk{Column: "a", Size: int64(len(b)), Values: 17, Physical: meta.Int32,
			Optional: true})
		var count []int64
		err := error(nil)
		for err == nil {
			count, err = x.Count(count)
		}
		if err == io.EOF || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
		x.Close()
	}
}
