package page

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go/format"

	"github.com/tacet-privacy/tacet/io/parquet/meta"
)

// memory is an output that may fail.
type memory struct {
	b    []byte
	fail error // of the next write
}

func (m *memory) WriteAt(b []byte, off int64) (int, error) {
	if m.fail != nil {
		return 0, m.fail
	}
	if grow := int(off) + len(b) - len(m.b); grow > 0 {
		m.b = append(m.b, make([]byte, grow)...)
	}
	return copy(m.b[off:], b), nil
}

func textCoding(optional bool, n int) *Coding {
	c := NewCoding(format.ByteArray, optional)
	for i := range n {
		c.AddBytes(int32(n-1-i), fmt.Sprintf("value %05d", i))
	}
	if optional {
		c.AddNull(int32(n))
	}
	return c
}

// The bytes of a chunk depend on the letters alone: not on how they are split
// between writes, nor on what the buffers held before.
func TestWriterSplits(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const rows = 2*pageRows + 1234
	for _, optional := range []bool{false, true} {
		for _, n := range []int{1, 2, 200, 3000} {
			code, letter := textCoding(optional, n), make([]int32, rows)
			for i := range letter {
				letter[i] = int32(r.IntN(n))
				if null := r.IntN(9); optional && null < 2 && i/1000%3 > 0 { // 1000 rows without nulls, 2000 with
					letter[i] = []int32{-1, int32(n)}[null]
				}
			}
			var first []byte
			for _, most := range []int{rows, 4096, 1000, 77} {
				out := &memory{}
				w, err := NewWriter(out, 3, rows, code)
				if err != nil {
					t.Fatal(err)
				}
				for rest := letter; len(rest) > 0; {
					k := min(len(rest), 1+r.IntN(most))
					if err := w.Write(rest[:k]); err != nil {
						t.Fatal(err)
					}
					rest = rest[k:]
				}
				if err := w.Close(); err != nil {
					t.Fatal(err)
				}
				if w.Size > code.Reserve(rows) || w.Size < code.Reserve(rows)*8/10-5000 || w.Rows != rows ||
					w.Pages != 3 {
					t.Errorf("%d entries: %d bytes in %d pages, %d reserved", n, w.Size, w.Pages, code.Reserve(rows))
				}
				if first == nil {
					first = out.b
				}
				if !bytes.Equal(first, out.b) || int64(len(out.b)) != w.Size+3 {
					t.Fatalf("%d entries, optional %v: writes of up to %d letters give other bytes", n, optional, most)
				}
			}
		}
	}
}

// Every page has a checksum, a fixed number of rows and at most 1 MiB, and the
// pages fill the chunk.
func TestWriterPages(t *testing.T) {
	const rows = pageRows + 5
	code := textCoding(true, 65534)
	out := &memory{}
	w, err := NewWriter(out, 0, rows, code)
	if err != nil {
		t.Fatal(err)
	}
	for row := range rows {
		if err := w.Write([]int32{int32(row%65536) - 1}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var got []string
	for b := out.b; len(b) > 0; {
		head, n, err := meta.ParseStruct(b)
		if err != nil {
			t.Fatal(err)
		}
		typ, _ := head.Get(1).Int()
		plain, _ := head.Get(2).Int()
		size, _ := head.Get(3).Int()
		crc, ok := head.Get(4).Int()
		if sum := crc32.ChecksumIEEE(b[n : n+int(size)]); !ok || uint32(crc) != sum || size != plain ||
			size > 1<<20 && typ == int64(format.DataPage) {
			t.Errorf("page of type %d: %d bytes, %d uncompressed, checksum %x for %x, %v", typ, size, plain, crc, sum,
				ok)
		}
		own := head.Get(map[int64]int16{int64(format.DataPage): 5, int64(format.DictionaryPage): 7}[typ])
		values, _ := own.Get(1).Int()
		encoding, _ := own.Get(2).Int()
		got = append(got, fmt.Sprint(typ, values, encoding))
		b = b[n+int(size):]
	}
	if want := []string{"2 65534 0", "0 65536 8", "0 5 8"}; !slices.Equal(got, want) {
		t.Errorf("pages %v, want %v", got, want)
	}
	if w.Nulls != 3 { // -1 twice, the null letter once
		t.Errorf("%d nulls, want 3", w.Nulls)
	}
}

func TestWriterRefusesLetters(t *testing.T) {
	for _, c := range []struct {
		optional bool
		letter   int32
		ok       bool
	}{
		{false, 4, true}, {false, 5, false}, {false, -1, false}, {false, -2, false}, {false, 1 << 30, false},
		{false, -1 << 31, false},
		{true, 5, true}, {true, 6, false}, {true, -1, true}, {true, -2, false}, {true, 1<<16 - 1, false},
		{true, 1 << 16, false}, {true, 1<<16 + 1, false},
	} {
		w, err := NewWriter(&memory{}, 0, 100, textCoding(c.optional, 5))
		if err != nil {
			t.Fatal(err)
		}
		letter := make([]int32, 100)
		letter[70] = c.letter
		if err := w.Write(letter); c.ok != (err == nil) || !c.ok && !errors.Is(err, ErrLetter) {
			t.Errorf("letter %d, optional %v: %v", c.letter, c.optional, err)
		}
		w.Discard()
	}
	// A letter that was never added has no entry.
	w, err := NewWriter(&memory{}, 0, 10, NewCoding(format.Int32, true))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write([]int32{-1, 2}); !errors.Is(err, ErrLetter) {
		t.Errorf("letter without an entry: %v", err)
	}
}

func TestWriterFailingOutput(t *testing.T) {
	out := &memory{fail: errors.New("no space")}
	if _, err := NewWriter(out, 0, 10, textCoding(false, 5)); !errors.Is(err, out.fail) {
		t.Errorf("writing the dictionary: %v", err)
	}
	out = &memory{}
	w, err := NewWriter(out, 0, 10, textCoding(false, 5))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write([]int32{1, 2}); err != nil {
		t.Fatal(err)
	}
	out.fail = errors.New("no space")
	if err := w.Close(); !errors.Is(err, out.fail) {
		t.Errorf("writing a page: %v", err)
	}
	w.Discard()
}

func BenchmarkWriter(b *testing.B) {
	const batch = 4096
	letter := make([]int32, 1<<20)
	for _, n := range []int{5, 230, 5000} {
		for _, optional := range []bool{false, true} {
			r := rand.New(rand.NewPCG(1, 2))
			for i := range letter {
				letter[i] = int32(r.IntN(n))
			}
			code := textCoding(optional, n)
			out := &memory{b: make([]byte, code.Reserve(1<<20))}
			b.Run(fmt.Sprintf("%d/optional=%v", n, optional), func(b *testing.B) {
				for range b.N {
					w, err := NewWriter(out, 0, 1<<20, code)
					if err != nil {
						b.Fatal(err)
					}
					for at := 0; at < len(letter); at += batch {
						if err := w.Write(letter[at : at+batch]); err != nil {
							b.Fatal(err)
						}
					}
					if err := w.Close(); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(letter)), "ns/value")
			})
		}
	}
}
