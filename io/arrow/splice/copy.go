package splice

import (
	"context"
	"io"

	"github.com/tacet-privacy/tacet/io/arrow/meta"
)

const (
	copyStep   = 32 << 20 // between two looks at the context
	copyBuffer = 1 << 20
)

// copySpan copies bytes from file to file: by the kernel where both sides have
// a descriptor and it can, else by reading and writing.
func copySpan(ctx context.Context, out Target, at int64, in io.ReaderAt, s meta.Span) error {
	from, kernel := in.(interface{ Fd() uintptr })
	fd, ok := out.Fd()
	kernel = kernel && ok
	var buf []byte
	for s.Len > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := int64(0)
		if kernel {
			n = kernelCopy(int(fd), at, int(from.Fd()), s.Offset, min(s.Len, copyStep))
			kernel = n > 0
		}
		if n == 0 {
			if n = min(s.Len, copyBuffer); buf == nil {
				buf = make([]byte, n)
			}
			if err := meta.ReadFull(in, buf[:n], s.Offset); err != nil {
				return err
			}
			if _, err := out.WriteAt(buf[:n], at); err != nil {
				return err
			}
		}
		if ok && n >= smallCopy {
			startWriting(int(fd), at, n)
		}
		at, s = at+n, meta.Span{Offset: s.Offset + n, Len: s.Len - n}
	}
	return nil
}
