package format

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
