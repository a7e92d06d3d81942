package meta

import "fmt"

// The numbers of parquet.thrift: of types, encodings and pages, and of the fields
// of its structs.
// https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift

// Magic stands at both ends of a Parquet file.
const Magic = "PAR1"

// Encoding is how values or levels are encoded.
type Encoding int32

// The encodings of parquet.thrift.
const (
	PlainEncoding    Encoding = 0
	PlainDictionary  Encoding = 2
	RLE              Encoding = 3
	BitPacked        Encoding = 4
	DeltaBinary      Encoding = 5
	DeltaLengthBytes Encoding = 6
	DeltaBytes       Encoding = 7
	RLEDictionary    Encoding = 8
	ByteStreamSplit  Encoding = 9
)

// PageType is what a page holds.
type PageType int64

// The page types of parquet.thrift.
const (
	DataPage       PageType = 0
	IndexPage      PageType = 1
	DictionaryPage PageType = 2
	DataPageV2     PageType = 3
)

// Physical is how values are stored.
type Physical int32

// The physical types of parquet.thrift.
const (
	Boolean   Physical = 0
	Int32     Physical = 1
	Int64     Physical = 2
	Int96     Physical = 3
	Float     Physical = 4
	Float64   Physical = 5
	ByteArray Physical = 6
	FixedLen  Physical = 7
)

// Repetition says how often a field stands in its parent.
type Repetition int32

// The repetitions of parquet.thrift.
const (
	Required Repetition = 0
	Optional Repetition = 1
	Repeated Repetition = 2
)

// LogicalKind is what values mean. It numbers the members of the union
// LogicalType; Bson is where the format left its number, Interval has none
// there.
type LogicalKind int16

// The logical types of parquet.thrift.
const (
	Plain     LogicalKind = 0
	Utf8      LogicalKind = 1
	Map       LogicalKind = 2
	Listing   LogicalKind = 3
	Enum      LogicalKind = 4
	Decimal   LogicalKind = 5
	Date      LogicalKind = 6
	Time      LogicalKind = 7
	Timestamp LogicalKind = 8
	Interval  LogicalKind = 9
	Integer   LogicalKind = 10
	Unknown   LogicalKind = 11
	JSON      LogicalKind = 12
	Bson      LogicalKind = 13
	UUID      LogicalKind = 14
	Float16   LogicalKind = 15
	Variant   LogicalKind = 16
	Geometry  LogicalKind = 17
	Geography LogicalKind = 18
)

// Fields of FileMetaData.
const (
	MetaVersion, MetaSchema, MetaRows, MetaGroups, MetaKeyValue    = 1, 2, 3, 4, 5
	MetaCreatedBy, MetaColumnOrders, MetaEncryption, MetaFooterKey = 6, 7, 8, 9
)

// Fields of SchemaElement.
const (
	ElementPhysical, ElementLength, ElementRepetition, ElementName, ElementChildren = 1, 2, 3, 4, 5
	ElementConverted, ElementScale, ElementPrecision                                = 6, 7, 8
	ElementFieldID, ElementLogical                                                  = 9, 10
)

// Fields of RowGroup.
const (
	GroupChunks, GroupByteSize, GroupRows, GroupSorting = 1, 2, 3, 4
	GroupFileOffset, GroupCompressedSize, GroupOrdinal  = 5, 6, 7
)

// Fields of ColumnChunk.
const (
	ChunkFilePath, ChunkFileOffset, ChunkMeta      = 1, 2, 3
	ChunkOffsetIndexOffset, ChunkOffsetIndexLength = 4, 5
	ChunkColumnIndexOffset, ChunkColumnIndexLength = 6, 7
	ChunkCrypto, ChunkEncryptedMeta                = 8, 9
)

// Fields of ColumnMetaData.
const (
	ColumnPhysical, ColumnEncodings, ColumnPath, ColumnCodec         = 1, 2, 3, 4
	ColumnValues, ColumnUncompressedSize, ColumnSize, ColumnKeyValue = 5, 6, 7, 8
	ColumnDataPage, ColumnIndexPage, ColumnDictionaryPage            = 9, 10, 11
	ColumnStatistics, ColumnEncodingStats                            = 12, 13
	ColumnBloomOffset, ColumnBloomLength, ColumnSizeStatistics       = 14, 15, 16
)

// Codec is how pages are compressed.
type Codec int32

// The codecs of parquet.thrift.
const (
	Uncompressed Codec = 0
	Snappy       Codec = 1
	Gzip         Codec = 2
	LZO          Codec = 3
	Brotli       Codec = 4
	LZ4          Codec = 5
	Zstd         Codec = 6
	LZ4Raw       Codec = 7
)

var codecNames = map[Codec]string{
	Uncompressed: "none", Snappy: "Snappy", Gzip: "gzip", LZO: "LZO", Brotli: "Brotli", LZ4: "LZ4", Zstd: "Zstandard",
	LZ4Raw: "LZ4_RAW",
}

func (c Codec) String() string {
	if s, ok := codecNames[c]; ok {
		return s
	}
	return fmt.Sprintf("codec %d", int32(c))
}

// Check reports why chunks of that codec cannot be decoded, an Error.
// LZ4 and LZ4_RAW cannot: writers disagree on their framing, and a wrong guess
// reads as other data without an error.
func (c Codec) Check() error {
	switch c {
	case Uncompressed, Snappy, Gzip, Brotli, Zstd:
		return nil
	}
	return Unsupported("write it with another codec, zstd for example", "compression %s is not supported", c)
}
