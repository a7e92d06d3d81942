package files

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
	if a.fields[a.at].dict != nil {
		if err := a.scanEntries(l, &hidden); err != nil {
			hidden.addf("the dictionary cannot be decoded")
		}
	}
	for unit := range a.rows {
		if err := a.scanValues(unit, &hidden); err != nil {
			hidden.addf("record batch %d cannot be decoded", unit+1)
		}
	}
	return []Finding{
		meta.finding("metadata", "no custom metadata in footer, schema, columns and messages but what was asked for"),
		gaps.finding("gaps", fmt.Sprintf("nothing but zeros between %d messages", len(a.rows)+len(a.dicts)+1)),
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
	if strange(keysOf(a.footer.pairs(4))) {
		p.addf("the footer holds custom metadata that was not asked for")
	}
	first, err := a.schemaBlock()
	if err != nil {
		p.addf("the schema message cannot be decoded")
		return
	}
	for i, b := range append(a.blocks(), first) {
		m, err := a.message(b)
		if err != nil || len(m.pairs(4)) > 0 {
			p.addf("message %d holds custom metadata", i+1)
		}
	}
	m, err := a.message(first)
	if err != nil {
		p.addf("the schema message cannot be decoded")
		return
	}
	for _, s := range []table{a.footer.sub(1), m.sub(2)} {
		if strange(keysOf(s.pairs(2))) {
			p.addf("the schema holds custom metadata that was not asked for")
		}
		fields := arrowFields(s)
		if !slices.EqualFunc(fields, a.fields, func(f, g arrowField) bool { return f.same(&g) }) {
			p.addf("the schema at the head of the file is another than that at its end")
			continue
		}
		f := &fields[a.at]
		if strange(keysOf(slices.DeleteFunc(f.said(), f.plain))) {
			p.addf("column %d holds custom metadata that was not asked for", a.at+1)
		}
	}
}

// The keys by which metadata say what a type extends.
const (
	extensionName     = "ARROW:extension:name"
	extensionMetadata = "ARROW:extension:metadata"
)

// plain reports whether a pair makes a private column one of an extension type
// without parameters: it says no more than a type does.
func (f *arrowField) plain(p pair) bool {
	t, _, _ := f.private()
	names := map[string]bool{"arrow.json": t.Kind == Text, "arrow.bool8": t.Kind == Integer && t.Bits == 8 && !t.Unsigned}
	return p.key == extensionName && names[p.value] || p.key == extensionMetadata && p.value == ""
}

func keysOf(pairs []pair) (keys []string) {
	for _, p := range pairs {
		keys = append(keys, p.key)
	}
	return keys
}

// schemaBlock is where the schema's message stands, behind the magic.
func (a *arrowFile) schemaBlock() (block, error) {
	head := make([]byte, 16)
	if n, _ := a.in.ReadAt(head, 0); n < len(head) || head[6] != 0 || head[7] != 0 ||
		binary.LittleEndian.Uint32(head[8:]) != math.MaxUint32 {
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

// scanEntries looks for entries of the dictionary that are no output, once for
// the whole file.
func (a *arrowFile) scanEntries(l *Letters, p *problems) (err error) {
	defer guard(&err, "the dictionary cannot be decoded")
	entries, err := a.entries()
	if err != nil {
		return err
	}
	letter, err := a.letters(l)
	if err != nil {
		return err
	}
	if slices.Contains(letter, Stranger) {
		p.addf("the dictionary holds a value that is no output")
	}
	for _, values := range entries {
		scanUnused(values, "the dictionary", p)
	}
	return nil
}

// scanValues looks at what a record batch holds of the private column beside
// the values of its records.
func (a *arrowFile) scanValues(unit int, p *problems) (err error) {
	defer guard(&err, "record batch %d cannot be decoded", unit+1)
	column, err := a.column(unit)
	if err != nil {
		return err
	}
	scanUnused(column, fmt.Sprintf("record batch %d", unit+1), p)
	return nil
}

// scanUnused looks for values below nulls, and for bytes that no value uses.
func scanUnused(column arrow.Array, in string, p *problems) {
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
		if n := decimalOf(column); n != nil {
			size = func(i int) int64 { return int64(n(i).BitLen()) }
		} else {
			size = numberOf(column)
		}
	}
	for i := range column.Len() {
		n := size(i)
		if used += n; n != 0 && column.IsNull(i) {
			p.addf("%s holds a value below a null", in)
			return
		}
	}
	if id := column.DataType().ID(); id == arrow.STRING || id == arrow.BINARY || id == arrow.LARGE_STRING ||
		id == arrow.LARGE_BINARY {
		if b := column.Data().Buffers()[2]; b != nil && int64(b.Len()) > used {
			p.addf("%s holds bytes that no value uses", in)
		}
	}
}
