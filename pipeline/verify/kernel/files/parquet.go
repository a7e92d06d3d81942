package files

import (
	"encoding/binary"
	"io"
	"unique"

	"github.com/parquet-go/parquet-go/format"
)

const (
	maxFooter = 64 << 20  // bounds the footer that is read, in bytes
	maxDepth  = 64        // bounds how deep columns are nested
	maxPage   = 256 << 20 // bounds a page without compression, in bytes
)

// A parquetFile is a footer, read field by field so that none goes unseen. Pages are
// decoded by parquet-go, which is shown one column at a time.
type parquetFile struct {
	head
	in     io.ReaderAt
	arrow  Arrow // of ARROW:schema
	footer *node // without row groups
	groups []group
	end    int64           // of the data, where the footer starts
	column []parquetColumn // of the top level
	leaf   int             // of the private column
}

// A parquetColumn is a part of the schema, in depth-first order, and where its leaves are
// among all.
type parquetColumn struct {
	element       []node
	first, leaves int
}

// A group is what is kept of a row group: a footer may have millions of fields.
type group struct {
	rows  int64
	told  []string // what it may not say
	by    []int64  // the leaves that it is said to be sorted by
	chunk []chunk  // by leaf
}

// A chunk is the same of a column chunk.
type chunk struct {
	at, size, values int64 // from its first page on
	physical, codec  int64
	path             unique.Handle[string] // of its column
	told, ofValues   []string              // what none may say, and what that of the private column may not
}

func openParquet(in io.ReaderAt, size int64, c Column) (_ File, err error) {
	defer guard(&err, "has a Parquet footer that cannot be decoded")
	p := &parquetFile{head: head{format: "parquet"}, in: in, arrow: c.Arrow}
	raw, err := p.read(size)
	if err != nil {
		return nil, err
	}
	var used int
	if p.footer, used = parseThrift(raw, p.take); used != len(raw) {
		return nil, errorf("has a footer with bytes behind it")
	}
	leaves, err := p.walk(c.Name)
	if err != nil {
		return nil, err
	}
	p.typ.Bins = c.Bins
	for _, g := range p.groups {
		p.rows = append(p.rows, g.rows)
		if len(g.chunk) != leaves || g.rows < 0 {
			return nil, errorf("has row groups that are not of its schema")
		}
		for _, c := range g.chunk { // before anything is allocated that a damaged length says
			if c.size < 0 || c.size > 0 && (c.at < 4 || c.at > p.end || c.size > p.end-c.at) {
				return nil, errorf("has column chunks that lie outside the file")
			}
		}
	}
	return p, nil
}

// read reads the footer: its length in 4 bytes and a mark stand behind it.
func (p *parquetFile) read(size int64) (raw []byte, err error) {
	tail := make([]byte, 8)
	if n, _ := p.in.ReadAt(tail, size-8); n < 8 || string(tail[4:]) != "PAR1" {
		return nil, errorf("does not end as a Parquet file does: it is cut short")
	}
	length := int64(binary.LittleEndian.Uint32(tail))
	if p.end = size - 8 - length; length > maxFooter || p.end < 4 {
		return nil, errorf("has a footer of an impossible length")
	}
	raw = make([]byte, length)
	if n, _ := p.in.ReadAt(raw, p.end); int64(n) < length {
		return nil, errorf("has a footer that cannot be read")
	}
	return raw, nil
}

// take keeps what is looked at of a RowGroup.
func (p *parquetFile) take(n *node) {
	g := group{rows: n.num(3)}
	if !n.only(1, 2, 3, 4, 5, 6, 7) {
		g.told = []string{"has fields that are not known"}
	}
	for _, by := range n.items(4) {
		g.by = append(g.by, by.num(1))
	}
	for _, c := range n.items(1) {
		m := c.get(3)
		k := chunk{physical: m.num(1), codec: m.num(4), values: m.num(5), at: m.num(9), size: m.num(7)}
		if d := m.num(11); d > 0 && (d < k.at || k.at <= 0) {
			k.at = d
		}
		k.told, k.ofValues = toldOf(&c, m)
		var path []byte
		for _, name := range m.items(3) {
			path = pathed(path, name.text)
		}
		k.path = unique.Make(string(path))
		g.chunk = append(g.chunk, k)
	}
	p.groups = append(p.groups, g)
}

// pathed appends a name to a path.
func pathed(path, name []byte) []byte {
	return append(binary.AppendUvarint(path, uint64(len(name))), name...)
}

