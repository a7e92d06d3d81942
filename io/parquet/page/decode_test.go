package page

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	deltapack "github.com/parquet-go/parquet-go/encoding/delta"
	rlepack "github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/format"

	"github.com/tacet-privacy/tacet/io/parquet/meta"
	"github.com/tacet-privacy/tacet/io/table"
)

// padded puts slack behind b, filled so that reading it shows.
func padded(b []byte) []byte {
	long := append(bytes.Clone(b), bytes.Repeat([]byte{0xee}, slack)...)
	return long[:len(b)]
}

// pieces decodes n values in steps of changing length.
func pieces[T any](t *testing.T, n int, next func([]T) error) []T {
	t.Helper()
	out := make([]T, n)
	for at, step := 0, 1; at < n; step = step*3%101 + 1 {
		end := min(at+step, n)
		if err := next(out[at:end]); err != nil {
			t.Fatalf("value %d: %v", at, err)
		}
		at = end
	}
	return out
}

func TestHybridDecodesEveryWidth(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for width := 1; width <= 32; width++ {
		for _, n := range []int{1, 7, 8, 9, 63, 64, 65, 5000} {
			want := make([]int32, n)
			for i := range want {
				want[i] = int32(r.Uint32() >> (32 - width))
				if i/50%2 == 1 {
					want[i] = want[i-1]
				}
			}
			e := rlepack.Encoding{BitWidth: width}
			b, err := e.EncodeInt32(nil, want)
			if err != nil {
				t.Fatal(err)
			}
			h := hybrid{b: padded(b), width: uint(width)}
			if got := pieces(t, n, h.next); !slices.Equal(got, want) {
				t.Fatalf("width %d, %d values: decoded otherwise", width, n)
			}
		}
	}
}

// The last bit-packed run need not be filled up to eight values.
func TestHybridLastRunMayBeCut(t *testing.T) {
	h := hybrid{b: padded([]byte{2<<1 | 1, 0x53, 0x21, 0x06}), width: 4}
	if got := pieces(t, 6, h.next); !slices.Equal(got, []int32{3, 5, 1, 2, 6, 0}) {
		t.Fatalf("decoded %v", got)
	}
	if err := h.next(make([]int32, 1)); err == nil {
		t.Fatal("a value more than there is")
	}
}

func TestHybridRefuses(t *testing.T) {
	for name, b := range map[string][]byte{
		"nothing":      {},
		"empty runs":   {0, 0, 0, 0, 1, 1},
		"cut value":    {16},
		"cut group":    {3},
		"wide value":   {20, 9},
		"endless run":  {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 1},
		"short by one": {2 << 1, 1, 1},
	} {
		h := hybrid{b: padded(b), width: 3}
		var f *table.InputError
		if err := h.next(make([]int32, 9)); !errors.As(err, &f) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Bits run from the highest to the lowest: the specification's example, and
// levels of a page with 11 values.
func TestLegacyLevels(t *testing.T) {
	h, rest, err := legacyLevels(padded([]byte{0b10110001, 0b01100000, 'x'}), 11)
	if err != nil || string(rest) != "x" {
		t.Fatalf("rest %q, %v", rest, err)
	}
	if got := pieces(t, 11, h.next); !slices.Equal(got, []int32{1, 0, 1, 1, 0, 0, 0, 1, 0, 1, 1}) {
		t.Fatalf("decoded %v", got)
	}
	if _, _, err := legacyLevels(nil, 1); err == nil {
		t.Fatal("levels without bytes")
	}
}

func TestDeltaDecodesEveryWidth(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for width := range 65 {
		for _, n := range []int{1, 2, 32, 33, 128, 129, 700} {
			want, small := make([]int64, n), make([]int32, n)
			for i := range want {
				if want[i] = int64(r.Uint64()); width < 64 {
					want[i] &= 1<<width - 1
				}
				small[i] = int32(want[i])
			}
			b, err := new(deltapack.BinaryPackedEncoding).EncodeInt64(nil, want)
			if err != nil {
				t.Fatal(err)
			}
			b = append(b, "tail"...)
			d, err := newDelta(padded(b), 64)
			if err != nil {
				t.Fatal(err)
			}
			if got := pieces(t, n, d.next); !slices.Equal(got, want) || string(d.b) != "tail" {
				t.Fatalf("width %d, %d values: decoded otherwise, rest %q", width, n, d.b)
			}
			if b, err = new(deltapack.BinaryPackedEncoding).EncodeInt32(nil, small); err != nil {
				t.Fatal(err)
			}
			if d, err = newDelta(padded(b), 32); err != nil {
				t.Fatal(err)
			}
			for i, v := range pieces(t, n, d.next) {
				if v != int64(small[i]) {
					t.Fatalf("width %d, value %d of %d: %d, want %d", width, i, n, v, small[i])
				}
			}
		}
	}
}

// The entries of the dictionary page keep their codes, and other values have theirs until
// they are forgotten.
func TestDictionaryNumbersValues(t *testing.T) {
	d := newDictionary(&meta.Leaf{Physical: format.ByteArray})
	page := []byte{1, 0, 0, 0, 'a', 0, 0, 0, 0}
	if err := d.readPage(page, 2); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		for i := range 1000 {
			if c, err := d.codeOfBytes(fmt.Append(nil, "v", i)); err != nil || int(c) != 2+i {
				t.Fatalf("value %d: code %d, %v", i, c, err)
			}
		}
		if d.size() != 1002 || string(d.bytes(0)) != "a" || string(d.bytes(1)) != "" || string(d.bytes(1001)) != "v999" {
			t.Fatalf("%d codes", d.size())
		}
		d.forget()
	}
	if _, err := d.codeOfBytes(make([]byte, maxValue+1)); err == nil {
		t.Fatal("a huge value was taken")
	}
}
