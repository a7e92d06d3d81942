package arrow

import (
	"slices"

	"github.com/tacet-privacy/tacet/io/arrowraw/codec"
	"github.com/tacet-privacy/tacet/io/arrowraw/format"
	"github.com/tacet-privacy/tacet/io/arrowraw/splice"
	"github.com/tacet-privacy/tacet/io/colfile/input"
	"github.com/tacet-privacy/tacet/io/colfile/letter"
)

// An outputColumn is what a private column becomes in the output. Nothing in it
// comes from the source but its name, type and nullability.
type outputColumn struct {
	field   format.Field
	letters int          // of the output alphabet, without null
	null    bool         // null is a letter of it
	cells   *columnCells // of the record batches: indices, where dictionary encoded

	dict  *columnCells // the dictionary's values by letter; nil where there is none
	order []int32      // letters as the dictionary has them
}

// outputs decides the fields of the private columns.
func (a *File) outputs(to []*letter.Alphabet) ([]*outputColumn, error) {
	if len(to) != len(a.private) {
		panic("colfile: not one alphabet per private column")
	}
	taken := a.keptDictionaries()
	output := make([]*outputColumn, len(to))
	for i, c := range a.private {
		o := &outputColumn{letters: len(to[i].Values()), null: to[i].Null() >= 0}
		o.field = format.Field{Name: c.Name, Nullable: c.Null || o.null, Type: c.field.Type}
		switch t := to[i].Type(); {
		case t == c.Type:
		case t.Kind == letter.Text:
			o.field.Type = format.Type{Code: format.Utf8}
		default:
			return nil, input.Errorf("", "column %q is of type %s, its outputs of type %s", c.Name, c.Type, t)
		}
		o.cells = newColumnCells(o.field.Type, to[i].Values())
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

// encode makes the column dictionary encoded. The dictionary is the whole
// output alphabet, sorted. Its id is that of the source only where no kept
// column and no other private one uses that. The order of a source that calls
// its dictionary ordered is not kept, so the output does not call it that.
func (o *outputColumn) encode(to *letter.Alphabet, source *format.DictEncoding, taken map[int64]bool) {
	o.dict, o.order = o.cells, to.Sorted()
	rank := make([]letter.Value, len(o.order))
	for i, letter := range o.order {
		rank[letter].Int = int64(i)
	}
	id := source.ID
	for fresh := int64(0); taken[id]; fresh++ {
		id = fresh
	}
	taken[id] = true
	o.field.Dict = &format.DictEncoding{ID: id, Index: indexType(source.Index, o.letters)}
	o.cells = newColumnCells(o.field.Dict.Index, rank)
}

// indexType is t, or a wider type of the same sign where letters do not fit.
func indexType(t format.Type, letters int) format.Type {
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
	return format.IntType(bits, signed)
}

// dictionary is the message with the values of the dictionary.
func (o *outputColumn) dictionary(version int16) *splice.Batch {
	w := o.dict.newColumn(int64(len(o.order)), o.letters)
	w.append(o.order, true)
	return &splice.Batch{
		Version: version,
		Rows:    int64(len(o.order)),
		Codec:   codec.None,
		Columns: []splice.Column{w.column()},
	}
}

// schema is that of the output: dropped columns are gone, private ones new,
// and metadata only what the request asks for and what makes a kept column one
// of an extension type.
func (a *File) schema(output []*outputColumn) *format.Schema {
	s := &format.Schema{Metadata: a.metadata(a.raw.Schema.Metadata), Features: a.raw.Schema.Features}
	for i, f := range a.raw.Schema.Fields {
		switch at := a.role[i]; at {
		case dropped:
		case kept:
			s.Fields = append(s.Fields, a.keptField(f))
		default:
			s.Fields = append(s.Fields, output[at].field)
		}
	}
	return s
}

func (a *File) keptField(f format.Field) format.Field {
	f.Metadata = a.metadata(f.Metadata, "ARROW:extension:name", "ARROW:extension:metadata")
	f.Children = slices.Clone(f.Children)
	for i, c := range f.Children {
		f.Children[i] = a.keptField(c)
	}
	return f
}

// metadata are the pairs that were asked for, and those with the other keys.
func (a *File) metadata(list []format.KeyValue, other ...string) []format.KeyValue {
	var kept []format.KeyValue
	for _, kv := range list {
		if slices.Contains(a.request.Metadata, kv.Key) || slices.Contains(other, kv.Key) {
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
			a.raw.Schema.Fields[i].Dictionaries(func(id int64, _ *format.Field) { ids[id] = true })
		}
	}
	return ids
}
