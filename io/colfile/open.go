package colfile

import (
	"bytes"
	"fmt"
	"os"
	"syscall"
)

// formats is the one table of file formats; to add one, write its opener and
// name it here.
var formats = []struct {
	name  string
	magic string
	open  func(Input, Request) (File, error)
}{
	{"parquet", "PAR1", openParquet},
	{"arrow", "ARROW1\x00\x00", openArrow},
}

// Open recognises the format of in by its first bytes and checks that the
// columns of r exist and can be worked on.
func Open(in Input, r Request) (File, error) {
	if in.Size() == 0 {
		return nil, inputErrorf("write the file again", "the file is empty (0 bytes)")
	}
	head := make([]byte, 8)
	n, err := in.ReadAt(head, 0)
	if n == 0 && err != nil {
		return nil, fmt.Errorf("reading the first bytes: %w", err)
	}
	for _, f := range formats {
		if bytes.HasPrefix(head[:n], []byte(f.magic)) {
			return f.open(in, r)
		}
	}
	return nil, unknownFormat(head[:n])
}

// Local is a file of this machine.
type Local struct {
	*os.File
	size int64
}

// OpenLocal opens a regular file for reading.
func OpenLocal(path string) (*Local, error) {
	f, err := os.Open(path)
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
		return nil, inputErrorf("name a Parquet or Arrow IPC file", "%s is not a regular file", f.Name())
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

func unknownFormat(head []byte) error {
	hint := "supported are Parquet and Arrow IPC files; DuckDB, pyarrow or polars convert others"
	switch {
	case bytes.HasPrefix(head, []byte("FEA1")):
		return inputErrorf("write it again as Feather V2 or Arrow IPC file", "the file is in Feather V1 format, which is not supported")
	case bytes.HasPrefix(head, []byte("PARE")):
		return inputErrorf("decrypt the file first", "the file is an encrypted Parquet file (encrypted footer)")
	case bytes.HasPrefix(head, []byte{0xff, 0xff, 0xff, 0xff}):
		return inputErrorf("write it as an Arrow IPC file (not stream)", "the file looks like an Arrow IPC stream, which is not supported")
	}
	return inputErrorf(hint, "the file is neither Parquet nor Arrow IPC (unknown first bytes)")
}
