package table_test

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
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

// everything is all bytes of a file, and every buffer once more as arrow-go reads it.
func everything(t *testing.T, file []byte) []byte {
	t.Helper()
	all := slices.Clone(file)
	var add func(d arrow.ArrayData)
	add = func(d arrow.ArrayData) {
		for _, b := range d.Buffers() {
			if b != nil {
				all = append(all, b.Bytes()...)
			}
		}
		for _, child := range d.Children() {
			add(child)
		}
		if d.DataType().ID() == arrow.DICTIONARY {
			add(d.Dictionary())
		}
	}
	_, records := readRecords(t, file)
	for _, r := range records {
		for _, a := range r.Columns() {
			add(a.Data())
		}
	}
	return all
}
