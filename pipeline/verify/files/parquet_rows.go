package files

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

// A parquetLeaf is a column of values below a top-level column.
type parquetLeaf struct {
	at     int // among the leaves
	column *schema.Column
}

// Digests reads every leaf by arrow-go's reader of a chunk: a cell is the levels and
// values of its leaves.
func (p *parquetFile) Digests(columns []string) (_ []Digest, err error) {
	defer guard(&err, "has columns that cannot be decoded")
	s := newRowSum(p.rows)
	first := 0
	for unit, n := range p.rows {
		for row := range int(n) {
			s.put(first + row)
		}
		at := 0
		for i, name := range p.name {
			leaves, next, err := leavesOf(p.elements[i], at)
			if err != nil {
				return nil, err
			}
			at = next
			if !slices.Contains(columns, name) {
				continue
			}
			for _, l := range leaves {
				if rows, ok := p.leafRows(s, unit, l, first); !ok || rows != int(n) {
					return nil, errorf("cannot be decoded in column %q of row group %d", name, unit+1)
				}
			}
		}
		first += int(n)
	}
	return s.row, nil
}

// leavesOf are the leaves of a top-level column, the first of which has this place;
// next is the place behind them.
func leavesOf(elements []*node, first int) (leaves []parquetLeaf, next int, err error) {
	next = first
	at := 0
	var walk func(definition, repetition int16) error
	walk = func(definition, repetition int16) error {
		e := elements[at]
		at++
		switch e.num(3) {
		case 1:
			definition++
		case 2:
			definition++
			repetition++
		}
		if e.get(1) == nil {
			for range e.num(5) {
				if err := walk(definition, repetition); err != nil {
					return err
				}
			}
			return nil
		}
		leaf, err := schema.NewPrimitiveNode(string(e.get(4).text), parquet.Repetition(e.num(3)), parquet.Type(e.num(1)), -1,
			int32(e.num(2)))
		if err != nil {
			return errorf("has a column of a type that is not known")
		}
		leaves = append(leaves, parquetLeaf{next, schema.NewColumn(leaf, definition, repetition)})
		next++
		return nil
	}
	return leaves, next, walk(0, 0)
}

// leafRows takes the rows of a chunk, and counts them.
func (p *parquetFile) leafRows(s *rowSum, unit int, l parquetLeaf, first int) (rows int, ok bool) {
	of := p.groups[unit].chunk[l.at]
	if of.values == 0 {
		return 0, true
	}
	pages, err := p.pages(of)
	if err != nil {
		return 0, false
	}
	r := &leafReader{s: s, most: l.column.MaxDefinitionLevel(), row: first - 1,
		definition: make([]int16, batch), repetition: make([]int16, batch)}
	ok = true
	switch c := file.NewColumnReader(l.column, pages, memory.DefaultAllocator, &p.buffers).(type) {
	case *file.ByteArrayColumnChunkReader:
		ok = take(r, c.ReadBatch, func(v parquet.ByteArray) { s.text(v) })
	case *file.FixedLenByteArrayColumnChunkReader:
		ok = take(r, c.ReadBatch, func(v parquet.FixedLenByteArray) { s.text(v) })
	case *file.Int32ColumnChunkReader:
		ok = take(r, c.ReadBatch, func(v int32) { s.number(uint64(v)) })
	case *file.Int64ColumnChunkReader:
		ok = take(r, c.ReadBatch, func(v int64) { s.number(uint64(v)) })
	case *file.Int96ColumnChunkReader:
		ok = take(r, c.ReadBatch, func(v parquet.Int96) { s.text(v[:]) })
	case *file.Float32ColumnChunkReader:
		ok = take(r, c.ReadBatch, func(v float32) { s.number(uint64(math.Float32bits(v))) })
	case *file.Float64ColumnChunkReader:
		ok = take(r, c.ReadBatch, func(v float64) { s.number(math.Float64bits(v)) })
	case *file.BooleanColumnChunkReader:
		ok = take(r, c.ReadBatch, func(v bool) { s.number(map[bool]uint64{false: 0, true: 1}[v]) })
	default:
		ok = false
	}
	if r.row >= first {
		s.put(r.row)
	}
	return r.row + 1 - first, ok && r.values == of.values
}

func (s *rowSum) number(v uint64) { s.cell = binary.LittleEndian.AppendUint64(s.cell, v) }

// A leafReader cuts a chunk into rows.
type leafReader struct {
	s                      *rowSum
	most                   int16 // definition level of a value
	row                    int   // that is taken
	values                 int64
	definition, repetition []int16
}

// take reads values with their levels; a value of repetition level 0 begins a row.
func take[T any](r *leafReader, read func(int64, []T, []int16, []int16) (int64, int, error), value func(T)) bool {
	block := make([]T, batch)
	for {
		n, filled, err := read(batch, block, r.definition, r.repetition)
		if err != nil {
			return false
		}
		if n == 0 {
			return true
		}
		r.values += n
		at := 0
		for i := range int(n) {
			if r.repetition[i] == 0 {
				if r.row >= 0 && len(r.s.cell) > 0 {
					r.s.put(r.row)
				}
				r.row++
			}
			r.s.cell = append(r.s.cell, byte(r.repetition[i]), byte(r.definition[i]))
			if r.definition[i] < r.most {
				continue
			}
			if at >= filled {
				return false
			}
			value(block[at])
			at++
		}
		if at != filled {
			return false
		}
	}
}
