package colfile

import (
	"bytes"
	"fmt"

	"github.com/tacet-privacy/tacet/io/colfile/arrow"
	"github.com/tacet-privacy/tacet/io/colfile/input"
	"github.com/tacet-privacy/tacet/io/colfile/parquet"
)

// formats is the one table of file formats; to add one, write its room and name
// its opener here.
var formats = []struct {
	name  string
	magic string
	open  func(Input, Request) (File, error)
}{
	{"parquet", "PAR1", opener(parquet.Open)},
	{"arrow", "ARROW1\x00\x00", opener(arrow.Open)},
}

// opener has open return a File.
func opener[F File](open func(Input, Request) (F, error)) func(Input, Request) (File, error) {
	return func(in Input, r Request) (File, error) {
		f, err := open(in, r)
		if err != nil {
			return nil, err
		}
		return f, nil
	}
}

// Open recognises the format of in by its first bytes and checks that the
// columns of r exist and can be worked on.
func Open(in Input, r Request) (File, error) {
	if in.Size() == 0 {
		return nil, input.Errorf("write the file again", "the file is empty (0 bytes)")
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

func unknownFormat(head []byte) error {
	hint := "supported are Parquet and Arrow IPC files; DuckDB, pyarrow or polars convert others"
	switch {
	case bytes.HasPrefix(head, []byte("FEA1")):
		return input.Errorf("write it again as Feather V2 or Arrow IPC file", "the file is in Feather V1 format, which is not supported")
	case bytes.HasPrefix(head, []byte("PARE")):
		return input.Errorf("decrypt the file first", "the file is an encrypted Parquet file (encrypted footer)")
	case bytes.HasPrefix(head, []byte{0xff, 0xff, 0xff, 0xff}):
		return input.Errorf("write it as an Arrow IPC file (not stream)", "the file looks like an Arrow IPC stream, which is not supported")
	}
	return input.Errorf(hint, "the file is neither Parquet nor Arrow IPC (unknown first bytes)")
}
