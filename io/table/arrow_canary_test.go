package table_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/tacet-privacy/tacet/io/table"
)

func TestArrowCanary(t *testing.T) {
	text, number := table.Type{Kind: table.Text}, table.Type{Kind: table.Integer, Bits: 64, Unsigned: false}
	for _, typ := range []table.Type{text, number} {
		for _, dt := range arrowStorage(typ) {
			for codec := range arrowCodecs {
				t.Run(fmt.Sprintf("%v/%s", dt, arrowCodecs[codec].name), func(t *testing.T) {
					k := makeTokens(typ)
					file, c := canary(t, dt, typ, k, codec, true)
					checkControl(t, file, dt, typ, k)
					for _, to := range []*table.Alphabet{shifted(typ, 9, true), shifted(text, 9, true)} {
						after := rewrite(t, file, table.Request{Private: []string{"a"}, Drop: []string{"d"}}, false, to)
						checkFile(t, after, []string{"a"}, expected(c, to, false))
						checkNoToken(t, after, typ, k)
						if schema, _ := readRecords(t, after); schema.Field(0).Metadata.FindKey("beside") < 0 {
							t.Error("a kept column lost its metadata")
						}
					}
				})
			}
		}
	}
}

// checkControl finds every token in the input.
func checkControl(t *testing.T, file []byte, dt arrow.DataType, typ table.Type, k tokens) {
	t.Helper()
	_, dictionary := dt.(*arrow.DictionaryType)
	all := everything(t, file)
	for i, v := range k.all() {
		if i == 0 && !dictionary || i == 2 {
			continue // no place for a letter that no row uses, nor between buffers
		}
		if !bytes.Contains(all, []byte(forms(typ, v)[0])) {
			t.Fatalf("control: token %d is not in the input", i)
		}
	}
}

// checkNoToken looks for all tokens in all forms.
func checkNoToken(t *testing.T, file []byte, typ table.Type, k tokens) {
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
// ones n0 to n2 have tokens in every place that may hold them.
func canary(t *testing.T, dt arrow.DataType, typ table.Type, k tokens, codec int, dropped bool) ([]byte, cells) {
	t.Helper()
	c := cells{typ: typ, null: make([]bool, 200)}
	for row := range 200 {
		c.null[row] = row%7 == 4
		v := k.letter[row%len(k.letter)]
		if c.null[row] {
			v = table.Value{}
		}
		c.value = append(c.value, v)
	}
	said := func(v table.Value) arrow.Metadata {
		f := forms(typ, v)
		return arrow.MetadataFrom(map[string]string{"pandas": fmt.Sprintf("[%q]", f), "raw": f[0]})
	}
	all := said(k.file)
	field := []arrow.Field{
		{Name: "n0", Type: arrowNeighbours[0].typ, Nullable: true,
			Metadata: arrow.MetadataFrom(map[string]string{"beside": "stays"})},
		{Name: "a", Type: dt, Nullable: true, Metadata: said(k.field)},
		{Name: "n1", Type: arrowNeighbours[1].typ, Nullable: true},
		{Name: "n2", Type: arrowNeighbours[2].typ, Nullable: true},
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
		records = append(records, array.NewRecordBatch(schema, []arrow.Array{neighbourArray(t, 0, from, from+50), a,
			neighbourArray(t, 1, from, from+50), neighbourArray(t, 2, from, from+50), a}[:len(field)], 50))
	}
	return writeRecords(t, schema, records, arrowCodecs[codec].option...), c
}
