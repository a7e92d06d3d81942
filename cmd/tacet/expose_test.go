package main

import (
	"bytes"
	"encoding/base64"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// exposed is every byte of a file, and after it every page or buffer once
// more, decompressed. It shares no code with what wrote the file.
func exposed(t *testing.T, file []byte) []byte {
	t.Helper()
	if bytes.HasPrefix(file, []byte("PAR1")) {
		return append(slices.Clone(file), parquetPages(t, file)...)
	}
	return append(slices.Clone(file), arrowBuffers(t, file)...)
}

func parquetFooter(t *testing.T, file []byte) *format.FileMetaData {
	t.Helper()
	f, err := parquet.OpenFile(bytes.NewReader(file), int64(len(file)), parquet.SkipPageIndex(true),
		parquet.SkipBloomFilters(true))
	must(t, err)
	return f.Metadata()
}

// parquetPages walks the chunks header by header.
func parquetPages(t *testing.T, file []byte) (all []byte) {
	t.Helper()
	footer := parquetFooter(t, file)
	for _, kv := range footer.KeyValueMetadata {
		if raw, err := base64.StdEncoding.DecodeString(kv.Value); err == nil {
			all = append(all, raw...)
		}
	}
	for _, group := range footer.RowGroups {
		for _, chunk := range group.Columns {
			at := chunkStart(&chunk.MetaData)
			for left := file[at : at+chunk.MetaData.TotalCompressedSize]; len(left) > 0; {
				r := new(thrift.CompactProtocol).NewReaderFromBytes(left)
				var h format.PageHeader
				must(t, thrift.NewDecoder(r).Decode(&h))
				left = left[len(left)-r.Reader().(*bytes.Reader).Len():]
				page := left[:h.CompressedPageSize]
				left = left[len(page):]
				if h.DataPageHeaderV2.Valid {
					v2 := h.DataPageHeaderV2.V
					page = page[v2.DefinitionLevelsByteLength+v2.RepetitionLevelsByteLength:]
					if v2.IsCompressed.Valid && !v2.IsCompressed.V {
						continue
					}
				}
				plain, err := parquet.LookupCompressionCodec(chunk.MetaData.Codec).Decode(nil, page)
				must(t, err)
				all = append(all, plain...)
			}
		}
	}
	return all
}

// chunkStart is where the first page of a chunk is.
func chunkStart(m *format.ColumnMetaData) int64 {
	if m.DictionaryPageOffset > 0 {
		return min(m.DictionaryPageOffset, m.DataPageOffset)
	}
	return m.DataPageOffset
}

// arrowBuffers is what a reader gets, also below nulls and beyond the rows.
func arrowBuffers(t *testing.T, file []byte) (all []byte) {
	t.Helper()
	r, err := ipc.NewFileReader(bytes.NewReader(file))
	must(t, err)
	defer r.Close()
	all = append(all, r.Schema().String()...)
	for i := range r.NumRecords() {
		b, err := r.RecordBatch(i)
		must(t, err)
		for _, c := range b.Columns() {
			all = append(all, dataBuffers(c.Data())...)
		}
	}
	return all
}

func dataBuffers(d arrow.ArrayData) (all []byte) {
	if d == nil {
		return nil
	}
	for _, b := range d.Buffers() {
		if b != nil {
			all = append(all, b.Buf()...)
		}
	}
	for _, c := range d.Children() {
		all = append(all, dataBuffers(c)...)
	}
	if d.DataType().ID() == arrow.DICTIONARY {
		all = append(all, dataBuffers(d.Dictionary())...)
	}
	return all
}
