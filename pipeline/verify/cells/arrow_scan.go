package cells

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// Scan looks for custom metadata, bytes between messages, and values that no
// record uses: in the dictionary, or below a null.
func (a *arrowFile) Scan(l *Letters, keep []string) []Finding {
	var meta, gaps, hidden problems
	err := func() (err error) {
		defer guard(&err, "cannot be decoded")
		a.scanMetadata(&meta, keep)
		a.scanGaps(&gaps)
		return nil
	}()
	if err != nil {
		meta.addf("the messages cannot be decoded")
	}
	for unit := range a.rows {
		if err := a.scanValues(unit, l, &hidden); err != nil {
			hidden.addf("record batch %d cannot be decoded", unit+1)
		}
	}
	return []Finding{
		meta.finding("metadata", "no custom metadata in footer, schema, columns and messages but what was asked for"),
		gaps.finding("gaps", fmt.Sprintf("nothing but zeros between %d messages", len(a.rows)+a.reader.NumDictionaries()+1)),
		hidden.finding("pages", "dictionaries and values below nulls hold outputs only"),
	}
}

// scanMetadata looks at every place that may hold custom metadata: the footer
// and each message, and the schema and its fields, which stand in the file
// twice.
func (a *arrowFile) scanMetadata(p *problems, keep []string) {
	strange := func(keys []string) bool {
		return slices.ContainsFunc(keys, func(k string) bool { return !slices.Contains(keep, k) })
	}
	if strange(a.footer.keys(4)) {
		p.addf("the footer holds custom metadata that was not asked for")
	}
	first, err := a.schemaBlock()
	if err != nil {
		p.addf("the schema message cannot be decoded")
		return
	}
	for i, b := range append(a.blocks(), first) {
		m, err := a.message(b)
		if err != nil || len(m.keys(4)) > 0 {
			p.addf("message %d holds custom metadata", i+1)
		}
	}
	m, err := a.message(first)
	if err != nil {
		p.addf("the schema message cannot be decoded")
		return
	}
	for _, s := range []table{a.footer.sub(1), m.sub(2)} {
		if strange(s.keys(2)) {
			p.addf("the schema holds custom metadata that was not asked for")
		}
		for i, f := range s.tables(1) {
			keys := f.fieldKeys(0)
			if i != a.at { // what makes a kept column one of an extension type stays
				keys = slices.DeleteFunc(keys, namesExtension)
			}
			if strange(keys) {
				p.addf("column %d holds custom metadata that was not asked for", i+1)
			}
		}
	}
}

// blocks are all messages that the footer lists.
func (a *arrowFile) blocks() []block {
	return slices.Concat(a.footer.blocks(2), a.footer.blocks(3))
}

// schemaBlock is where the schema's message stands, behind the magic.
func (a *arrowFile) schemaBlock() (block, error) {
	head := make([]byte, 16)
	if n, _ := a.in.ReadAt(head, 0); n < len(head) || head[6] != 0 || head[7] != 0 || binary.LittleEndian.Uint32(head[8:]) != math.MaxUint32 {
		return block{}, errorf("does not begin with magic and schema")
	}
	b := block{8, 8 + int64(binary.LittleEndian.Uint32(head[12:])), 0}
	if b.meta > a.end-b.at {
		return block{}, errorf("has a schema that lies outside the file")
	}
	return b, nil
}

// scanGaps looks at the bytes that are in no message: zeros, but for the end
// mark before the footer.
func (a *arrowFile) scanGaps(p *problems) {
	first, err := a.schemaBlock()
	if err != nil {
		p.addf("the file %v", err)
		return
	}
	blocks := append(a.blocks(), first)
	slices.SortFunc(blocks, func(x, y block) int { return cmp.Compare(x.at, y.at) })
	at := int64(8)
	for i, b := range append(blocks, block{at: a.end}) {
		if b.at < at {
			p.addf("message %d overlaps another", i+1)
		}
		gap := make([]byte, max(0, b.at-at))
		a.in.ReadAt(gap, at)
		if i == len(blocks) && len(gap) >= 8 && binary.LittleEndian.Uint32(gap) == math.MaxUint32 {
			gap = gap[4:]
		}
		if bytes.ContainsFunc(gap, func(r rune) bool { return r != 0 }) {
			p.addf("bytes that are not zero before message %d belong to none", i+1)
		}
		at = b.at + b.meta + b.body
	}
}

// scanValues looks at what a record batch holds of the private column beside
// the values of its records.
func (a *arrowFile) scanValues(unit int, l *Letters, p *problems) (err error) {
	defer guard(&err, "record batch %d cannot be decoded", unit+1)
	column, err := a.column(unit)
	if err != nil {
		return err
	}
	if d, ok := column.(*array.Dictionary); ok {
		letter := letterOf(d.Dictionary(), l)
		for i := range d.Dictionary().Len() {
			if d.Dictionary().IsValid(i) && letter(i) == Stranger {
				p.addf("the dictionary of record batch %d holds a value that is no output", unit+1)
				break
			}
		}
		scanUnused(d.Dictionary(), unit, p)
		for i := range d.Len() {
			if d.IsNull(i) && d.GetValueIndex(i) != 0 {
				p.addf("record batch %d holds an index below a null", unit+1)
				break
			}
		}
		return nil
	}
	scanUnused(column, unit, p)
	return nil
}

// scanUnused looks for values below nulls, and for bytes that no value uses.
func scanUnused(column arrow.Array, unit int, p *problems) {
	var size func(i int) int64
	used := int64(0)
	switch v := column.(type) {
	case interface{ Value(int) string }:
		size = func(i int) int64 { return int64(len(v.Value(i))) }
	case interface{ Value(int) []byte }:
		size = func(i int) int64 { return int64(len(v.Value(i))) }
	case *array.Boolean:
		size = func(i int) int64 {
			if v.Value(i) {
				return 1
			}
			return 0
		}
	default:
		size = numberOf(column)
	}
	for i := range column.Len() {
		n := size(i)
		if used += n; n != 0 && column.IsNull(i) {
			p.addf("record batch %d holds a value below a null", unit+1)
			return
		}
	}
	if id := column.DataType().ID(); id == arrow.STRING || id == arrow.BINARY || id == arrow.LARGE_STRING || id == arrow.LARGE_BINARY {
		if b := column.Data().Buffers()[2]; b != nil && int64(b.Len()) > used {
			p.addf("record batch %d holds bytes that no value uses", unit+1)
		}
	}
}

// Same compares the columns but those redrawn, value by value.
func (a *arrowFile) Same(input File, redrawn []string) (differ []string, err error) {
	defer guard(&err, "has columns that cannot be compared")
	b, ok := input.(*arrowFile)
	if !ok || len(a.rows) != len(b.rows) {
		return nil, errorf("cannot be compared with the input")
	}
	for unit := range a.rows {
		mine, err := a.reader.RecordBatchAt(unit)
		if err != nil {
			return nil, errorf("record batch %d cannot be decoded", unit+1)
		}
		theirs, err := b.reader.RecordBatchAt(unit)
		if err != nil {
			return nil, errorf("record batch %d of the input cannot be decoded", unit+1)
		}
		for i, name := range a.name {
			j := slices.Index(b.name, name)
			if i == a.at || slices.Contains(redrawn, name) {
				continue
			}
			if j < 0 || !array.ApproxEqual(mine.Column(i), theirs.Column(j), array.WithNaNsEqual(true), array.WithAbsTolerance(0)) {
				differ = append(differ, name)
			}
		}
	}
	slices.Sort(differ)
	return slices.Compact(differ), nil
}
