package files

import (
	"encoding/binary"
	"io"
	"slices"
	"sync"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

// maxFooter bounds the footer that is read, in bytes.
const maxFooter = 64 << 20

// maxDepth bounds how deep columns are nested.
const maxDepth = 64

// Numbers of parquet.thrift: physical types, and what the members of the union
// LogicalType and the enum ConvertedType mean for a private column.
const (
	physicalBoolean   = 0
	physicalInt32     = 1
	physicalInt64     = 2
	physicalFloat     = 4
	physicalDouble    = 5
	physicalByteArray = 6
	physicalFixed     = 7
)

// maxPage bounds a page without compression, in bytes.
const maxPage = 256 << 20

// batch is how many rows are decoded at once.
const batch = 4096

// A parquetFile is a footer as this package reads it. arrow-go decodes the
// pages of the private column and is shown nothing of the others: what it
// makes of their types is no matter.
type parquetFile struct {
	in       io.ReaderAt
	footer   *node
	groups   []group
	rows     []int64 // of each
	end      int64   // of the data, where the footer starts
	name     []string
	elements [][]*node // of the schema, by top-level column
	leaves   int
	leaf     int // of the private column
	at       int // of the private column among the names
	typ      Type
	null     bool
	column   *schema.Column // the private one, as arrow-go is told of it
	buffers  sync.Pool
}

// A schemaWalk goes through the elements of a schema.
type schemaWalk struct {
	list         []*node
	next, leaves int
}

type parquetReader struct {
	chunk   file.ColumnChunkReader
	letters *Letters
	unit    int
	left    int64
	level   []int16 // nil for a required column
	block   any     // of values of the type of the chunk
	recent  *recent // nil before it is worth its room
}

func openParquet(in io.ReaderAt, size int64, column string, bins *Bins) (_ File, err error) {
	defer guard(&err, "has a Parquet footer that cannot be decoded")
	p := &parquetFile{in: in, leaf: -1}
	p.buffers.New = func() any { return memory.NewResizableBuffer(memory.DefaultAllocator) }
	raw, end, err := footerOf(in, size, "PAR1", "a Parquet", 4)
	if err != nil {
		return nil, err
	}
	p.end = end
	var used int
	groups := groupsOf{name: map[string]string{}}
	if p.footer, used = parseFooter(raw, groups.take); used != len(raw) {
		return nil, errorf("has a footer with bytes behind it")
	}
	p.groups = groups.groups
	for _, g := range p.groups {
		p.rows = append(p.rows, g.rows)
	}
	if err := p.find(column); err != nil {
		return nil, err
	}
	p.typ.Bins = bins
	if !p.sound() {
		return nil, errorf("has column chunks that lie outside the file")
	}
	return p, nil
}

// find walks the schema, a tree in depth-first order, and sets the private
// column.
func (p *parquetFile) find(column string) error {
	list := p.footer.items(2)
	if len(list) == 0 {
		return errorf("has a Parquet footer without a schema")
	}
	w := schemaWalk{list: list, next: 1}
	for range list[0].num(5) {
		from, leaf := w.next, w.leaves
		if !w.step(0) {
			return errorf("has a schema that is no tree")
		}
		top := list[from]
		name := string(top.get(4).text)
		p.name, p.elements = append(p.name, name), append(p.elements, list[from:w.next])
		if name != column || top.get(1) == nil {
			continue
		}
		if p.leaf >= 0 {
			return errorf("has two columns %q", column)
		}
		p.leaf, p.at = leaf, len(p.name)-1
		if err := p.private(top); err != nil {
			return err
		}
	}
	if p.leaves = w.leaves; w.next != len(list) {
		return errorf("has a schema that is no tree")
	}
	if p.leaf < 0 {
		return errorf("has no column %q", column)
	}
	return nil
}

// private takes the type of the private column from its element.
func (p *parquetFile) private(element *node) error {
	name, physical, repetition := string(element.get(4).text), element.num(1), element.num(3)
	var ok bool
	if p.typ, ok = parquetType(element); !ok || repetition > 1 {
		return errorf("has a column %q of a type that is never privatized", name)
	}
	p.null = repetition == 1
	leaf, err := schema.NewPrimitiveNode(name, parquet.Repetition(repetition), parquet.Type(physical), -1,
		int32(element.num(2)))
	if err != nil {
		return errorf("has a column %q of a type that is never privatized", name)
	}
	p.column = schema.NewColumn(leaf, int16(repetition), 0)
	return nil
}

// step goes over the element that comes next and all below it.
func (w *schemaWalk) step(depth int) bool {
	if w.next >= len(w.list) || depth > maxDepth || w.list[w.next].get(4) == nil {
		return false
	}
	e := w.list[w.next]
	w.next++
	if e.get(1) != nil {
		w.leaves++
		return e.num(5) == 0
	}
	for range e.num(5) {
		if !w.step(depth + 1) {
			return false
		}
	}
	return true
}

// parquetType is the type of a leaf; ok is false where no run privatizes it.
// The newer annotation counts where both stand.
func parquetType(element *node) (t Type, ok bool) {
	logical, converted := element.get(10), element.get(6)
	kind := int16(0) // member of LogicalType, 0 for none
	var is *node
	switch {
	case logical != nil && len(logical.field) > 0:
		kind, is = logical.field[0].id, logical.field[0].value
	case converted != nil:
		if kind, ok = map[int64]int16{0: 1, 4: 4, 5: 5, 6: 6, 9: 8, 10: 8, 19: 12, 20: 13}[converted.number]; !ok {
			if kind = -1; converted.number >= 11 && converted.number <= 18 {
				kind = 10
			}
		}
	}
	bits := 32
	decimal := Type{Kind: Decimal, Scale: int(is.num(1))}
	if is == nil {
		decimal.Scale = int(element.num(7))
	}
	switch physical := element.num(1); physical {
	case physicalFloat, physicalDouble:
		return Type{Kind: Float, Bits: map[int64]int{physicalFloat: 32, physicalDouble: 64}[physical]}, kind == 0
	case physicalFixed:
		if kind == 15 { // FLOAT16
			return Type{Kind: Float, Bits: 16}, element.num(2) == 2
		}
		return decimal, kind == 5
	case physicalByteArray:
		if kind == 5 {
			return decimal, true
		}
		switch kind {
		case 1, 4, 12: // STRING, ENUM, JSON
			return Type{Kind: Text}, true
		case 0, 13: // none, BSON
			return Type{Kind: Binary}, true
		}
		return Type{}, false
	case physicalBoolean:
		return Type{Kind: Boolean}, true
	case physicalInt64:
		bits = 64
	case physicalInt32:
	default:
		return Type{}, false
	}
	switch kind {
	case 0:
		return Type{Kind: Integer, Bits: bits}, true
	case 5: // DECIMAL
		return decimal, true
	case 6: // DATE
		return Type{Kind: Date}, true
	case 8: // TIMESTAMP, in units of the union TimeUnit
		ticks := map[int64]int64{9: 1e3, 10: 1e6}[converted.value()]
		if unit := is.get(2); unit != nil && len(unit.field) > 0 {
			ticks = map[int16]int64{1: 1e3, 2: 1e6, 3: 1e9}[unit.field[0].id]
		}
		return Type{Kind: Timestamp, Ticks: ticks}, ticks > 0 && bits == 64
	case 10: // INTEGER
		if is != nil {
			return Type{Kind: Integer, Bits: int(is.num(1)), Unsigned: is.num(2) == 0}, true
		}
		step := converted.value() - 11 // UINT_8 to UINT_64, then INT_8 to INT_64
		return Type{Kind: Integer, Bits: 8 << (step % 4), Unsigned: step < 4}, true
	}
	return Type{}, false
}

func (p *parquetFile) Format() string { return "parquet" }

func (p *parquetFile) Columns() []string { return p.name }

func (p *parquetFile) Type() Type { return p.typ }

func (p *parquetFile) Units() []int64 { return p.rows }

// sound checks, before the library allocates what a damaged length says, that
// every chunk lies before the footer.
func (p *parquetFile) sound() bool {
	for _, g := range p.groups {
		if len(g.chunk) != p.leaves || g.rows < 0 {
			return false
		}
		for _, c := range g.chunk {
			if c.size < 0 || c.size > 0 && (c.at < 4 || c.at > p.end || c.size > p.end-c.at) {
				return false
			}
		}
	}
	return true
}

// soundPages checks that the pages of a private chunk fill it, that none is
// too large, and that together they have the values that the chunk has.
func (p *parquetFile) soundPages(unit int) bool {
	c := p.groups[unit].chunk[p.leaf]
	chunk := make([]byte, c.size)
	if n, _ := p.in.ReadAt(chunk, c.at); int64(n) < c.size {
		return false
	}
	values := int64(0)
	for len(chunk) > 0 {
		head, used := parseThrift(chunk)
		plain, stored := head.num(2), head.num(3)
		if plain < 0 || plain > maxPage || stored < 0 || stored > int64(len(chunk)-used) {
			return false
		}
		chunk = chunk[int64(used)+stored:]
		switch head.num(1) {
		case 0:
			values += head.get(5).num(1)
		case 2:
			if n := head.get(7).num(1); n < 0 || n > plain*8 {
				return false
			}
		case 3:
			values += head.get(8).num(1)
		}
	}
	return values == c.values && values == p.groups[unit].rows
}

func (p *parquetFile) Open(unit int, l *Letters) (_ Reader, err error) {
	defer guard(&err, "row group %d cannot be decoded", unit+1)
	if !p.soundPages(unit) {
		return nil, errorf("has pages that do not hold the rows of row group %d", unit+1)
	}
	pages, err := p.pages(p.groups[unit].chunk[p.leaf])
	if err != nil {
		return nil, errorf("cannot be decoded in row group %d", unit+1)
	}
	c := file.NewColumnReader(p.column, pages, memory.DefaultAllocator, &p.buffers)
	r := &parquetReader{chunk: c, letters: l, unit: unit, left: p.groups[unit].rows}
	if p.null {
		r.level = make([]int16, min(batch, r.left))
	}
	return r, nil
}

// pages are those of a chunk.
func (p *parquetFile) pages(c chunk) (file.PageReader, error) {
	stream, err := parquet.NewReaderProperties(memory.DefaultAllocator).GetStream(p.in, c.at, c.size)
	if err != nil {
		return nil, err
	}
	//lint:ignore SA1019 The file's other columns are kept from the library: no other entry takes a chunk alone.
	return file.NewPageReader(stream, c.values, compress.Compression(c.codec), memory.DefaultAllocator, nil)
}

// Next reads values, which stand without nulls, and spreads them by level.
func (r *parquetReader) Next(dst []int32) (n int, err error) {
	defer guard(&err, "row group %d cannot be decoded", r.unit+1)
	if r.left == 0 {
		return 0, io.EOF
	}
	want := min(int64(len(dst)), r.left, batch)
	rows, values, err := r.decode(want, dst)
	if err != nil || rows <= 0 || rows > want {
		return 0, errorf("cannot be decoded in row group %d, or holds fewer rows there than the footer says", r.unit+1)
	}
	r.left -= rows
	if r.level == nil {
		return int(rows), nil
	}
	at := values - 1
	for i := int(rows) - 1; i >= 0; i-- {
		if r.level[i] == 0 {
			dst[i] = r.letters.null
			continue
		}
		dst[i] = dst[at]
		at--
	}
	if at != -1 {
		return 0, errorf("has more values than rows in row group %d", r.unit+1)
	}
	return int(rows), nil
}

// decode puts the letters of the values that are not null at the front of dst.
func (r *parquetReader) decode(want int64, dst []int32) (rows int64, values int, err error) {
	l, look := r.letters, r.look(want)
	switch c := r.chunk.(type) {
	case *file.ByteArrayColumnChunkReader:
		return letters(r, c.ReadBatch, dst[:want], func(v parquet.ByteArray) int32 { return look.bytes(v, l) })
	case *file.Int32ColumnChunkReader:
		if l.Type.Unsigned {
			return letters(r, c.ReadBatch, dst[:want], func(v int32) int32 { return look.num(int64(uint32(v)), l) })
		}
		return letters(r, c.ReadBatch, dst[:want], func(v int32) int32 { return look.num(int64(v), l) })
	case *file.Int64ColumnChunkReader:
		return letters(r, c.ReadBatch, dst[:want], func(v int64) int32 { return look.num(v, l) })
	case *file.Float32ColumnChunkReader:
		return letters(r, c.ReadBatch, dst[:want], func(v float32) int32 { return l.float(float64(v)) })
	case *file.Float64ColumnChunkReader:
		return letters(r, c.ReadBatch, dst[:want], l.float)
	case *file.FixedLenByteArrayColumnChunkReader:
		return letters(r, c.ReadBatch, dst[:want], func(v parquet.FixedLenByteArray) int32 { return fixed(v, l) })
	case *file.BooleanColumnChunkReader:
		return letters(r, c.ReadBatch, dst[:want], l.truth)
	}
	return 0, 0, nil
}

// letters reads values of a type into a block that r keeps.
func letters[T any](r *parquetReader, read func(int64, []T, []int16, []int16) (int64, int, error), dst []int32,
	letter func(T) int32) (rows int64, values int, err error) {
	block, _ := r.block.([]T)
	block = slices.Grow(block[:0], len(dst))[:len(dst)]
	r.block = block
	rows, values, err = read(int64(len(dst)), block, r.level, nil)
	for i, v := range block[:values] {
		dst[i] = letter(v)
	}
	return rows, values, err
}

// fixed is the letter of bytes of a fixed width: a float of 16 bits, or a decimal.
func fixed(v []byte, l *Letters) int32 {
	if l.Type.Kind == Float {
		return l.float(half(binary.LittleEndian.Uint16(v)))
	}
	return l.bytes(v)
}
