package table_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/io/arrow/batch"
	"github.com/tacet-privacy/tacet/io/table"
)

// tokens are values that must not get into the output: letters that occur,
// and others that only stand in one place each.
type tokens struct {
	letter                           []table.Value
	unused, masked, gap, file, field table.Value
}

func makeTokens(t table.Type) tokens {
	r := rand.New(rand.NewPCG(7, uint64(t.Kind)))
	next := func() table.Value {
		if t.Kind == table.Integer {
			return table.Value{Int: int64(r.Uint64() | 1<<60)}
		}
		return table.Value{Bytes: fmt.Sprintf("%08x-%08x", r.Uint32(), r.Uint32())}
	}
	k := tokens{unused: next(), masked: next(), gap: next(), file: next(), field: next()}
	for range 12 {
		k.letter = append(k.letter, next())
	}
	return k
}

func (k tokens) all() []table.Value {
	return append([]table.Value{k.unused, k.masked, k.gap, k.file, k.field}, k.letter...)
}

// forms are the ways in which a token may be written.
func forms(t table.Type, v table.Value) []string {
	raw := []string{v.Bytes}
	if t.Kind == table.Integer {
		raw = []string{string(binary.LittleEndian.AppendUint64(nil, uint64(v.Int))),
			string(binary.BigEndian.AppendUint64(nil, uint64(v.Int))), strconv.FormatInt(v.Int, 10)}
	}
	all := slices.Clone(raw)
	for _, s := range raw {
		all = append(all, hex.EncodeToString([]byte(s)), strings.ToUpper(hex.EncodeToString([]byte(s))))
		for lead := range 3 { // base64 of it within something longer
			in := base64.StdEncoding.EncodeToString([]byte("xxx"[:lead] + s))
			inner := in[(lead*8+5)/6 : (lead+len(s))*8/6]
			all = append(all, inner, strings.NewReplacer("+", "-", "/", "_").Replace(inner))
		}
	}
	return all
}

// everything is all bytes of a file, and every buffer once more decompressed.
func everything(t *testing.T, file []byte) []byte {
	t.Helper()
	raw, err := batch.Open(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	all := slices.Clone(file)
	for _, b := range messages(t, raw) {
		for _, c := range b.Columns {
			for _, s := range c.Buffers {
				plain, err := batch.Load(raw, b.Codec, s)
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, plain...)
			}
		}
	}
	return all
}

func messages(t *testing.T, raw *batch.File) []*batch.RecordBatch {
	t.Helper()
	var list []*batch.RecordBatch
	for _, d := range raw.Dicts {
		b, err := raw.Dictionary(d)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, b)
	}
	for i := range raw.Batches {
		b, err := raw.Batch(i)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, b)
	}
	return list
}

// fillGaps writes token into every byte of a file that belongs to no message's
// metadata and to no buffer, and returns how often it had the room for it.
func fillGaps(t *testing.T, file []byte, token string) int {
	t.Helper()
	raw, err := batch.Open(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	used := make([]bool, len(file))
	mark := func(from, n int64) {
		for i := from; i < from+n; i++ {
			used[i] = true
		}
	}
	start := func(b batch.Block) {
		for i := b.Offset; i < b.Offset+b.Meta; i++ {
			used[i] = true
		}
	}
	footer := int64(binary.LittleEndian.Uint32(file[len(file)-10:]))
	mark(int64(len(file))-10-footer, 10+footer)
	mark(0, 8)
	mark(8, 8+int64(binary.LittleEndian.Uint32(file[12:]))) // the schema message
	for _, d := range raw.Dicts {
		start(d.Block)
	}
	for _, b := range raw.Batches {
		start(b)
	}
	for _, b := range messages(t, raw) {
		for _, c := range b.Columns {
			for _, s := range c.Buffers {
				mark(s.Offset, s.Len)
			}
		}
	}
	times := 0
	for i := 0; i+len(token) <= len(file); {
		if j := slices.Index(used[i:i+len(token)], true); j >= 0 {
			i += j + 1
			continue
		}
		i += copy(file[i:], token)
		times++
	}
	return times
}
