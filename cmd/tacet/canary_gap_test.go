package main

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// withGaps writes a Parquet file anew as some writers do: behind every chunk
// stands its ColumnMetaData once more, bounds included, and file_offset points
// there. The token stands in the copy as an upper bound and nowhere else.
func withGaps(t *testing.T, file []byte, k token) []byte {
	t.Helper()
	footer := parquetFooter(t, file)
	out := []byte("PAR1")
	place := func(from, n int64) (to int64) {
		to = int64(len(out))
		out = append(out, file[from:from+n]...)
		return to
	}
	for g := range footer.RowGroups {
		for c := range footer.RowGroups[g].Columns {
			chunk := &footer.RowGroups[g].Columns[c]
			m := &chunk.MetaData
			from := chunkStart(m)
			shift := place(from, m.TotalCompressedSize) - from
			m.DataPageOffset += shift
			if m.DictionaryPageOffset > 0 {
				m.DictionaryPageOffset += shift
			}
			chunk.FileOffset = int64(len(out))
			repeated := *m
			repeated.Statistics.MaxValue, repeated.Statistics.Max = k.bytes(), k.bytes()
			out = append(out, marshal(t, &repeated)...)
			if m.BloomFilterOffset > 0 && m.BloomFilterLength > 0 {
				m.BloomFilterOffset = place(m.BloomFilterOffset, int64(m.BloomFilterLength))
			} else {
				m.BloomFilterOffset, m.BloomFilterLength = 0, 0
			}
			chunk.OffsetIndexOffset = shiftIndex(t, file, &out, chunk, shift)
		}
		footer.RowGroups[g].FileOffset = 0
	}
	for g := range footer.RowGroups {
		for c := range footer.RowGroups[g].Columns {
			if chunk := &footer.RowGroups[g].Columns[c]; chunk.ColumnIndexOffset > 0 {
				chunk.ColumnIndexOffset = place(chunk.ColumnIndexOffset, int64(chunk.ColumnIndexLength))
			}
		}
	}
	tail := marshal(t, footer)
	out = append(out, tail...)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(tail)))
	return append(out, "PAR1"...)
}

// shiftIndex places the offset index of a chunk whose pages moved.
func shiftIndex(t *testing.T, file []byte, out *[]byte, chunk *format.ColumnChunk, shift int64) int64 {
	t.Helper()
	if chunk.OffsetIndexOffset == 0 {
		return 0
	}
	var index format.OffsetIndex
	must(t, thrift.Unmarshal(new(thrift.CompactProtocol), file[chunk.OffsetIndexOffset:][:chunk.OffsetIndexLength],
		&index))
	for i := range index.PageLocations {
		index.PageLocations[i].Offset += shift
	}
	to := int64(len(*out))
	data := marshal(t, &index)
	chunk.OffsetIndexLength = int32(len(data))
	*out = append(*out, data...)
	return to
}

func marshal(t *testing.T, v any) []byte {
	t.Helper()
	data, err := thrift.Marshal(new(thrift.CompactProtocol), v)
	must(t, err)
	return bytes.Clone(data)
}
