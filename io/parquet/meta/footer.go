package meta

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/tacet-privacy/tacet/io/table"
)

// maxFooter bounds the footer that is read, in bytes.
const maxFooter = 16 << 20

// A Footer is the metadata of a file: the tree to edit and write again, and
// what the tree said when it was read. Groups and their chunks do not follow
// changes of the tree.
type Footer struct {
	Meta    *Value // FileMetaData
	Start   int64  // offset of the metadata, where the data ends
	Rows    int64
	Columns []Column // top level, in file order
	Leaves  []Leaf   // in file order, as chunks in a row group are
	Groups  []RowGroup

	fault error // why the schema cannot be taken over, where it can be read
}

// A RowGroup is a run of rows.
type RowGroup struct {
	Row    int64 // first row, counted from 0 in the file
	Rows   int64
	Chunks []Chunk // one per leaf
}

// ReadFooter reads and checks the metadata of a file of that size. Page
// indexes and bloom filters are not looked at.
func ReadFooter(r io.ReaderAt, size int64) (*Footer, error) {
	var head [4]byte
	var tail [8]byte
	if size < int64(len(head)+len(tail)) {
		return nil, Damaged("%d bytes are too few", size)
	}
	if err := table.ReadFull(r, head[:], 0); err != nil {
		return nil, fmt.Errorf("reading the first bytes: %w", err)
	}
	if err := table.ReadFull(r, tail[:], size-8); err != nil {
		return nil, fmt.Errorf("reading the last bytes: %w", err)
	}
	if string(head[:]) == "PARE" || string(tail[4:]) == "PARE" {
		return nil, encrypted("footer")
	}
	if string(head[:]) != Magic || string(tail[4:]) != Magic {
		return nil, Damaged("it does not begin and end with PAR1, so it is cut short or not a Parquet file")
	}
	length := int64(binary.LittleEndian.Uint32(tail[:4]))
	switch {
	case length > size-12:
		return nil, Damaged("the footer claims to be longer than the file")
	case length > maxFooter:
		return nil, Unsupported("write it with fewer row groups",
			"the footer of %d MiB is larger than the %d MiB supported", length>>20, maxFooter>>20)
	}
	raw := make([]byte, length)
	if err := table.ReadFull(r, raw, size-8-length); err != nil {
		return nil, fmt.Errorf("reading the footer: %w", err)
	}
	return parseFooter(raw, size)
}

// parseFooter takes the encoded FileMetaData at the end of a file of that
// size. It keeps raw.
func parseFooter(raw []byte, size int64) (*Footer, error) {
	meta, _, err := ParseStruct(raw)
	if err != nil {
		return nil, err
	}
	f := &Footer{Meta: meta, Start: size - 8 - int64(len(raw))}
	if meta.Get(MetaEncryption) != nil || meta.Get(MetaFooterKey) != nil {
		return nil, encrypted("columns")
	}
	var ok bool
	if f.Rows, ok = meta.Get(MetaRows).Int(); !ok || f.Rows < 0 {
		return nil, Damaged("the footer gives no number of rows")
	}
	if err := f.readSchema(); err != nil {
		return nil, err
	}
	if err := f.readGroups(); err != nil {
		return nil, err
	}
	return f, f.check()
}

func (f *Footer) readGroups() error {
	groups := f.Meta.Get(MetaGroups).View()
	row := int64(0)
	for i := range groups.Len() {
		g := groups.At(i).View()
		rows, ok := g.Get(GroupRows).Int()
		if !ok || g.Get(GroupRows).Kind() != thrift.I64 || rows < 0 || rows > f.Rows-row {
			return Damaged("row group %d has no number of rows, or more rows than the file", i)
		}
		chunks := g.Get(GroupChunks).View()
		if n := chunks.Len(); n != len(f.Leaves) {
			return Damaged("row group %d has %d column chunks for %d columns", i, n, len(f.Leaves))
		}
		group := RowGroup{Row: row, Rows: rows, Chunks: make([]Chunk, len(f.Leaves))}
		for j := range group.Chunks {
			if err := group.Chunks[j].read(chunks.At(j).View(), &f.Leaves[j], rows); err != nil {
				return InChunk(err, f.Leaves[j].Name(), i)
			}
		}
		f.Groups = append(f.Groups, group)
		row += rows
	}
	if row != f.Rows {
		return Damaged("its row groups have %d rows, and the footer claims %d", row, f.Rows)
	}
	return nil
}

// head is what of FileMetaData is taken over, beside the schema and the number of rows.
type head struct {
	Version int32 `thrift:"1,required"`
	Rows    int64 `thrift:"3,required"`
	Pairs   thrift.Slice[struct {
		Key   string `thrift:"1,required"`
		Value string `thrift:"2"`
	}] `thrift:"5"`
	CreatedBy string                           `thrift:"6"`
	Orders    thrift.Slice[format.ColumnOrder] `thrift:"7"`
}

// CheckFile looks at what of the file, not of its columns, is taken over.
func (f *Footer) CheckFile() error {
	if f.Meta.Decode(new(head), true) != nil {
		return Damaged("the footer has fields of other types than the format gives them")
	}
	return f.fault
}

func encrypted(what string) error {
	return Unsupported("decrypt the file first", "the Parquet file is encrypted (%s)", what)
}
