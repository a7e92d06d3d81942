package table

import (
	"bytes"
	"fmt"
	"strings"
)

// A Format is a way in which column files are written.
type Format struct {
	Name  string // in reports
	Title string // in messages
	Magic string // the first bytes of such a file, at most 8; "" where there are none
	Ends  string // names of such files end so, several with spaces between them
	Open  func(Input, Request) (File, error)
}

// Open recognises the format of in, one of these, by its first bytes and checks
// that the columns of r exist and can be worked on.
func Open(in Input, r Request, formats ...Format) (File, error) {
	if in.Size() == 0 {
		return nil, Errorf("write the file again", "the file is empty (0 bytes)")
	}
	head := make([]byte, 8)
	n, err := in.ReadAt(head, 0)
	if n == 0 && err != nil {
		return nil, fmt.Errorf("reading the first bytes: %w", err)
	}
	text := -1
	for i, f := range formats {
		if f.Magic == "" {
			text = i
		} else if bytes.HasPrefix(head[:n], []byte(f.Magic)) {
			return f.open(in, r)
		}
	}
	if err := foreign(head[:n]); err != nil {
		return nil, err
	}
	if text >= 0 {
		return formats[text].open(in, r)
	}
	return nil, unknownFormat(formats)
}

func (f *Format) open(in Input, r Request) (File, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	return f.Open(in, r)
}

// foreign refuses formats that are known and not supported.
func foreign(head []byte) error {
	switch {
	case bytes.HasPrefix(head, []byte("FEA1")):
		return Errorf("write it again as Feather V2 or Arrow IPC file",
			"the file is in Feather V1 format, which is not supported")
	case bytes.HasPrefix(head, []byte("PARE")):
		return Errorf("decrypt the file first", "the file is an encrypted Parquet file (encrypted footer)")
	case bytes.HasPrefix(head, []byte{0xff, 0xff, 0xff, 0xff}):
		return Errorf("write it as an Arrow IPC file (not stream)",
			"the file looks like an Arrow IPC stream, which is not supported")
	}
	return nil
}

func unknownFormat(formats []Format) error {
	var names []string
	for _, f := range formats {
		names = append(names, f.Title)
	}
	return Errorf("convert the file to "+strings.Join(names, " or ")+", for example with DuckDB, pyarrow or polars",
		"the file is neither %s (unknown first bytes)", strings.Join(names, " nor "))
}
