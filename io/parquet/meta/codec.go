package meta

import "fmt"

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
