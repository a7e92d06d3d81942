package splice

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	flatbuffers "github.com/google/flatbuffers/go"
	"github.com/tacet-privacy/tacet/io/arrow/batch"
)

// assemble puts messages and a footer that names them, both as given, into a
// file. Every message has metadata and body.
func assemble(footer func(blocks []batch.Block) []byte, messages ...[2][]byte) []byte {
	file := []byte("ARROW1\x00\x00")
	var blocks []batch.Block
	for _, m := range messages {
		head := frame(m[0], int64(len(m[0])+15)/8*8)
		blocks = append(blocks, batch.Block{Offset: int64(len(file)), Meta: int64(len(head)), Body: int64(len(m[1]))})
		file = append(append(file, head...), m[1]...)
	}
	end := footer(blocks)
	file = append(file, end...)
	file = binary.LittleEndian.AppendUint32(file, uint32(len(end)))
	return append(file, batch.Magic...)
}

// int32s is a schema of so many int32 columns, and a record batch of two rows
// whose buffers stand at these offsets and lengths in a body of 64 bytes.
func int32s(columns int, buffer ...int64) (*batch.Schema, [2][]byte) {
	s := &batch.Schema{}
	b := &Batch{Rows: 2, Codec: batch.None}
	for range columns {
		s.Fields = append(s.Fields, batch.Field{Name: "x", Type: batch.IntType(32, true)})
		b.Columns = append(b.Columns, Column{Nodes: []batch.Node{{Rows: 2, Nulls: 0}}})
	}
	e := newEncoder()
	return s, [2][]byte{e.message(batch.V5, batch.KindBatch, e.batch(b, buffer), 64), make([]byte, 64)}
}

func openBatch(file []byte) error {
	f, err := batch.Open(bytes.NewReader(file), int64(len(file)))
	if err == nil {
		_, err = f.Batch(0)
	}
	return err
}

func refuses(t *testing.T, err error, what string) {
	t.Helper()
	var f *batch.Error
	if !errors.As(err, &f) || !strings.Contains(f.What, what) {
		t.Errorf("error %v, want %q", err, what)
	}
}

func TestRefusesBuffers(t *testing.T) {
	for _, c := range []struct {
		columns int
		buffer  []int64
		what    string
	}{
		{2, []int64{0, 0, 0, 8, 8, 0, 8, 8}, ""},
		{2, []int64{0, 0, 8, 8, 0, 0, 0, 8}, ""}, // in another order
		{2, []int64{0, 0, 0, 8, 0, 0, 0, 8}, "two buffers overlap"},
		{2, []int64{0, 0, 8, 8, 0, 0, 0, 9}, "two buffers overlap"},
		{1, []int64{0, 0, 56, 9}, "reaches beyond the message's body"},
		{1, []int64{0, 0, -8, 8}, "reaches beyond the message's body"},
		{1, []int64{0, 0, 8, -1}, "reaches beyond the message's body"},
		{1, []int64{0, 0, 1 << 62, 1 << 62}, "reaches beyond the message's body"},
		{1, []int64{0, 0}, "fewer buffers"},
		{1, []int64{0, 0, 0, 8, 8, 8}, "more arrays or buffers"},
	} {
		s, m := int32s(c.columns, c.buffer...)
		err := openBatch(assemble(func(b []batch.Block) []byte { return newEncoder().footer(batch.V5, s, nil, nil, b) },
			m))
		if c.what == "" && err != nil {
			t.Errorf("buffers %v: %v", c.buffer, err)
		} else if c.what != "" {
			refuses(t, err, c.what)
		}
	}
}

