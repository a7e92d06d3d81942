package batch

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
)

// A file starts and ends with Magic, at the start padded to HeadSize bytes.
const (
	Magic    = "ARROW1"
	HeadSize = 8
)

const (
	tailSize    = 10 // footer length and magic
	maxMetadata = 16 << 20
)

// A Block is where a message stands in the file: its metadata with the length
// before it, then its body.
type Block struct {
	Offset int64
	Meta   int64
	Body   int64
}

// A File is an Arrow IPC file whose footer was read and checked. It may be
// used by several goroutines at once.
type File struct {
	Version  int16 // MetadataVersion of the footer
	Schema   *Schema
	Metadata []KeyValue // of the footer
	Batches  []Block
	Dicts    []Dictionary // in file order
	In       io.ReaderAt  // what it is read from

	field []*Field // of Schema, by column
	value map[int64]*Field
}

// Open reads the footer of a file of size bytes, and the heads of its
// dictionary messages.
func Open(in io.ReaderAt, size int64) (f *File, err error) {
	defer Guard("reading the footer", &err)
	footer, end, err := readFooter(in, size)
	if err != nil {
		return nil, err
	}
	t := Root(footer)
	f = &File{In: in, Version: t.Int16(0, 0), Metadata: ReadMetadata(t, 4)}
	if err := checkVersion(f.Version); err != nil {
		return nil, err
	}
	sub, ok := t.Sub(1)
	if !ok {
		return nil, Errorf("the footer has no schema")
	}
	if f.Schema, err = ReadSchema(sub); err != nil {
		return nil, err
	}
	for i := range f.Schema.Fields {
		f.field = append(f.field, &f.Schema.Fields[i])
	}
	if f.value, err = dictionaryValues(f.Schema); err != nil {
		return nil, err
	}
	dicts := readBlocks(t, 2)
	f.Batches = readBlocks(t, 3)
	if err := checkBlocks(append(slices.Clone(dicts), f.Batches...), end); err != nil {
		return nil, err
	}
	for i, b := range dicts {
		d, err := f.dictionaryHead(b)
		if err != nil {
			return nil, fmt.Errorf("dictionary message %d: %w", i, err)
		}
		f.Dicts = append(f.Dicts, d)
	}
	return f, nil
}

// readFooter returns the footer's bytes and where they start in the file.
func readFooter(in io.ReaderAt, size int64) ([]byte, int64, error) {
	if size < HeadSize+tailSize {
		return nil, 0, Errorf("the file is too short (%d bytes)", size)
	}
	head, err := ReadAt(in, 0, int64(len(Magic)))
	if err != nil {
		return nil, 0, err
	}
	tail, err := ReadAt(in, size-tailSize, tailSize)
	if err != nil {
		return nil, 0, err
	}
	if string(head) != Magic || string(tail[4:]) != Magic {
		return nil, 0, &Error{What: "the file does not start and end with ARROW1: it is cut short or no Arrow IPC file",
			Hint: "write the file again"}
	}
	n := int64(int32(binary.LittleEndian.Uint32(tail)))
	if n < 8 || n > maxMetadata || n > size-HeadSize-tailSize {
		return nil, 0, Errorf("the footer's length of %d bytes is impossible or above %d", n, maxMetadata)
	}
	start := size - tailSize - n
	footer, err := ReadAt(in, start, n)
	return footer, start, err
}

func readBlocks(t FlatTable, slot int) []Block {
	word := t.Int64s(slot, 3)
	list := make([]Block, len(word)/3)
	for i := range list {
		list[i] = Block{word[3*i], int64(int32(word[3*i+1])), word[3*i+2]}
	}
	return list
}

// checkBlocks makes sure that blocks are aligned, before the footer, and apart.
func checkBlocks(list []Block, end int64) error {
	slices.SortFunc(list, func(a, b Block) int { return cmp.Compare(a.Offset, b.Offset) })
	free := int64(HeadSize)
	for _, b := range list {
		switch {
		case b.Offset%8 != 0 || b.Meta%8 != 0 || b.Body%8 != 0:
			return Errorf("the message at byte %d is not aligned to 8 bytes", b.Offset)
		case b.Meta < 8 || b.Meta > maxMetadata || b.Body < 0:
			return Errorf("the message at byte %d has an impossible length", b.Offset)
		case b.Offset < free:
			return Errorf("the message at byte %d overlaps another", b.Offset)
		case b.Offset > end-b.Meta || b.Body > end-b.Meta-b.Offset:
			return Errorf("the message at byte %d reaches beyond the file", b.Offset)
		}
		free = b.Offset + b.Meta + b.Body
	}
	return nil
}

func checkVersion(v int16) error {
	if v != V4 && v != V5 {
		return &Error{What: fmt.Sprintf("metadata version %d is not supported", v+1),
			Hint: "write it again with Arrow 1.0 or later"}
	}
	return nil
}

// ReadAt reads n bytes at off.
func ReadAt(in io.ReaderAt, off, n int64) ([]byte, error) {
	buf := make([]byte, n)
	return buf, ReadFull(in, buf, off)
}

// ReadFull fills buf with what stands at off.
func ReadFull(in io.ReaderAt, buf []byte, off int64) error {
	if got, err := in.ReadAt(buf, off); got < len(buf) {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return fmt.Errorf("reading %d bytes at %d: %w", len(buf), off, err)
	}
	return nil
}

// An Error is a file that breaks the format or uses a part of it that is
// not supported. Its text holds no value of a cell.
type Error struct {
	What string // what is wrong and where
	Hint string // what to do, may be empty
}

func (e *Error) Error() string { return e.What }

// Errorf is an Error without a hint.
func Errorf(format string, args ...any) error {
	return &Error{What: fmt.Sprintf(format, args...)}
}

// Guard turns a panic in what reads untrusted bytes into an error. The panic
// value is dropped, since it may quote what was read.
func Guard(doing string, err *error) {
	if recover() != nil {
		*err = Errorf("%s: the bytes are corrupt", doing)
	}
}
