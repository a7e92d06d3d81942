package files

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// Scan looks for custom metadata, for bytes that arrow-go would not write of what it reads,
// and for values that no record uses: in the dictionary, or below a null.
func (a *arrowFile) Scan(l *Letters, keep []string) []Finding {
	strange := func(m arrow.Metadata) bool {
		return slices.ContainsFunc(m.Keys(), func(k string) bool { return !slices.Contains(keep, k) })
	}
	return []Finding{
		look("metadata", "no custom metadata in schema and column but what was asked for", func(w *Faults) {
			if strange(a.schema.Metadata()) {
				w.Addf("the schema holds custom metadata that was not asked for")
			}
			f := a.schema.Field(a.at)
			e, extends := f.Type.(arrow.ExtensionType)
			if strange(f.Metadata) || extends && e.ExtensionName() != "arrow.json" && e.ExtensionName() != "arrow.bool8" {
				w.Addf("column %d holds custom metadata that was not asked for", a.at+1)
			}
		}),
		look("gaps", fmt.Sprintf("no byte beside those of the schema, the values of %d record batches and the "+
			"dictionaries that they use", len(a.rows)), func(w *Faults) {
			if err := a.again(nil, nil); err != nil {
				w.Addf("%v", err)
			}
		}),
		look("pages", "dictionaries and values below nulls hold outputs only", func(w *Faults) {
			for unit := range a.rows {
				a.scanValues(unit, l, w)
			}
		}),
	}
}

// again writes the record batches as they are read, with columns of the input in place of those
// that are to be the same, and fails where the file is another: there is no place for anything
// else in it then, be it in the footer, in messages or between them.
func (a *arrowFile) again(input *arrowFile, same [][2]int) (err error) {
	defer guard(&err, "the record batches cannot be written again")
	whole, trim := &comparing{in: a.in}, trimmer{}
	to := bufio.NewWriterSize(whole, 1<<20)
	options := []ipc.Option{ipc.WithSchema(a.schema)}
	switch a.codec {
	case 0:
		options = append(options, ipc.WithLZ4())
	case 1:
		options = append(options, ipc.WithZstd())
	}
	w, err := ipc.NewFileWriter(to, options...)
	if err != nil {
		return err
	}
	for unit, rows := range a.rows {
		columns := slices.Clone(read(a.batch(unit)).Columns())
		if len(same) > 0 {
			theirs := read(input.batch(unit))
			for _, at := range same {
				columns[at[0]] = array.MakeFromData(trim.of(theirs.Column(at[1]).Data()))
			}
		}
		if w.Write(array.NewRecordBatch(a.schema, columns, rows)) != nil {
			return errorf("record batch %d: the file has other bytes than those of its values", unit+1)
		}
	}
	if w.Close() != nil || to.Flush() != nil || whole.at != a.size {
		return errorf("the file has other bytes than those of its schema and values")
	}
	return nil
}

// comparing fails at the first byte that a file has not.
type comparing struct {
	in  io.ReaderAt
	at  int64
	has []byte
}

func (c *comparing) Write(p []byte) (int, error) {
	c.has = slices.Grow(c.has[:0], len(p))[:len(p)]
	if n, _ := c.in.ReadAt(c.has, c.at); n < len(p) || !bytes.Equal(c.has, p) {
		return 0, errorf("differs")
	}
	c.at += int64(len(p))
	return len(p), nil
}

// scanValues looks at what a record batch, and before the first the dictionary, holds of
// the private column beside the values of its records.
func (a *arrowFile) scanValues(unit int, l *Letters, w *Faults) {
	column, dict, err := a.column(unit)
	read(column, err)
	if dict != nil && unit == 0 {
		values := dict.Dictionary()
		for i, of := 0, letterOf(values, l); i < values.Len(); i++ {
			if values.IsValid(i) && of(i) == Stranger {
				w.Addf("the dictionary holds a value that is no output")
				break
			}
		}
		scanUnused(values, "the dictionary", w)
	}
	scanUnused(column, fmt.Sprintf("record batch %d", unit+1), w)
}

