package arrowraw

import (
	"fmt"
	"io"
)

const copyBuffer = 1 << 20

// copySpan copies bytes from file to file, by the kernel where both sides are
// files it can copy between.
func copySpan(out Target, at int64, in io.ReaderAt, s Span) error {
	if from, ok := in.(interface{ Fd() uintptr }); ok {
		if fd, ok := out.Fd(); ok {
			done, err := kernelCopy(int(fd), at, int(from.Fd()), s)
			if err != nil {
				return fmt.Errorf("copying %d bytes at %d: %w", s.Len, s.Offset, err)
			}
			at, s = at+done, Span{s.Offset + done, s.Len - done}
		}
	}
	buf := make([]byte, min(s.Len, copyBuffer))
	for s.Len > 0 {
		part := buf[:min(s.Len, copyBuffer)]
		if err := readFull(in, part, s.Offset); err != nil {
			return err
		}
		if _, err := out.WriteAt(part, at); err != nil {
			return err
		}
		n := int64(len(part))
		at, s = at+n, Span{s.Offset + n, s.Len - n}
	}
	return nil
}
