package table_test

import "github.com/tacet-privacy/tacet/io/table"

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
)

// damageableArrow are small files that take every path of the decoder.
func damageableArrow(t testing.TB) map[string][]byte {
	text := makeCells(table.Type{Kind: table.Text}, 90, 20, nullPatterns[5].null)
	number := makeCells(table.Type{Kind: table.Integer, Bits: 32, Unsigned: false}, 90, 20, nil)
	files := make(map[string][]byte)
	for _, dt := range []arrow.DataType{
		arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString, arrow.BinaryTypes.StringView,
		&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String},
		&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint16, ValueType: arrow.BinaryTypes.StringView},
	} {
		for i, codec := range arrowCodecs {
			beside := []int{2, len(arrowNeighbours), 0}[i]
			files[fmt.Sprint(dt, codec.name)] = writeArrow(t, 50, []arrow.DataType{dt, arrow.PrimitiveTypes.Int32},
				[]cells{text, number}, beside, codec.option...)
		}
	}
	return files
}

// work reads all letters of columns a and b and writes the file anew.
func work(file []byte) (content, error) {
	name := []string{"a", "b"}
	c, err := readAll(file, name)
	if err != nil {
		return c, err
	}
	f, err := open(inMemory(file), table.Request{Private: name, Threads: 2})
	if err != nil {
		return c, err
	}
	defer f.Close()
	to := []*table.Alphabet{shifted(c.Alphabets[0].Type(), 5, true), shifted(c.Alphabets[1].Type(), 9, true)}
	return c, f.Rewrite(context.Background(), discard{}, c.Alphabets, to, draw(to))
}

// discard is an Output that keeps nothing.
type discard struct{}

func (discard) WriteAt(b []byte, off int64) (int, error) { return len(b), nil }
func (discard) Truncate(int64) error                     { return nil }
func (discard) Fd() (uintptr, bool)                      { return 0, false }

// A damaged file ends in an InputError or in data, never in a panic, and what
// is allocated stays within a few buffers of the largest size. Arrow IPC files
// hold no checksums, so that other data cannot be told from what was written.
func TestArrowDamagedFiles(t *testing.T) {
	rounds := 200
	if os.Getenv("TACET_TORTURE") != "" {
		rounds = 20000
	}
	for name, file := range damageableArrow(t) {
		if _, err := work(file); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		r := rand.New(rand.NewPCG(3, 4))
		footer := int(binary.LittleEndian.Uint32(file[len(file)-10:])) + 10
		failed := 0
		for round := range rounds {
			bad := bytes.Clone(file)
			for range 1 + round%3 {
				at := r.IntN(len(bad))
				if round%2 == 0 {
					at = len(bad) - 1 - r.IntN(footer)
				}
				switch round % 5 {
				case 0:
					bad[at] = byte(r.Uint32())
				case 1: // a large or negative number
					bad[at] = []byte{0xff, 0x7f, 0x80, 0}[r.IntN(4)]
				default:
					bad[at] ^= 1 << r.IntN(8)
				}
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := work(bad)
			runtime.ReadMemStats(&after)
			if used := after.TotalAlloc - before.TotalAlloc; used > 300<<20 {
				t.Fatalf("%s, round %d: %d MiB allocated", name, round, used>>20)
			}
			if err != nil && !errors.As(err, new(*table.InputError)) {
				t.Fatalf("%s, round %d: error of another kind: %v", name, round, err)
			}
			if err != nil {
				failed++
			}
		}
		t.Logf("torture: %d damaged files, %d refused", rounds, failed)
		if failed < rounds/10 {
			t.Errorf("%s: only %d of %d damaged files were noticed", name, failed, rounds)
		}
	}
}

func TestArrowTruncatedFiles(t *testing.T) {
	for name, file := range damageableArrow(t) {
		if !strings.HasSuffix(name, "none") {
			continue
		}
		for size := range len(file) {
			if _, err := readAll(file[:size], []string{"a"}); !errors.As(err, new(*table.InputError)) {
				t.Fatalf("%s: %d of %d bytes: %v", name, size, len(file), err)
			}
		}
	}
}

// breaking cannot be read once it is broken.
type breaking struct {
	table.Input
	broken bool
}

func (b *breaking) ReadAt(p []byte, off int64) (int, error) {
	if b.broken {
		return 0, errors.New("the device is gone")
	}
	return b.Input.ReadAt(p, off)
}

func TestArrowReadFailureIsNoInputError(t *testing.T) {
	for name, file := range damageableArrow(t) {
		in := &breaking{Input: inMemory(file)}
		f, err := open(in, table.Request{Private: []string{"a"}})
		if err != nil {
			t.Fatal(err)
		}
		in.broken = true
		if _, _, err := f.Scan(context.Background()); err == nil || errors.As(err, new(*table.InputError)) {
			t.Fatalf("%s: error %v for a read that fails", name, err)
		}
	}
}

func FuzzArrow(f *testing.F) {
	for _, file := range damageableArrow(f) {
		f.Add(file)
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		if !bytes.HasPrefix(file, []byte("ARROW1\x00\x00")) {
			return
		}
		if _, err := work(file); err != nil && !errors.As(err, new(*table.InputError)) {
			t.Fatal(err)
		}
	})
}
