package publish

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
)

// copyStep is how many bytes are copied between two looks at the context.
const copyStep = 32 << 20

// A Run is bytes that are copied as they stand.
type Run struct{ From, To, Size int64 }

// Copy copies a run. Where both sides have a descriptor (file is nil if the
// input has none) the kernel copies; what it does not copy, for whatever
// reason, is read and written, so that an error names the side it came from.
func (r Run) Copy(ctx context.Context, out Output, in io.ReaderAt, file *os.File) error {
	fd, local := out.Fd()
	kernel := local && file != nil
	for r.Size > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		step := min(r.Size, copyStep)
		n := int64(0)
		if kernel {
			n = copyInKernel(int(fd), r.To, file, r.From, int(step))
			kernel = n > 0
		}
		if n == 0 {
			n = min(step, int64(copyBuffer))
			if err := copyByHand(out, in, r, int(n)); err != nil {
				return err
			}
		}
		if local && n == step {
			startWriting(int(fd), r.To, n)
		}
		r.From, r.To, r.Size = r.From+n, r.To+n, r.Size-n
	}
	return nil
}

const copyBuffer = 1 << 20

var copyBuffers = sync.Pool{New: func() any { return new([copyBuffer]byte) }}

func copyByHand(out io.WriterAt, in io.ReaderAt, r Run, n int) error {
	buffer := copyBuffers.Get().(*[copyBuffer]byte)
	defer copyBuffers.Put(buffer)
	if read, err := in.ReadAt(buffer[:n], r.From); read < n {
		if err == nil || errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return fmt.Errorf("reading a column to copy: %w", err)
	}
	_, err := out.WriteAt(buffer[:n], r.To)
	return err
}
