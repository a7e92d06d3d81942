package parquetraw

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/tacet-privacy/tacet/io/parquetraw/fault"
	"github.com/tacet-privacy/tacet/io/parquetraw/format"
	"github.com/tacet-privacy/tacet/io/parquetraw/page"
	"github.com/tacet-privacy/tacet/io/parquetraw/readat"
	"github.com/tacet-privacy/tacet/io/parquetraw/thrift"
)

// maxFooter bounds the footer that is read, in bytes.
const maxFooter = 16 << 20

// A Footer is the metadata of a file: the tree to edit and write again, and
// what the tree said when it was read. Groups and their chunks do not follow
// changes of the tree.
type Footer struct {
	Meta    *thrift.Struct // FileMetaData
	Start   int64          // offset of the metadata, where the data ends
	Rows    int64
	Columns []Column // top level, in file order
	Leaves  []Leaf   // in file order, as chunks in a row group are
	Groups  []RowGroup
}

// A RowGroup is a run of rows.
type RowGroup struct {
	Row    int64 // first row, counted from 0 in the file
	Rows   int64
	Chunks []Chunk // one per leaf
}

// A Chunk holds the values of one leaf in one row group. Its pages fill
// [Start, Start+Size) of the file, the dictionary page first.
type Chunk struct {
	Start            int64 // the lower of the dictionary's and the first data page's offset
	Size             int64 // total_compressed_size
	UncompressedSize int64
	DataPage         int64 // data_page_offset
	Values           int64 // nulls included
	Codec            page.Codec
	Physical         format.Physical
}

// ReadFooter reads and checks the metadata of a file of that size. Page
// indexes and bloom filters are not looked at.
func ReadFooter(r io.ReaderAt, size int64) (*Footer, error) {
	var head [4]byte
	var tail [8]byte
	if size < int64(len(head)+len(tail)) {
		return nil, fault.Damaged("%d bytes are too few", size)
	}
	if err := readat.Full(r, head[:], 0); err != nil {
		return nil, fmt.Errorf("reading the first bytes: %w", err)
	}
	if err := readat.Full(r, tail[:], size-8); err != nil {
		return nil, fmt.Errorf("reading the last bytes: %w", err)
	}
	if string(head[:]) == "PARE" || string(tail[4:]) == "PARE" {
		return nil, encrypted("footer")
	}
	if string(head[:]) != format.Magic || string(tail[4:]) != format.Magic {
		return nil, fault.Damaged("it does not begin and end with PAR1; was it written to its end?")
	}
	length := int64(binary.LittleEndian.Uint32(tail[:4]))
	switch {
	case length > size-12:
		return nil, fault.Damaged("the footer is said to be longer than the file")
	case length > maxFooter:
		return nil, fault.Unsupported("write it with fewer row groups", "the footer of %d MiB is larger than the %d MiB supported", length>>20, maxFooter>>20)
	}
	raw := make([]byte, length)
	if err := readat.Full(r, raw, size-8-length); err != nil {
		return nil, fmt.Errorf("reading the footer: %w", err)
	}
	return parseFooter(raw, size)
}

// parseFooter takes the encoded FileMetaData at the end of a file of that
// size. It keeps raw.
func parseFooter(raw []byte, size int64) (*Footer, error) {
	meta, _, err := thrift.ParseStruct(raw)
	if err != nil {
		return nil, err
	}
	f := &Footer{Meta: meta, Start: size - 8 - int64(len(raw))}
	if meta.Get(format.MetaEncryption) != nil || meta.Get(format.MetaFooterKey) != nil {
		return nil, encrypted("columns")
	}
	var ok bool
	if f.Rows, ok = meta.Get(format.MetaRows).Int(); !ok || f.Rows < 0 {
		return nil, fault.Damaged("the footer gives no number of rows")
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
	list := f.Meta.Get(format.MetaGroups).ViewList()
	row := int64(0)
	for i := range list.Len() {
		g := list.At(i).View()
		rows, ok := g.Get(format.GroupRows).Int()
		if !ok || rows < 0 || rows > f.Rows-row {
			return fault.Damaged("row group %d has more rows than the file", i)
		}
		if n := g.Get(format.GroupChunks).ListLen(); n != len(f.Leaves) {
			return fault.Damaged("row group %d has %d column chunks for %d columns", i, n, len(f.Leaves))
		}
		group := RowGroup{Row: row, Rows: rows, Chunks: make([]Chunk, len(f.Leaves))}
		chunks := g.Get(format.GroupChunks).ViewList()
		for j := range group.Chunks {
			if err := group.Chunks[j].read(chunks.At(j).View()); err != nil {
				return fault.InChunk(err, f.Leaves[j].Name(), i)
			}
		}
		f.Groups = append(f.Groups, group)
		row += rows
	}
	if row != f.Rows {
		return fault.Damaged("its row groups have %d rows, the footer says %d", row, f.Rows)
	}
	return nil
}

func (c *Chunk) read(s *thrift.Struct) error {
	if s.Get(format.ChunkCrypto) != nil || s.Get(format.ChunkEncryptedMeta) != nil {
		return encrypted("columns")
	}
	if path, ok := s.Get(format.ChunkFilePath).Bytes(); ok && len(path) > 0 {
		return fault.Unsupported("name the data files, not a _metadata file", "column data stands in other files")
	}
	m := s.Get(format.ChunkMeta).View()
	physical, ok1 := m.Get(format.ColumnPhysical).Int()
	codec, ok2 := m.Get(format.ColumnCodec).Int()
	values, ok3 := m.Get(format.ColumnValues).Int()
	plain, ok4 := m.Get(format.ColumnUncompressedSize).Int()
	size, ok5 := m.Get(format.ColumnSize).Int()
	data, ok6 := m.Get(format.ColumnDataPage).Int()
	if !ok1 || !ok2 || !ok3 || !ok4 || !ok5 || !ok6 {
		return fault.Damaged("metadata is missing")
	}
	*c = Chunk{data, size, plain, data, values, page.Codec(codec), format.Physical(physical)}
	// A chunk without rows may have a dictionary page and no data page at all.
	if dict, ok := m.Get(format.ColumnDictionaryPage).Int(); ok && dict > 0 && (dict < data || data <= 0) {
		c.Start = dict
	}
	return nil
}

func encrypted(what string) error {
	return fault.Unsupported("decrypt the file first", "the Parquet file is encrypted (%s)", what)
}