// scanUnused looks for values below nulls, and for bytes that no value uses.
func scanUnused(column arrow.Array, in string, w *Faults) {
	var size func(i int) int64
	used := int64(0)
	switch v := column.(type) {
	case interface{ Value(int) string }:
		size = func(i int) int64 { return int64(len(v.Value(i))) }
	case interface{ Value(int) []byte }:
		size = func(i int) int64 { return int64(len(v.Value(i))) }
	case *array.Boolean:
		size = func(i int) int64 { return map[bool]int64{true: 1}[v.Value(i)] }
	default:
		raw, width := fixed(column)
		size = func(i int) int64 { return int64(len(bytes.Trim(raw[i*width:][:width], "\x00"))) }
	}
	for i := range column.Len() {
		n := size(i)
		if used += n; n != 0 && column.IsNull(i) {
			w.Addf("%s holds a value below a null", in)
			return
		}
	}
	if _, ok := column.(array.BinaryLike); ok && len(column.Data().Buffers()) == 3 {
		if b := column.Data().Buffers()[2]; b != nil && int64(b.Len()) > used {
			w.Addf("%s holds bytes that no value uses", in)
		}
	}
}

// sameField reports whether two columns are of one type, and the same is said of them.
func sameField(f, g arrow.Field) bool {
	return f.Equal(g) && arrow.TypeEqual(f.Type, g.Type, arrow.CheckMetadata())
}

// Same compares the fields of the schemas, and writes the file again with the columns of the
// input: arrow-go decides what that is.
func (a *arrowFile) Same(input File, redrawn []string) bool {
	both, ok := beside(a, input, redrawn)
	b, alike := input.(*arrowFile)
	return ok && alike && slices.Equal(a.rows, b.rows) && !slices.ContainsFunc(both, func(at [2]int) bool {
		return !sameField(a.schema.Field(at[0]), b.schema.Field(at[1]))
	}) && a.again(b, both) == nil
}

// A trimmer cuts arrays of the input to what a run keeps of them. It knows the dictionaries that
// it has cut.
type trimmer map[arrow.ArrayData]*array.Data

// of is an array whose buffers hold what its rows take, and no bit behind it.
func (t trimmer) of(d arrow.ArrayData) *array.Data {
	typ := d.DataType()
	if e, ok := typ.(arrow.ExtensionType); ok {
		typ = e.StorageType()
	}
	_, extra := typ.(arrow.OffsetsDataType) // one offset more than rows
	if id := typ.ID(); id == arrow.LIST_VIEW || id == arrow.LARGE_LIST_VIEW {
		extra = false
	}
	buffers, layout := slices.Clone(d.Buffers()), typ.Layout().Buffers
	for i, b := range buffers {
		if b == nil || b.Len() == 0 || i >= len(layout) ||
			layout[i].Kind != arrow.KindBitmap && layout[i].Kind != arrow.KindFixedWidth {
			continue
		}
		size, rest := d.Len()*layout[i].ByteWidth, 0
		switch {
		case layout[i].Kind == arrow.KindBitmap:
			size, rest = (d.Len()+7)/8, d.Len()%8
		case extra && i == 1:
			size += layout[i].ByteWidth
		}
		own := b.Bytes()[:min(size, b.Len())]
		if rest > 0 {
			own = bytes.Clone(own)
			own[len(own)-1] &= 1<<rest - 1
		}
		buffers[i] = memory.NewBufferBytes(own)
	}
	var below []arrow.ArrayData
	for _, child := range d.Children() {
		below = append(below, t.of(child))
	}
	if dictionary, ok := d.Dictionary().(*array.Data); ok && dictionary != nil {
		if t[dictionary] == nil {
			t[dictionary] = t.of(dictionary)
		}
		return array.NewDataWithDictionary(d.DataType(), d.Len(), buffers, d.NullN(), 0, t[dictionary])
	}
	return array.NewData(d.DataType(), d.Len(), buffers, below, d.NullN(), 0)
}
