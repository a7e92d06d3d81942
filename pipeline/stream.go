package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/mechanism/draw"
	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/records"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// Streamed is what went out of a stream.
type Streamed struct {
	Column  string
	Plan    string // its hash
	Rows    int64
	Batches int
}

// Stream follows a plan for the part of its data that comes as an Arrow IPC stream, and
// writes the stream that it becomes. It is no release: nothing of the other columns is
// judged, and there is no report. Where it fails, what is written ends within a
// message.
func Stream(ctx context.Context, o request.Options, from io.Reader, to io.Writer) (*Streamed, error) {
	if err := Check(ctx, o, "apply"); err != nil {
		return nil, err
	}
	c, err := column{Options: &o}.follow(ctx)
	if err != nil {
		return nil, err
	}
	p := c.given
	reading, err := c.Reading()
	if err != nil {
		return nil, err
	}
	reading.Path = "standard input"
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	s, err := count.OpenStream(reading, []string{p.Column}, ahead(ctx, from))
	if err != nil {
		return nil, err
	}
	part := &part{column: c, Part: records.Part{Source: s.Private[0], Plan: p}}
	if part.Alphabets, err = records.AlphabetsOf(p, part.Source); err != nil {
		return nil, err
	}
	if err := part.changes(); err != nil {
		return nil, err
	}
	again, err := newRerun(c.RunKey, c.RunID)
	if err != nil {
		return nil, err
	}
	if again != nil {
		part.Runs = []draw.Run{{Key: draw.KeyOf([32]byte(again.key.Secret())), ID: again.id, Path: c.Shard}}
	}
	flow, err := records.NewFlow(&part.Part)
	if err != nil {
		return nil, err
	}
	err = s.Rewrite(ctx, to, []*table.Alphabet{part.Alphabets.In}, []*table.Alphabet{part.Alphabets.To},
		func(b table.Batch) error { return flow.Draw(&b) }, flow.End)
	if err != nil {
		return nil, cutOff(count.InFile(reading.Path, records.Lacks(err)))
	}
	done := &Streamed{Column: p.Column, Plan: p.Hash}
	done.Rows, done.Batches = s.Written()
	return done, nil
}

// cutOff says what became of the output of a stream that failed.
func cutOff(err error) error {
	f := *fault.As(err)
	if f.Err = err; errors.Is(err, context.Canceled) {
		f.What = "interrupted"
	}
	f.What += "; the output is cut off and must not be used"
	return &f
}

// ahead is a stream that is read while what was read before is worked on. It ends with the
// context, although the goroutine may wait for a reader that never comes back.
func ahead(ctx context.Context, from io.Reader) io.Reader {
	read, write := io.Pipe()
	context.AfterFunc(ctx, func() { write.CloseWithError(fmt.Errorf("reading: %w", ctx.Err())) })
	go func() {
		_, err := io.CopyBuffer(write, struct{ io.Reader }{from}, make([]byte, aheadBytes)) // which has no way of its own
		write.CloseWithError(err)
	}()
	return read
}

// aheadBytes is how much is read at once.
const aheadBytes = 1 << 20
