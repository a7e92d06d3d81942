package splice

import (
	"encoding/json"
	"slices"

	"github.com/tacet-privacy/tacet/io/arrow/batch"
	"github.com/tacet-privacy/tacet/io/table"
)

// An outputColumn is what a private column becomes in the output. Nothing in it
// comes from the source but its name, type and nullability.
type outputColumn struct {
	field   batch.Field
	letters int          // of the output alphabet, without null
	null    bool         // null is a letter of it
	cells   *columnCells // of the record batches: indices, where dictionary encoded

	dict  *columnCells // the dictionary's values by letter; nil where there is none
	order []int32      // letters as the dictionary has them
}

// outputs decides the fields of the private columns.
func (a *File) outputs(to []*table.Alphabet) ([]*outputColumn, error) {
	if len(to) != len(a.private) {
		panic("splice: not one alphabet per private column")
	}
	taken := a.keptDictionaries()
	output := make([]*outputColumn, len(to))
	for i, c := range a.private {
		o := &outputColumn{letters: len(to[i].Values()), null: to[i].Null() >= 0}
		o.field = batch.Field{Name: c.Name, Nullable: c.Null || o.null, Type: c.field.Type}
		switch t := to[i].Type(); {
		case c.Writes(t):
		case t.Kind == table.Text:
			o.field.Type = batch.Type{Code: batch.Utf8}
		default:
			return nil, table.Errorf("", "column %q is of type %s, its outputs of type %s", c.Name, c.Type, t)
		}
		o.field.Metadata = o.extension(c, to[i])
		value, ok := stored(o.field.Type, to[i])
		if !ok {
			return nil, table.Errorf("publish the bins as text", "column %q cannot hold a value of its type %s", c.Name, c.Type)
		}
		o.cells = newColumnCells(o.field.Type, value)
		if c.dict != nil {
			d, err := c.dict()
			if err != nil {
				return nil, err
			}
			o.field.Nullable = o.field.Nullable || d.null != nil
			o.encode(to[i], c.field.Dict, taken)
		}
		output[i] = o
	}
	return output, nil
}

// stored are the values as columns of type t store them: those of exact bins, which are
// labels, as numbers of 64 bits or as little-endian bytes. ok is false where one has no room.
func stored(t batch.Type, to *table.Alphabet) (value []table.Value, ok bool) {
	b := to.Type().Bins
	if !b.Exact() {
		return to.Values(), true
	}
	for _, v := range to.Values() {
		cell, ok := b.Cell(v.Bytes)
		width := fixedWidth(t)
		if !ok || cell.BitLen() >= 8*width {
			return nil, false
		}
		if v = (table.Value{Int: cell.Int64()}); width > 8 {
			bytes := table.BigEndian(cell, width)
			slices.Reverse(bytes)
			v = table.Value{Bytes: string(bytes)}
		}
		value = append(value, v)
	}
	return value, true
}

// extension is what makes the column one of an extension type, where that has
// no parameters and the outputs are values of it: arrow.json and arrow.bool8.
// Other types come back as what they are stored as, since their metadata may
// be about the old values.
func (o *outputColumn) extension(c *privateColumn, to *table.Alphabet) []batch.KeyValue {
	const name, parameters = "ARROW:extension:name", "ARROW:extension:metadata"
	said := map[string]string{}
	for _, kv := range c.field.Metadata {
		said[kv.Key] = kv.Value
	}
	switch said[name] {
	case "arrow.json":
		if c.Type.Kind == table.Text && o.field.Type.Equal(c.field.Type) && !slices.ContainsFunc(to.Values(),
			func(v table.Value) bool { return !json.Valid([]byte(v.Bytes)) }) {
			return []batch.KeyValue{{Key: name, Value: said[name]}, {Key: parameters}}
		}
	case "arrow.bool8":
		if c.Type == (table.Type{Kind: table.Integer, Bits: 8}) && o.field.Type.Equal(c.field.Type) {
			return []batch.KeyValue{{Key: name, Value: said[name]}, {Key: parameters}}
		}
	}
	return nil
}

// encode makes the column dictionary encoded. The dictionary is the whole
// output alphabet, sorted. Its id is that of the source only where no kept
// column and no other private one uses that. The order of a source that calls
// its dictionary ordered is not kept, so the output does not call it that.
func (o *outputColumn) encode(to *table.Alphabet, source *batch.DictEncoding, taken map[int64]bool) {
	o.dict, o.order = o.cells, to.Sorted()
	rank := make([]table.Value, len(o.order))
	for i, letter := range o.order {
		rank[letter].Int = int64(i)
	}
	id := source.ID
	for fresh := int64(0); taken[id]; fresh++ {
		id = fresh
	}
	taken[id] = true
	o.field.Dict = &batch.DictEncoding{ID: id, Index: indexType(source.Index, o.letters)}
	o.cells = newColumnCells(o.field.Dict.Index, rank)
}

// indexType is t, or a wider type of the same sign where letters do not fit.
func indexType(t batch.Type, letters int) batch.Type {
	bits, signed := int(t.Num[0]), t.Num[1] != 0
	for ; bits < 64; bits *= 2 {
		value := bits
		if signed {
			value--
		}
		if uint64(letters) <= 1<<value {
			break
		}
	}
	return batch.IntType(bits, signed)
}

// dictionary is the message with the values of the dictionary.
func (o *outputColumn) dictionary(version int16) *Batch {
	w := o.dict.newColumn(int64(len(o.order)), o.letters)
	w.append(o.order, true)
	return &Batch{
		Version: version,
		Rows:    int64(len(o.order)),
		Codec:   batch.None,
		Columns: []Column{w.column()},
	}
}

// schema is that of the output: dropped columns are gone, private ones new,
// kept ones with all that is said of them, and the schema's own metadata only
// what the request asks for.
func (a *File) schema(output []*outputColumn) *batch.Schema {
	s := &batch.Schema{Metadata: a.metadata(a.raw.Schema.Metadata), Features: a.raw.Schema.Features}
	for i, f := range a.raw.Schema.Fields {
		switch at := a.role[i]; at {
		case dropped:
		case kept:
			s.Fields = append(s.Fields, f)
		default:
			s.Fields = append(s.Fields, output[at].field)
		}
	}
	return s
}

// metadata are the pairs that were asked for.
func (a *File) metadata(list []batch.KeyValue) []batch.KeyValue {
	var kept []batch.KeyValue
	for _, kv := range list {
		if slices.Contains(a.request.Metadata, kv.Key) {
			kept = append(kept, kv)
		}
	}
	return kept
}

// keptDictionaries are the ids that the columns use which stay as they are.
func (a *File) keptDictionaries() map[int64]bool {
	ids := map[int64]bool{}
	for i, role := range a.role {
		if role == kept {
			a.raw.Schema.Fields[i].Dictionaries(func(id int64, _ *batch.Field) { ids[id] = true })
		}
	}
	return ids
}
