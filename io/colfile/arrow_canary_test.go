package colfile

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

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tacet-privacy/tacet/io/arrowraw"
)

// tokens are values that must not get into the output: letters that occur,
// and others that only stand in one place each.
type tokens struct {
	letter                           []Value
	unused, masked, gap, file, field Value
}

func makeTokens(t Type) tokens {
	r := rand.New(rand.NewPCG(7, uint64(t.Kind)))
	next := func() Value {
		if t.Kind == Integer {
			return Value{Int: int64(r.Uint64() | 1<<60)}
		}
		return Value{Bytes: fmt.Sprintf("%08x-%08x", r.Uint32(), r.Uint32())}
	}
	k := tokens{unused: next(), masked: next(), gap: next(), file: next(), field: next()}
	for range 12 {
		k.letter = append(k.letter, next())
	}
	return k
}

func (k tokens) all() []Value {
	return append([]Value{k.unused, k.masked, k.gap, k.file, k.field}, k.letter...)
}

// forms are the ways in which a token may be written.
func forms(t Type, v Value) []string {
	raw := []string{v.Bytes}
	if t.Kind == Integer {
		raw = []string{string(binary.LittleEndian.AppendUint64(nil, uint64(v.Int))), string(binary.BigEndian.AppendUint64(nil, uint64(v.Int))), strconv.FormatInt(v.Int, 10)}
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
	raw, err := arrowraw.Open(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	all := slices.Clone(file)
	for _, b := range messages(t, raw) {
		for _, c := range b.Columns {
			for _, s := range c.Buffers {
				plain, err := raw.Load(b.Codec, s)
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, plain...)
			}
		}
	}
	return all
}

func messages(t *testing.T, raw *arrowraw.File) []*arrowraw.RecordBatch {
	t.Helper()
	var list []*arrowraw.RecordBatch
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
	raw, err := arrowraw.Open(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	used := make([]bool, len(file))
	mark := func(from, n int64) {
		for i := from; i < from+n; i++ {
			used[i] = true
		}
	}
	start := func(b arrowraw.Block) {
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

// underNulls is dt's array of c in which nulls hide tokens.
func underNulls(t *testing.T, dt arrow.DataType, c cells, k tokens) arrow.Array {
	t.Helper()
	full := cells{typ: c.typ, value: slices.Clone(c.value)}
	valid := make([]byte, (len(c.value)+7)/8)
	nulls := 0
	for row := range c.value {
		if c.null[row] {
			full.value[row] = k.masked
			nulls++
		} else {
			valid[row>>3] |= 1 << (row & 7)
		}
	}
	d, ok := dt.(*arrow.DictionaryType)
	if !ok {
		d = &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: dt}
	}
	dict := dictionaryArray(t, d, full, 0, len(full.value), k.unused).(*array.Dictionary)
	var a arrow.Array = dict
	var values arrow.ArrayData
	if ok {
		values = dict.Dictionary().Data()
	} else {
		a = arrowArray(t, dt, full, 0, len(full.value))
	}
	buffers := slices.Clone(a.Data().Buffers())
	buffers[0] = memory.NewBufferBytes(valid)
	if !ok {
		return array.MakeFromData(array.NewData(dt, a.Len(), buffers, nil, nulls, 0))
	}
	return array.MakeFromData(array.NewDataWithDictionary(dt, a.Len(), buffers, nulls, 0, values.(*array.Data)))
}

// canary is a file whose private column a, dropped column d (if any) and kept
// ones n0 to n2 have tokens in every place that may hold them. Where a and d
// are dictionary encoded they share one dictionary.
func canary(t *testing.T, dt arrow.DataType, typ Type, k tokens, codec int, dropped bool) ([]byte, cells) {
	t.Helper()
	c := cells{typ: typ, null: make([]bool, 200)}
	for row := range 200 {
		c.null[row] = row%7 == 4
		v := k.letter[row%len(k.letter)]
		if c.null[row] {
			v = Value{}
		}
		c.value = append(c.value, v)
	}
	said := func(v Value) arrow.Metadata {
		f := forms(typ, v)
		return arrow.MetadataFrom(map[string]string{"pandas": fmt.Sprintf("[%q]", f), "raw": f[0]})
	}
	all := said(k.file)
	field := []arrow.Field{
		{Name: "n0", Type: arrowNeighbours[0].typ, Nullable: true, Metadata: said(k.field)}, {Name: "a", Type: dt, Nullable: true, Metadata: said(k.field)},
		{Name: "n1", Type: arrowNeighbours[1].typ, Nullable: true}, {Name: "n2", Type: arrowNeighbours[2].typ, Nullable: true},
		{Name: "d", Type: dt, Nullable: true, Metadata: said(k.field)},
	}
	if !dropped {
		field = field[:4]
	}
	schema := arrow.NewSchema(field, &all)
	var records []arrow.RecordBatch
	for from := 0; from < 200; from += 50 {
		part := cells{typ, c.value[from : from+50], c.null[from : from+50]}
		a := underNulls(t, dt, part, k)
		if _, ok := dt.(*arrow.DictionaryType); ok {
			a = array.NewSlice(underNulls(t, dt, c, k), int64(from), int64(from+50))
		}
		records = append(records, array.NewRecordBatch(schema, []arrow.Array{neighbourArray(t, 0, from, from+50), a, neighbourArray(t, 1, from, from+50), neighbourArray(t, 2, from, from+50), a}[:len(field)], 50))
	}
	file := writeRecords(t, schema, records, arrowCodecs[codec].option...)
	file = again(t, file, []arrowraw.KeyValue{{Key: "footer", Value: strings.Join(forms(typ, k.file), " ")}}, func(s *arrowraw.Schema) {
		if s.Fields[1].Dict != nil && dropped {
			s.Fields[4].Dict.ID = s.Fields[1].Dict.ID
		}
	})
	if fillGaps(t, file, forms(typ, k.gap)[0]) < 5 {
		t.Fatal("hardly any gap had room for a token")
	}
	return file, c
}

// again writes a file anew with another schema, and without the dictionaries
// that it no longer names.
func again(t *testing.T, file []byte, footer []arrowraw.KeyValue, change func(*arrowraw.Schema)) []byte {
	t.Helper()
	raw, err := arrowraw.Open(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	list := messages(t, raw)
	change(raw.Schema)
	named := map[int64]bool{}
	for i := range raw.Schema.Fields {
		raw.Schema.Fields[i].Dictionaries(func(id int64, _ *arrowraw.Field) { named[id] = true })
	}
	out := &memoryOutput{}
	raw.Batches = nil // without any, the writer aligns to 64 bytes: gaps with room for tokens
	w, err := arrowraw.NewWriter(out, raw, raw.Schema)
	if err != nil {
		t.Fatal(err)
	}
	for i, b := range list {
		place := w.Batch
		if i < len(raw.Dicts) {
			d := raw.Dicts[i]
			if !named[d.ID] {
				continue
			}
			place = func(b *arrowraw.NewBatch) *arrowraw.Placed { return w.Dictionary(d.ID, d.Delta, b) }
		}
		if err := place(b.Keep()).Write(); err != nil {
			t.Fatal(err)
		}
	}
	if out.size, err = w.Finish(footer); err != nil {
		t.Fatal(err)
	}
	return out.file(t)
}

func TestArrowCanary(t *testing.T) {
	text, number := Type{Kind: Text}, Type{Integer, 64, false}
	for _, typ := range []Type{text, number} {
		for _, dt := range arrowStorage(typ) {
			for codec := range arrowCodecs {
				t.Run(fmt.Sprintf("%v/%s", dt, arrowCodecs[codec].name), func(t *testing.T) {
					k := makeTokens(typ)
					file, c := canary(t, dt, typ, k, codec, true)
					checkControl(t, file, dt, typ, k)
					for _, to := range []*Alphabet{shifted(typ, 9, true), shifted(text, 9, true)} {
						after := rewrite(t, file, Request{Private: []string{"a"}, Drop: []string{"d"}}, false, to)
						checkFile(t, after, []string{"a"}, expected(c, to, false))
						checkNoToken(t, after, typ, k)
					}
				})
			}
		}
	}
}

// checkControl finds every token in the input.
func checkControl(t *testing.T, file []byte, dt arrow.DataType, typ Type, k tokens) {
	t.Helper()
	_, dictionary := dt.(*arrow.DictionaryType)
	all := everything(t, file)
	for i, v := range k.all() {
		if i == 0 && !dictionary {
			continue // no place for a letter that no row uses
		}
		if !bytes.Contains(all, []byte(forms(typ, v)[0])) {
			t.Fatalf("control: token %d is not in the input", i)
		}
	}
}

// checkNoToken looks for all tokens in all forms.
func checkNoToken(t *testing.T, file []byte, typ Type, k tokens) {
	t.Helper()
	all := everything(t, file)
	for i, v := range k.all() {
		for j, form := range forms(typ, v) {
			if at := bytes.Index(all, []byte(form)); at >= 0 {
				t.Fatalf("token %d in form %d stands in the output at %d of %d", i, j, at, len(file))
			}
		}
	}
}

// A kept column that shares the private one's dictionary keeps it as it is; the
// private one gets another.
func TestArrowSharedDictionary(t *testing.T) {
	dt := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int16, ValueType: arrow.BinaryTypes.String}
	c := makeCells(Type{Kind: Text}, 500, 20, nullPatterns[3].null)
	for _, codec := range arrowCodecs {
		apart := writeArrow(t, 200, []arrow.DataType{dt, dt, dt}, []cells{c, c, c}, 3, codec.option...)
		file := again(t, apart, nil, func(s *arrowraw.Schema) {
			var id *int64
			for i := range s.Fields {
				if d := s.Fields[i].Dict; d != nil && id == nil {
					id = &d.ID
				} else if d != nil {
					d.ID = *id
				}
			}
		})
		raw, err := arrowraw.Open(bytes.NewReader(file), int64(len(file)))
		if err != nil || len(raw.Dicts) != 1 {
			t.Fatalf("%d dictionaries, error %v; want one that is shared", len(raw.Dicts), err)
		}
		checkFile(t, file, []string{"a", "b", "c"}, c, c, c)
		for _, private := range [][]string{{"a"}, {"b"}, {"c"}, {"a", "c"}, {"c", "b"}, {"a", "b", "c"}} {
			var to []*Alphabet
			want := map[string]cells{"a": c, "b": c, "c": c}
			for i, name := range private {
				to = append(to, shifted(c.typ, 5+3*i, true))
				want[name] = expected(c, to[i], false)
			}
			after := rewrite(t, file, Request{Private: private}, false, to...)
			checkFile(t, after, []string{"a", "b", "c"}, want["a"], want["b"], want["c"])
			readRecords(t, after)
			var part []cells
			for _, name := range private {
				part = append(part, want[name])
			}
			checkRewritten(t, file, after, nil, private, part...)
		}
	}
}
