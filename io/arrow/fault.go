package arrow

import (
	"fmt"
	"io"

	"github.com/tacet-privacy/tacet/io/table"
)

// faultf is a file that breaks the format or uses a part of it that is not supported. Its
// text holds no value of a cell.
func faultf(format string, args ...any) *table.InputError {
	return table.Errorf("write the file again", format, args...)
}

// hold panics with a fault unless ok. All who look at untrusted bytes are behind table.Guard.
func hold(ok bool, format string, args ...any) {
	if !ok {
		panic(faultf(format, args...))
	}
}

// guarded is f behind table.Guard.
func guarded(doing string, f func() error) (err error) {
	defer table.Guard(doing, &err)
	return f()
}

// readAt reads bytes at off into room.
func readAt(in io.ReaderAt, room []byte, off int64) error {
	if err := table.ReadFull(in, room, off); err != nil {
		return fmt.Errorf("reading %d bytes at %d: %w", len(room), off, err)
	}
	return nil
}
