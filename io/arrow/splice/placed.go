package splice

import (
	"context"
	"os"

	"github.com/tacet-privacy/tacet/io/arrow/batch"
	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/io/table"
)

const (
	smallCopy = 16 << 10 // below, a read and a share in the next write are cheaper than a kernel copy
	flushSize = 1 << 20
	maxGap    = 64 // padding between buffers
)

// A Placed message has its place in the file and is yet to be written.
type Placed struct {
	w     *Writer
	start int64
	meta  []byte
	parts []Part
	at    []int64 // of every part, in the body
	body  int64
	free  *batch.Block // the slot that had no room for it and is filled with zeros
}

func (p *Placed) block() batch.Block {
	return batch.Block{Offset: p.start, Meta: int64(len(p.meta)), Body: p.body}
}

// Write writes the message: metadata, buffers, and zeros between them.
func (p *Placed) Write(ctx context.Context) error {
	if p.free != nil {
		r := run{ctx: ctx, w: p.w, pos: p.free.Offset}
		if err := r.zeros(p.free.Offset + p.free.Meta + p.free.Body); err != nil {
			return err
		}
		if err := r.flush(); err != nil {
			return err
		}
	}
	r := run{ctx: ctx, w: p.w, pos: p.start}
	if err := r.bytes(p.meta); err != nil {
		return err
	}
	start := p.start + int64(len(p.meta))
	for i, part := range p.parts {
		if err := r.zeros(start + p.at[i]); err != nil {
			return err
		}
		if err := r.part(part); err != nil {
			return err
		}
	}
	if err := r.zeros(start + p.body); err != nil {
		return err
	}
	return r.flush()
}

// run writes one message from front to back. Bytes in memory are gathered
// into few writes. Copies are gathered where input and output have them at the
// same distance, which takes a look at the padding between them: bytes that
// belong to no buffer are copied only if they are zero.
type run struct {
	ctx  context.Context
	w    *Writer
	pos  int64      // where the next byte goes
	mem  []byte     // pending, ends at pos
	copy batch.Span // pending, ends at pos less pad; mem is then empty
	pad  int64      // zeros pending after copy
}

// zeros pads up to the position.
func (r *run) zeros(until int64) error {
	if r.copy.Len > 0 {
		if until-r.pos <= maxGap {
			r.pad += until - r.pos
			r.pos = until
			return nil
		}
		if err := r.flush(); err != nil {
			return err
		}
	}
	for r.pos < until {
		if err := r.bytes(make([]byte, min(until-r.pos, flushSize))); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) part(p Part) error {
	if p.Copy.Len == 0 {
		return r.bytes(p.New)
	}
	s := p.Copy
	joined, err := r.join(s)
	if joined || err != nil {
		return err
	}
	if s.Len < smallCopy {
		b, err := batch.ReadAt(r.w.in.In, s.Offset, s.Len)
		if err != nil {
			return err
		}
		return r.bytes(b)
	}
	if err := r.flush(); err != nil {
		return err
	}
	r.copy, r.pos = s, r.pos+s.Len
	return nil
}

// join extends the pending copy by s if what is between them is padding.
func (r *run) join(s batch.Span) (bool, error) {
	end := r.copy.Offset + r.copy.Len
	if r.copy.Len == 0 || s.Offset-end != r.pad || r.pad > maxGap {
		return false, nil
	}
	gap, err := batch.ReadAt(r.w.in.In, end, r.pad)
	if err != nil {
		return false, err
	}
	for _, b := range gap {
		if b != 0 {
			return false, nil
		}
	}
	r.copy.Len += r.pad + s.Len
	r.pos, r.pad = r.pos+s.Len, 0
	return true, nil
}

func (r *run) bytes(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	if err := r.flushCopy(); err != nil {
		return err
	}
	if len(r.mem)+len(b) > flushSize {
		if err := r.flush(); err != nil {
			return err
		}
	}
	if len(b) > flushSize {
		_, err := r.w.out.WriteAt(b, r.pos)
		r.pos += int64(len(b))
		return err
	}
	r.mem = append(r.mem, b...)
	r.pos += int64(len(b))
	return nil
}

// flush writes what is pending.
func (r *run) flush() error {
	if err := r.flushCopy(); err != nil || len(r.mem) == 0 {
		return err
	}
	_, err := r.w.out.WriteAt(r.mem, r.pos-int64(len(r.mem)))
	r.mem = r.mem[:0]
	return err
}

// flushCopy makes the pending copy; the zeros after it become bytes in memory.
func (r *run) flushCopy() error {
	if r.copy.Len == 0 {
		return nil
	}
	s, at := r.copy, r.pos-r.pad-r.copy.Len
	r.mem = append(r.mem[:0], make([]byte, r.pad)...)
	r.copy, r.pad = batch.Span{}, 0
	var file *os.File // only a file of this machine as it is, nothing around it
	if l, ok := r.w.in.In.(*table.Local); ok {
		file = l.File
	}
	return publish.Run{From: s.Offset, To: at, Size: s.Len}.Copy(r.ctx, r.w.out, r.w.in.In, file)
}
