package inspect

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"
	"github.com/parquet-go/parquet-go/format"

	"github.com/tacet-privacy/tacet/io/table"
)

// readParquet counts the columns, one after the other, page by page. Values of a
// dictionary are looked up once for each row group.
func readParquet(ctx context.Context, local table.Content, f *File) error {
	file, err := parquet.OpenFile(local, local.Size(), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true),
		parquet.ReadBufferSize(64<<10))
	if err != nil {
		return err
	}
	leaf := map[string]int{} // of flat columns
	for _, c := range file.Root().Columns() {
		if c.Leaf() {
			leaf[c.Name()] = c.Index()
		}
	}
	for _, g := range file.RowGroups() {
		f.Read += f.part(g.NumRows(), len(f.Columns))
	}
	for i := range f.Columns {
		c := &f.Columns[i]
		at, flat := leaf[c.Name]
		c.nested = !flat
		if c.Readable = c.Readable && flat; !c.Readable {
			continue
		}
		if err := f.column(ctx, file, local, c, at); err != nil {
			return err
		}
	}
	return nil
}

// column counts a column.
func (f *File) column(ctx context.Context, file *parquet.File, local table.Content, c *Column, at int) error {
	if inRuns(file, at) {
		return c.scan(ctx, local)
	}
	for _, g := range file.RowGroups() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := c.tally.chunk(g.ColumnChunks()[at], f.part(g.NumRows(), len(f.Columns))); err != nil {
			return err
		}
	}
	return nil
}

// inRuns reports whether a column holds booleans in runs, which parquet-go 0.32 decodes
// wrongly where a run is no multiple of eight.
func inRuns(file *parquet.File, at int) bool {
	for _, g := range file.Metadata().RowGroups {
		m := &g.Columns[at].MetaData
		if m.Type == format.Boolean && !slices.Contains(m.Encoding, format.Plain) {
			return true
		}
	}
	return false
}

// chunk counts the first rows of a column chunk.
func (t *tally) chunk(c parquet.ColumnChunk, rows int64) error {
	pages := c.Pages()
	defer pages.Close()
	d := &dictionary{t: t}
	for rows > 0 {
		p, err := pages.ReadPage()
		if errors.Is(err, io.EOF) {
			return io.ErrUnexpectedEOF
		}
		if err != nil {
			return err
		}
		n := min(rows, p.NumRows())
		t.page(p, d, int(n))
		parquet.Release(p)
		rows -= n
	}
	return nil
}

// A dictionary remembers the numbers of its values.
type dictionary struct {
	t    *tally
	of   parquet.Dictionary
	id   []int32
	seen []bool
}

func (d *dictionary) use(of parquet.Dictionary) {
	if d.of != of {
		d.of, d.id, d.seen = of, make([]int32, of.Len()), make([]bool, of.Len())
	}
}

// number of an index. A value that no row has is not counted.
func (d *dictionary) number(index int32) int32 {
	if !d.seen[index] {
		d.seen[index] = true
		d.id[index] = d.t.value(d.of.Index(index))
	}
	return d.id[index]
}

// value is the number of a single value.
func (t *tally) value(v parquet.Value) int32 {
	switch v.Kind() {
	case parquet.Boolean:
		if v.Boolean() {
			return t.integer(1)
		}
		return t.integer(0)
	case parquet.Int32:
		return t.four(v.Int32())
	case parquet.Int64:
		return t.integer(v.Int64())
	case parquet.Float:
		return t.floating(float64(v.Float()))
	case parquet.Double:
		return t.floating(v.Double())
	case parquet.Int96:
		i := v.Int96()
		var b [12]byte
		for k, word := range i {
			binary.LittleEndian.PutUint32(b[4*k:], word)
		}
		return t.text(b[:])
	}
	return t.text(v.ByteArray())
}

// page counts the first n rows of a page.
func (t *tally) page(p parquet.Page, d *dictionary, n int) {
	number := func(i int) int32 { return null }
	data := p.Data()
	switch {
	case p.NumValues() == p.NumNulls():
	case p.Dictionary() != nil:
		d.use(p.Dictionary())
		index := data.Int32()
		number = func(i int) int32 { return d.number(index[i]) }
	default:
		number = t.plain(&data)
	}
	at := 0
	levels := p.DefinitionLevels()
	for row := range n {
		if levels != nil && levels[row] == 0 {
			t.row(null)
			continue
		}
		id := number(at)
		at++
		t.add(id, 1)
		t.row(id)
	}
}

// plain gives the numbers of values that no dictionary holds.
func (t *tally) plain(data *encoding.Values) func(i int) int32 {
	switch data.Kind() {
	case encoding.Boolean:
		bits := data.Boolean()
		return func(i int) int32 { return t.integer(int64(bits[i/8] >> (i % 8) & 1)) }
	case encoding.Int32:
		v := data.Int32()
		return func(i int) int32 { return t.four(v[i]) }
	case encoding.Int64:
		v := data.Int64()
		return func(i int) int32 { return t.integer(v[i]) }
	case encoding.Float:
		v := data.Float()
		return func(i int) int32 { return t.floating(float64(v[i])) }
	case encoding.Double:
		v := data.Double()
		return func(i int) int32 { return t.floating(v[i]) }
	case encoding.ByteArray:
		bytes, offset := data.ByteArray()
		return func(i int) int32 { return t.text(bytes[offset[i]:offset[i+1]]) }
	case encoding.Int96:
		bytes, _ := data.Data()
		return func(i int) int32 { return t.text(bytes[12*i : 12*i+12]) }
	}
	bytes, size := data.FixedLenByteArray()
	return func(i int) int32 { return t.text(bytes[i*size : (i+1)*size]) }
}