func TestRefusesBlocks(t *testing.T) {
	s, m := int32s(1, 0, 0, 0, 8)
	for _, c := range []struct {
		change func(b []batch.Block)
		what   string
	}{
		{func(b []batch.Block) { b[1].Offset -= 8 }, "overlaps"},
		{func(b []batch.Block) { b[0].Offset = 0 }, "overlaps"},
		{func(b []batch.Block) { b[1] = b[0] }, "overlaps"},
		{func(b []batch.Block) { b[0].Offset += 4 }, "not aligned"},
		{func(b []batch.Block) { b[0].Meta = -8 }, "impossible length"},
		{func(b []batch.Block) { b[0].Body = -8 }, "impossible length"},
		{func(b []batch.Block) { b[1].Body += 8 }, "reaches beyond the file"},
		{func(b []batch.Block) { b[1].Body = 1<<62 + 1<<61 }, "reaches beyond the file"},
		{func(b []batch.Block) { b[1].Offset = 1 << 62 }, "reaches beyond the file"},
		{func(b []batch.Block) { b[0].Body = 56 }, "body is longer than the footer says"},
		{func(b []batch.Block) { b[0].Meta -= 8; b[0].Body = 0 }, "metadata is longer"},
	} {
		err := openBatch(assemble(func(b []batch.Block) []byte {
			c.change(b)
			return newEncoder().footer(batch.V5, s, nil, nil, b)
		}, m, m))
		refuses(t, err, c.what)
	}
}

// A schema in which every field refers twice to the one below would unfold
// into 2^40 fields.
func TestRefusesSchemasThatUnfold(t *testing.T) {
	footer := func([]batch.Block) []byte {
		e := newEncoder()
		leaf := batch.Field{Name: "x", Type: batch.IntType(32, true)}
		at := e.field(&leaf)
		for range 40 {
			children := e.CreateVectorOfTables([]flatbuffers.UOffsetT{at, at})
			name := e.CreateString("s")
			typ := e.typeTable(batch.Type{Code: batch.Struct})
			e.StartObject(7)
			e.PrependUOffsetTSlot(0, name, 0)
			e.PrependByteSlot(2, byte(batch.Struct), 0)
			e.PrependUOffsetTSlot(3, typ, 0)
			e.PrependUOffsetTSlot(5, children, 0)
			at = e.EndObject()
		}
		fields := e.CreateVectorOfTables([]flatbuffers.UOffsetT{at})
		e.StartObject(4)
		e.PrependUOffsetTSlot(1, fields, 0)
		schema := e.EndObject()
		e.StartObject(5)
		e.PrependInt16Slot(0, batch.V5, 0)
		e.PrependUOffsetTSlot(1, schema, 0)
		e.Finish(e.EndObject())
		return e.FinishedBytes()
	}
	refuses(t, openBatch(assemble(footer)), "reading the footer: the bytes are corrupt")
}

// Before Arrow 0.15 a message began with its length alone.
func TestReadsOldMessages(t *testing.T) {
	s, m := int32s(1, 0, 0, 0, 8)
	file := assemble(func(b []batch.Block) []byte { return newEncoder().footer(batch.V4, s, nil, nil, b) }, m)
	n := binary.LittleEndian.Uint32(file[12:])
	copy(file[12:], file[16:16+len(m[0])])
	binary.LittleEndian.PutUint32(file[8:], n+4)
	if err := openBatch(file); err != nil {
		t.Error(err)
	}
}

func TestRefusesVersionsAndEndianness(t *testing.T) {
	s, m := int32s(1, 0, 0, 0, 8)
	for version := range int16(6) {
		err := openBatch(assemble(func(b []batch.Block) []byte { return newEncoder().footer(version, s, nil, nil, b) },
			m))
		if version == batch.V4 || version == batch.V5 {
			if err != nil {
				t.Errorf("version %d: %v", version, err)
			}
		} else {
			refuses(t, err, "metadata version")
		}
	}
	big := func([]batch.Block) []byte {
		e := newEncoder()
		e.StartObject(4)
		e.PrependInt16Slot(0, 1, 0)
		schema := e.EndObject()
		e.StartObject(5)
		e.PrependInt16Slot(0, batch.V5, 0)
		e.PrependUOffsetTSlot(1, schema, 0)
		e.Finish(e.EndObject())
		return e.FinishedBytes()
	}
	refuses(t, openBatch(assemble(big)), "big-endian")
}
