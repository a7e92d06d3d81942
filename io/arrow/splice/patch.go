package splice

import (
	"cmp"
	"slices"

	"github.com/tacet-privacy/tacet/io/arrow/batch"
	"github.com/tacet-privacy/tacet/io/publish"
)

// writer starts the output: as a patch of the input where everything has room
// in its old place, else message by message.
func (a *File) writer(out publish.Output, output []*outputColumn) (*Writer, error) {
	schema := a.schema(output)
	if own := a.patch(output); own != nil {
		if w, err := NewPatch(out, a.raw, schema, own); w != nil || err != nil {
			return w, err
		}
	}
	return NewWriter(out, a.raw, schema)
}

// patch returns the new dictionaries by id where all that changes is the
// private columns' indices and dictionaries: nothing is dropped, no dictionary
// is shared with a kept column, unused or in parts, no index is wider, and no
// null comes or goes.
func (a *File) patch(output []*outputColumn) map[int64]*Batch {
	own := map[int64]*Batch{}
	for i, c := range a.private {
		o := output[i]
		if c.dict == nil || o.null || o.field.Dict.ID != c.field.Dict.ID ||
			!o.field.Dict.Index.Equal(c.field.Dict.Index) {
			return nil
		}
		if d, err := c.dict(); err != nil || d.null != nil {
			return nil
		}
		own[o.field.Dict.ID] = o.dictionary(a.raw.Version)
	}
	for _, role := range a.role {
		if role == dropped {
			return nil
		}
	}
	ids := a.keptDictionaries()
	seen := map[int64]bool{}
	for _, d := range a.raw.Dicts {
		if own[d.ID] == nil && !ids[d.ID] || own[d.ID] != nil && seen[d.ID] {
			return nil
		}
		seen[d.ID] = true
	}
	for id := range own {
		if !seen[id] {
			return nil
		}
	}
	return own
}

// slots are the places of the input's messages, which a patch gives to those
// that stand in for them. A nil one has none.
type slots struct {
	batches []batch.Block
	dicts   []batch.Dictionary // not yet given away
}

// NewPatch starts a file whose messages stand where those of in do: then
// copies are as long as can be, and a file system that shares blocks between
// files can share them. own are the dictionaries that do not come from in, by
// id; the record batches must be as those of in, with some buffers written
// anew. Where this cannot be, because something lacks room or order, NewPatch
// returns no Writer and has written nothing.
func NewPatch(out publish.Output, in *batch.File, schema *batch.Schema, own map[int64]*Batch) (*Writer, error) {
	w := &Writer{in: in, out: out, schema: schema, align: 8}
	w.slots = &slots{in.Batches, slices.Clone(in.Dicts)}
	start, end, ok := adjacent(in)
	head := w.schemaMessage()
	if !ok || 8+int64(len(head)) > start-batch.HeadSize {
		return nil, nil
	}
	for _, d := range in.Dicts {
		b := own[d.ID]
		if b == nil {
			kept, err := in.Dictionary(d)
			if err != nil {
				return nil, err
			}
			b = Keep(kept)
		}
		if w.fit(b, d.Block, b.dictionary(d.ID, d.Delta)) == nil {
			return nil, nil
		}
	}
	for i, slot := range in.Batches {
		kept, err := in.Batch(i)
		if err != nil {
			return nil, err
		}
		if b := Keep(kept); b.Codec != batch.None || w.fit(b, slot, b.message) == nil {
			return nil, nil
		}
	}
	if err := w.begin(frame(head, start-batch.HeadSize)); err != nil {
		return nil, err
	}
	w.pos = end
	return w, nil
}

// adjacent is where the messages of f behind the schema start and end, if there is
// nothing between them.
func adjacent(f *batch.File) (start, end int64, ok bool) {
	list := slices.Clone(f.Batches)
	for _, d := range f.Dicts {
		list = append(list, d.Block)
	}
	if len(list) == 0 {
		return 0, 0, false
	}
	slices.SortFunc(list, func(a, b batch.Block) int { return cmp.Compare(a.Offset, b.Offset) })
	start, end = list[0].Offset, list[0].Offset
	for _, b := range list {
		if b.Offset != end {
			return 0, 0, false
		}
		end += b.Meta + b.Body
	}
	return start, end, true
}

// fit lays a message out in a slot: its buffers where those were that they
// copy or stand in for, or one behind the other; nil where there is no room.
func (w *Writer) fit(b *Batch, slot batch.Block, head metadata) *Placed {
	p := &Placed{w: w, start: slot.Offset}
	buffer, ok := p.layoutOver(b, slot)
	if !ok {
		*p = Placed{w: w, start: slot.Offset}
		if buffer = w.layout(p, b); p.body > slot.Body {
			return nil
		}
	}
	p.body = slot.Body
	encoded := head(newEncoder(), buffer, p.body)
	if 8+int64(len(encoded)) > slot.Meta {
		return nil
	}
	p.meta = frame(encoded, slot.Meta)
	return p
}

// layoutOver puts the buffers where those were that they copy or stand in for.
func (p *Placed) layoutOver(b *Batch, slot batch.Block) (buffer []int64, ok bool) {
	free := int64(0)
	for _, c := range b.Columns {
		for _, part := range c.Buffers {
			was := part.Over
			if part.Copy.Len > 0 {
				was = part.Copy
			}
			n := part.len()
			at := was.Offset - slot.Offset - slot.Meta
			if n == 0 {
				at = (free + 7) / 8 * 8
			}
			if n > was.Len || at < free {
				return nil, false
			}
			buffer = append(buffer, at, n)
			p.parts = append(p.parts, part)
			p.at = append(p.at, at)
			free = at + n
		}
	}
	return buffer, true
}

// batch is the slot of record batch i.
func (s *slots) batch(i int) *batch.Block {
	if s == nil {
		return nil
	}
	return &s.batches[i]
}

// dictionary is the next slot of a dictionary with this id.
func (s *slots) dictionary(id int64) *batch.Block {
	if s == nil {
		return nil
	}
	i := slices.IndexFunc(s.dicts, func(d batch.Dictionary) bool { return d.ID == id })
	slot := s.dicts[i].Block
	s.dicts = slices.Delete(s.dicts, i, i+1)
	return &slot
}
