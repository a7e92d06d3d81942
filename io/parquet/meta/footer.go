package meta

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
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
	Codec            Codec
	Physical         Physical

	meta *Value // its ColumnMetaData, so that no look at a column opens whole row groups
}

// ReadFooter reads and checks the metadata of a file of that size. Page
// indexes and bloom filters are not looked at.
func ReadFooter(r io.ReaderAt, size int64) (*Footer, error) {
	var head [4]byte
	var tail [8]byte
	if size < int64(len(head)+len(tail)) {
		return nil, Damaged("%d bytes are too few", size)
	}
	if err := ReadFull(r, head[:], 0); err != nil {
		return nil, fmt.Errorf("reading the first bytes: %w", err)
	}
	if err := ReadFull(r, tail[:], size-8); err != nil {
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
	if err := ReadFull(r, raw, size-8-length); err != nil {
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
	list := f.Meta.Get(MetaGroups).View()
	row := int64(0)
	for i := range list.Len() {
		g := list.At(i).View()
		rows, ok := g.Get(GroupRows).Int()
		if !ok || rows < 0 || rows > f.Rows-row {
			return Damaged("row group %d has more rows than the file", i)
		}
		if n := g.Get(GroupChunks).Len(); n != len(f.Leaves) {
			return Damaged("row group %d has %d column chunks for %d columns", i, n, len(f.Leaves))
		}
		group := RowGroup{Row: row, Rows: rows, Chunks: make([]Chunk, len(f.Leaves))}
		chunks := g.Get(GroupChunks).View()
		for j := range group.Chunks {
			if err := group.Chunks[j].read(chunks.At(j).View()); err != nil {
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

func (c *Chunk) read(s *Value) error {
	if s.Get(ChunkCrypto) != nil || s.Get(ChunkEncryptedMeta) != nil {
		return encrypted("columns")
	}
	if path, ok := s.Get(ChunkFilePath).Bytes(); ok && len(path) > 0 {
		return Unsupported("name the data files, not a _metadata file", "column data stands in other files")
	}
	about := s.Get(ChunkMeta)
	m := about.View()
	physical, ok1 := m.Get(ColumnPhysical).Int()
	codec, ok2 := m.Get(ColumnCodec).Int()
	values, ok3 := m.Get(ColumnValues).Int()
	plain, ok4 := m.Get(ColumnUncompressedSize).Int()
	size, ok5 := m.Get(ColumnSize).Int()
	data, ok6 := m.Get(ColumnDataPage).Int()
	if !ok1 || !ok2 || !ok3 || !ok4 || !ok5 || !ok6 {
		return Damaged("metadata is missing")
	}
	*c = Chunk{data, size, plain, data, values, Codec(codec), Physical(physical), about}
	// A chunk without rows may have a dictionary page and no data page at all.
	if dict, ok := m.Get(ColumnDictionaryPage).Int(); ok && dict > 0 && (dict < data || data <= 0) {
		c.Start = dict
	}
	return nil
}

func encrypted(what string) error {
	return Unsupported("decrypt the file first", "the Parquet file is encrypted (%s)", what)
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