// walk goes through the schema, a tree in depth-first order, and sets the private column.
func (p *parquetFile) walk(column string) (leaves int, err error) {
	list := p.footer.items(2)
	if len(list) == 0 {
		return 0, errorf("has a Parquet footer without a schema")
	}
	next := 1
	for range list[0].num(5) {
		from := next
		next = behind(list, from, 0)
		c := parquetColumn{element: list[from:next], first: leaves}
		for i := range c.element {
			if e := &c.element[i]; e.get(1) != nil {
				if c.leaves++; e.num(5) != 0 {
					return 0, errorf("has a schema that is no tree")
				}
			}
		}
		leaves += c.leaves
		p.column, p.name = append(p.column, c), append(p.name, list[from].name(4))
	}
	if next != len(list) {
		return 0, errorf("has a schema that is no tree")
	}
	if err := p.find(column); err != nil {
		return 0, err
	}
	var ok bool
	top := &p.column[p.at].element[0]
	if p.typ, ok = parquetType(top); !ok || top.get(1) == nil || top.num(3) > 1 {
		return 0, errorf("has a column %q of a type that is never privatized", column)
	}
	p.leaf = p.column[p.at].first
	return leaves, nil
}

// behind is the place behind an element and all below it.
func behind(list []node, at, depth int) int {
	if list[at].get(4) == nil || depth > maxDepth {
		panic("an element without a name, or too deep")
	}
	next := at + 1
	for range list[at].num(5) {
		next = behind(list, next, depth+1)
	}
	return next
}

// parquetType is the type of a leaf; ok is false where no run privatizes it. The member of
// the union LogicalType counts, or else the older ConvertedType [LogicalTypes.md].
func parquetType(e *node) (t Type, ok bool) {
	kind, is, converted := int16(0), &node{}, e.num(6) // member of LogicalType, 0 for none
	if logical := e.get(10); logical != nil && len(logical.field) > 0 {
		kind, is = logical.field[0].id, &logical.field[0].value
	} else if e.get(6) != nil {
		kind = -1
		if of := []int16{0: 1, 4: 4, 5, 6, 9: 8, 8, 10, 10, 10, 10, 10, 10, 10, 10, 12, 13, 21: 0}; converted >= 0 &&
			converted < 21 && of[converted] > 0 {
			kind = of[converted]
		}
	}
	physical := format.Type(e.num(1))
	whole := physical == format.Int32 || physical == format.Int64
	switch {
	case physical == format.Boolean:
		return Type{Kind: Boolean}, true
	case physical == format.Float || physical == format.Double:
		return Type{Kind: Float}, kind == 0
	case kind == 15: // FLOAT16
		return Type{Kind: Float}, physical == format.FixedLenByteArray && e.num(2) == 2
	case kind == 5: // DECIMAL
		scale := is.num(1)
		if len(is.field) == 0 {
			scale = e.num(7)
		}
		return Type{Kind: Decimal, Scale: int(scale)}, whole || physical == format.ByteArray ||
			physical == format.FixedLenByteArray
	case physical == format.ByteArray:
		if kind == 1 || kind == 4 || kind == 12 { // STRING, ENUM, JSON
			return Type{Kind: Text}, true
		}
		return Type{Kind: Binary}, kind == 0 || kind == 13 // none, BSON
	case !whole:
		return Type{}, false
	}
	switch kind {
	case 0:
		return Type{Kind: Integer, Bits: 32 * int(physical)}, true
	case 6: // DATE
		return Type{Kind: Date}, true
	case 8: // TIMESTAMP, in units of the union TimeUnit
		ticks := map[int64]int64{9: 1e3, 10: 1e6}[converted]
		if unit := is.get(2); unit != nil && len(unit.field) > 0 {
			ticks = map[int16]int64{1: 1e3, 2: 1e6, 3: 1e9}[unit.field[0].id]
		}
		return Type{Kind: Timestamp, Ticks: ticks}, ticks > 0 && physical == format.Int64
	case 10: // INTEGER
		if len(is.field) > 0 {
			return Type{Kind: Integer, Bits: int(is.num(1)), Unsigned: is.num(2) == 0}, true
		}
		step := converted - 11 // UINT_8 to UINT_64, then INT_8 to INT_64
		return Type{Kind: Integer, Bits: 8 << (step % 4), Unsigned: step < 4}, true
	}
	return Type{}, false
}
