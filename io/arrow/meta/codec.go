package meta

// A Codec is how the buffers of a message are compressed.
type Codec int8

// The codecs of Message.fbs, and none.
const (
	None Codec = iota - 1
	LZ4Frame
	ZSTD
)

// RawPrefix stands in place of the length of a buffer that is stored as it is.
const RawPrefix = -1
