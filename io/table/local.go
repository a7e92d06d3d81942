package table

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// Local is a file of this machine.
type Local struct {
	*os.File
	size int64
}

// OpenLocal opens a regular file for reading. It does not wait for the writer
// of a pipe, which is no regular file.
func OpenLocal(path string) (*Local, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	l, err := FromFile(f)
	if err != nil {
		f.Close()
		return nil, err
	}
	return l, nil
}

// FromFile takes over an open regular file.
func FromFile(f *os.File) (*Local, error) {
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, Errorf("write the data to a Parquet, Arrow IPC or CSV file first, and name that",
			"%s is not a regular file: the input is read twice", f.Name())
	}
	return &Local{f, st.Size()}, nil
}

// Size of the file when it was opened.
func (l *Local) Size() int64 { return l.size }

// Identity is device, inode, size and modification time.
func (l *Local) Identity() (string, error) {
	st, err := l.Stat()
	if err != nil {
		return "", err
	}
	sys, ok := st.Sys().(*syscall.Stat_t)
	if !ok {
		return "", fmt.Errorf("no file identity on this system")
	}
	return fmt.Sprintf("%d:%d:%d:%d", sys.Dev, sys.Ino, st.Size(), st.ModTime().UnixNano()), nil
}

// ReadFull fills b with what stands at an offset of r. Where r ends before that,
// the error is io.ErrUnexpectedEOF, also at the very end; other errors are
// those of r.
func ReadFull(r io.ReaderAt, b []byte, at int64) error {
	n, err := r.ReadAt(b, at)
	switch {
	case n == len(b):
		return nil
	case err == nil || errors.Is(err, io.EOF):
		return io.ErrUnexpectedEOF
	}
	return err
}
