package format

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
