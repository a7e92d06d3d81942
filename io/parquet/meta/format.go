package meta

import (
	"fmt"

	"github.com/parquet-go/parquet-go/format"
)

// Of the numbers of parquet.thrift those that package format of parquet-go does not name.
// https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift

// Magic stands at both ends of a Parquet file.
const Magic = "PAR1"

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
	GroupFileOffset, GroupCompressedSize                = 5, 6
)

// Fields of ColumnChunk.
const (
	ChunkFilePath, ChunkFileOffset, ChunkMeta      = 1, 2, 3
	ChunkColumnIndexOffset, ChunkColumnIndexLength = 6, 7
	ChunkCrypto, ChunkEncryptedMeta                = 8, 9
)

// Fields of ColumnMetaData.
const (
	ColumnPhysical, ColumnCodec, ColumnValues, ColumnSize, ColumnKeyValue = 1, 4, 5, 7, 8
	ColumnDataPage, ColumnIndexPage, ColumnDictionaryPage                 = 9, 10, 11
	ColumnStatistics, ColumnBloomOffset, ColumnBloomLength                = 12, 14, 15
	ColumnSizeStatistics                                                  = 16
)

// CheckCodec reports why chunks of that codec cannot be decoded.
// LZ4 and LZ4_RAW cannot: writers disagree on their framing, and a wrong guess
// reads as other data without an error.
func CheckCodec(c format.CompressionCodec) error {
	switch c {
	case format.Uncompressed, format.Snappy, format.Gzip, format.Brotli, format.Zstd:
		return nil
	}
	name := c.String()
	if c < 0 || c > format.Lz4Raw {
		name = fmt.Sprintf("codec %d", int32(c))
	}
	return Unsupported("write it with another codec, zstd for example", "compression %s is not supported", name)
}
