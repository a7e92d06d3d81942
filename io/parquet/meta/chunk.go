package meta

import (
	"slices"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// A Chunk holds the values of one leaf in one row group. Its pages fill
// [Start, Start+Size) of the file, the dictionary page first.
type Chunk struct {
	Start            int64 // the lower of the dictionary's and the first data page's offset
	Size             int64 // total_compressed_size
	UncompressedSize int64
	DataPage         int64 // data_page_offset
	Values           int64 // nulls included
	Codec            format.CompressionCodec
	Physical         format.Type
	// Encodings are those that the footer lists, as bits by their numbers: 0 where it lists none.
	// The two of codes of a dictionary are one, since writers mix them.
	Encodings uint64

	fault error // why a copy of it could not be read
}

// chunkMeta is what of ColumnMetaData is read, or is taken over and must be of its type.
type chunkMeta struct {
	Physical         format.Type                            `thrift:"1,required"`
	Encodings        thrift.Slice[format.Encoding]          `thrift:"2,required"`
	Path             thrift.Slice[string]                   `thrift:"3,required"`
	Codec            format.CompressionCodec                `thrift:"4,required"`
	Values           int64                                  `thrift:"5,required"`
	UncompressedSize int64                                  `thrift:"6,required"`
	Size             int64                                  `thrift:"7,required"`
	DataPage         int64                                  `thrift:"9,required"`
	DictionaryPage   int64                                  `thrift:"11"`
	Statistics       statistics                             `thrift:"12"`
	EncodingStats    thrift.Slice[format.PageEncodingStats] `thrift:"13"`
	SizeStatistics   format.SizeStatistics                  `thrift:"16"`
}

// statistics are those of format.Statistics, and two that it lacks.
type statistics struct {
	Max        []byte `thrift:"1"`
	Min        []byte `thrift:"2"`
	Nulls      int64  `thrift:"3"`
	Distinct   int64  `thrift:"4"`
	MaxValue   []byte `thrift:"5"`
	MinValue   []byte `thrift:"6"`
	MaxIsExact bool   `thrift:"7"`
	MinIsExact bool   `thrift:"8"`
}

// read takes a ColumnChunk of a leaf in a row group of that many rows.
func (c *Chunk) read(s *Value, l *Leaf, rows int64) error {
	if s.Get(ChunkCrypto) != nil || s.Get(ChunkEncryptedMeta) != nil {
		return encrypted("columns")
	}
	if path, ok := s.Get(ChunkFilePath).Bytes(); ok && len(path) > 0 {
		return Unsupported("name the data files, not a _metadata file", "column data stands in other files")
	}
	m, about := new(chunkMeta), s.Get(ChunkMeta)
	fault := about.Decode(m, true)
	if fault != nil {
		fault = Damaged("its metadata have fields of other types than the format gives them, or lack one")
		if m = new(chunkMeta); about.Decode(m, false) != nil {
			return Damaged("metadata is missing")
		}
	}
	*c = Chunk{m.DataPage, m.Size, m.UncompressedSize, m.DataPage, m.Values, m.Codec, m.Physical, 0, fault}
	// A chunk without rows may have a dictionary page and no data page at all.
	if dict := m.DictionaryPage; dict > 0 && (dict < c.DataPage || c.DataPage <= 0) {
		c.Start = dict
	}
	for _, e := range m.Encodings {
		if c.Encodings |= 1 << uint64(e); e == format.PlainDictionary || e == format.RLEDictionary {
			c.Encodings |= 1<<format.PlainDictionary | 1<<format.RLEDictionary
		}
	}
	if c.fault == nil {
		c.fault = c.check(m, l, rows)
	}
	return nil
}

// check reports why a copy of the chunk could not be read.
func (c *Chunk) check(m *chunkMeta, l *Leaf, rows int64) error {
	if !slices.Equal(m.Path, l.Path) {
		return Damaged("its metadata are those of another column")
	}
	if c.Values < rows || c.Values > rows && len(l.Path) == 1 && l.Repetition != format.Repeated {
		return Damaged("%d values for %d rows", c.Values, rows)
	}
	if c.Codec < format.Uncompressed || c.Codec > format.Lz4Raw {
		return Damaged("it is compressed by a codec that does not exist, %d", c.Codec)
	}
	for _, e := range m.Encodings {
		if e < 0 || e == 1 || e > format.ByteStreamSplit {
			return Damaged("it has an encoding that does not exist, %d", e)
		}
	}
	if end := c.Start + c.Size; c.Values > 0 && (c.DataPage < c.Start || c.DataPage >= end) {
		return Damaged("its first page is not inside it")
	}
	return m.Statistics.check(l, c.Values)
}

// check holds the least and greatest values against their type.
func (s *statistics) check(l *Leaf, values int64) error {
	for _, n := range []int64{s.Nulls, s.Distinct} {
		if n < 0 || n > values {
			return Damaged("its statistics count %d of %d values", n, values)
		}
	}
	want := 0
	switch l.Physical {
	case format.Boolean:
		want = 1
	case format.Int32, format.Float:
		want = 4
	case format.Int64, format.Double:
		want = 8
	case format.Int96:
		want = 12
	case format.FixedLenByteArray:
		want = int(l.Length)
	}
	for _, v := range [][]byte{s.Max, s.Min, s.MaxValue, s.MinValue} {
		if l.Physical != format.ByteArray && len(v) > 0 && len(v) != want {
			return Damaged("its statistics have a value of %d bytes, where %d are wanted", len(v), want)
		}
	}
	return nil
}

// CheckMeta reports why a copy of the chunk of a leaf in a row group could not be read, as far
// as its metadata say.
func (f *Footer) CheckMeta(group, leaf int) error {
	if err := f.Groups[group].Chunks[leaf].fault; err != nil {
		return InChunk(err, f.Leaves[leaf].Name(), group)
	}
	return nil
}
