package splice

import (
	"encoding/binary"

	"github.com/tacet-privacy/tacet/io/arrow/batch"
	"github.com/tacet-privacy/tacet/io/publish"
)

// A Batch is a record batch, or a dictionary's values, to be written.
type Batch struct {
	Version int16
	Rows    int64
	Codec   batch.Codec // of the copied buffers; new ones are marked as stored raw
	Columns []Column
}

// A Column is a column of a Batch with its children.
type Column struct {
	Nodes    []batch.Node
	Buffers  []Part
	Variadic []int64
}

// A Part is a buffer: new bytes, or a span of the input.
type Part struct {
	New  []byte
	Copy batch.Span
	Over batch.Span // what New stands in for, if anything
}

// Keep is the message b as it stands in the input.
func Keep(b *batch.RecordBatch) *Batch {
	k := &Batch{Version: b.Version, Rows: b.Rows, Codec: b.Codec}
	for _, c := range b.Columns {
		k.Columns = append(k.Columns, keepColumn(c))
	}
	return k
}

func keepColumn(c batch.Column) Column {
	k := Column{Nodes: c.Nodes, Variadic: c.Variadic}
	for _, s := range c.Buffers {
		k.Buffers = append(k.Buffers, Part{Copy: s})
	}
	return k
}

// A Writer writes a file. Messages are placed one after the other and may
// then be written in any order and from several goroutines.
type Writer struct {
	in     *batch.File
	out    publish.Output
	schema *batch.Schema
	align  int64
	pos    int64
	dicts  []batch.Block
	blocks []batch.Block
	slots  *slots // of a patch; nil otherwise
}

// NewWriter starts a file of this schema whose copied buffers are in's. Bodies
// and buffers are aligned as those of in: to 64 bytes or, at least, to 8.
func NewWriter(out publish.Output, in *batch.File, schema *batch.Schema) (*Writer, error) {
	align, err := alignment(in)
	if err != nil {
		return nil, err
	}
	w := &Writer{in: in, out: out, schema: schema, align: align, pos: batch.HeadSize}
	head := w.schemaMessage()
	return w, w.begin(frame(head, w.padded(w.pos+8+int64(len(head)))-w.pos))
}

func (w *Writer) schemaMessage() []byte {
	e := newEncoder()
	return e.message(w.in.Version, batch.KindSchema, e.schema(w.schema), 0)
}

// SchemaMessage is a message that holds a schema, as it stands before those of
// record batches or alone.
func SchemaMessage(s *batch.Schema) []byte {
	e := newEncoder()
	head := e.message(batch.V5, batch.KindSchema, e.schema(s), 0)
	return frame(head, (8+int64(len(head))+7)/8*8)
}

// begin writes the file's head with the framed message of the schema.
func (w *Writer) begin(framed []byte) error {
	head := append([]byte(batch.Magic+"\x00\x00"), framed...)
	w.pos = int64(len(head))
	_, err := w.out.WriteAt(head, 0)
	return err
}

// Dictionary places a dictionary of one column, its values.
func (w *Writer) Dictionary(id int64, delta bool, b *Batch) *Placed {
	p := w.place(b, w.slots.dictionary(id), b.dictionary(id, delta))
	w.dicts = append(w.dicts, p.block())
	return p
}

// Batch places a record batch.
func (w *Writer) Batch(b *Batch) *Placed {
	p := w.place(b, w.slots.batch(len(w.blocks)), b.message)
	w.blocks = append(w.blocks, p.block())
	return p
}

// A metadata encodes a message whose buffers stand at these offsets and
// lengths in its body.
type metadata func(e encoder, buffer []int64, body int64) []byte

func (b *Batch) dictionary(id int64, delta bool) metadata {
	return func(e encoder, buffer []int64, body int64) []byte {
		return e.message(b.Version, batch.KindDictionary, e.dictionary(id, delta, e.batch(b, buffer)), body)
	}
}

func (b *Batch) message(e encoder, buffer []int64, body int64) []byte {
	return e.message(b.Version, batch.KindBatch, e.batch(b, buffer), body)
}

// Finish writes the footer with this custom metadata and returns the file's
// size. All that was placed must be written by the time the file is read.
func (w *Writer) Finish(metadata []batch.KeyValue) (int64, error) {
	tail := binary.LittleEndian.AppendUint64(nil, batch.Continuation) // end of stream: a message of length 0
	footer := newEncoder().footer(w.in.Version, w.schema, metadata, w.dicts, w.blocks)
	tail = append(tail, footer...)
	tail = binary.LittleEndian.AppendUint32(tail, uint32(len(footer)))
	tail = append(tail, batch.Magic...)
	_, err := w.out.WriteAt(tail, w.pos)
	return w.pos + int64(len(tail)), err
}

// frame puts continuation and length before the metadata of a message, and
// zeros after it up to size.
func frame(head []byte, size int64) []byte {
	framed := make([]byte, size)
	binary.LittleEndian.PutUint32(framed, batch.Continuation)
	binary.LittleEndian.PutUint32(framed[4:], uint32(size-8))
	copy(framed[8:], head)
	return framed
}

func (w *Writer) padded(n int64) int64 { return (n + w.align - 1) / w.align * w.align }

// place lays a message out: in its slot where it has one with room, else
// behind all others.
func (w *Writer) place(b *Batch, slot *batch.Block, head metadata) *Placed {
	if slot != nil {
		if p := w.fit(b, *slot, head); p != nil {
			return p
		}
	}
	p := &Placed{w: w, start: w.pos, free: slot}
	buffer := w.layout(p, b)
	encoded := head(newEncoder(), buffer, p.body)
	p.meta = frame(encoded, w.padded(w.pos+8+int64(len(encoded)))-w.pos)
	w.pos += int64(len(p.meta)) + p.body
	return p
}

// layout puts the buffers one behind the other into the body and returns
// their offsets and lengths.
func (w *Writer) layout(p *Placed, b *Batch) (buffer []int64) {
	for _, c := range b.Columns {
		for _, part := range c.Buffers {
			if b.Codec != batch.None && len(part.New) > 0 {
				raw := int64(batch.RawPrefix)
				part.New = append(binary.LittleEndian.AppendUint64(make([]byte, 0, 8+len(part.New)), uint64(raw)),
					part.New...)
			}
			buffer = append(buffer, p.body, part.len())
			p.parts = append(p.parts, part)
			p.at = append(p.at, p.body)
			p.body += w.padded(part.len())
		}
	}
	return buffer
}

func (p Part) len() int64 { return p.Copy.Len + int64(len(p.New)) }

// alignment is 64 where the buffers of the first record batch are all aligned
// to 64 bytes within the body or there is none, else 8.
func alignment(f *batch.File) (int64, error) {
	if len(f.Batches) == 0 {
		return 64, nil
	}
	b, err := f.Batch(0)
	if err != nil {
		return 0, err
	}
	start := f.Batches[0].Offset + f.Batches[0].Meta
	for _, c := range b.Columns {
		for _, s := range c.Buffers {
			if s.Len > 0 && (s.Offset-start)%64 != 0 {
				return 8, nil
			}
		}
	}
	return 64, nil
}
