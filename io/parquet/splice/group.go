package splice

import (
	"github.com/parquet-go/parquet-go/format"

	"github.com/tacet-privacy/tacet/io/parquet/meta"
	"github.com/tacet-privacy/tacet/io/parquet/page"
)

// group is the metadata of a row group. By which columns its rows are sorted, and its number,
// are left out.
func (s *Layout) group(old *meta.Value, g int, written []page.Written) *meta.Value {
	group := meta.NewStruct()
	chunks := meta.NewList(meta.Record)
	list := old.Get(meta.GroupChunks).View()
	var plain, stored int64
	for i, leaf := range s.kept {
		p, c := s.groups[g][i], s.footer.Groups[g].Chunks[leaf]
		if k := s.fresh[leaf]; k >= 0 {
			chunks.Append(s.freshChunk(&s.changes.Fresh[k], p, written[k]))
			plain += written[k].Size
			stored += written[k].Size
			continue
		}
		chunks.Append(copiedChunk(list.At(leaf).View(), c, p))
		plain += c.UncompressedSize
		stored += c.Size
	}
	group.Set(meta.GroupChunks, chunks)
	group.Set(meta.GroupByteSize, meta.Int(meta.I64, plain))
	keep(group, old, meta.GroupRows)
	if old.Get(meta.GroupFileOffset) != nil && len(s.kept) > 0 {
		group.Set(meta.GroupFileOffset, meta.Int(meta.I64, s.groups[g][0].at))
	}
	if old.Get(meta.GroupCompressedSize) != nil {
		group.Set(meta.GroupCompressedSize, meta.Int(meta.I64, stored))
	}
	return group
}

// copiedChunk moves the offsets. What is in the tree of a copied column stays
// but for what points elsewhere in the old file, and free metadata.
func copiedChunk(old *meta.Value, c meta.Chunk, p place) *meta.Value {
	head := old.Get(meta.ChunkMeta).View()
	delta := p.at - c.Start
	if c.Size == 0 {
		head.Set(meta.ColumnDataPage, meta.Int(meta.I64, p.at))
		head.Delete(meta.ColumnDictionaryPage)
	} else {
		shift(head, meta.ColumnDataPage, delta)
		shift(head, meta.ColumnDictionaryPage, delta)
	}
	head.Delete(meta.ColumnIndexPage) // nothing reads or writes one
	head.Delete(meta.ColumnKeyValue)
	head.Delete(meta.ColumnBloomOffset)
	head.Delete(meta.ColumnBloomLength)
	return chunkOf(head)
}

// chunkOf is a ColumnChunk with that metadata and nothing else of its own.
func chunkOf(head *meta.Value) *meta.Value {
	return meta.NewStruct(
		meta.Field{ID: meta.ChunkFileOffset, Value: meta.Int(meta.I64, 0)},
		meta.Field{ID: meta.ChunkMeta, Value: head},
	)
}

// shift moves an offset. 0 means that there is no such page, for data pages
// too: some writers say so of a chunk without rows.
func shift(s *meta.Value, id int16, delta int64) {
	if at, ok := s.Get(id).Int(); ok && at > 0 {
		s.Set(id, meta.Int(meta.I64, at+delta))
	}
}

// freshChunk is written from nothing but what was written.
func (s *Layout) freshChunk(f *Fresh, p place, w page.Written) *meta.Value {
	head := format.ColumnMetaData{
		Type: f.Coding.Physical, Encoding: []format.Encoding{format.Plain, format.RLE},
		PathInSchema: s.footer.Leaves[f.Leaf].Path, Codec: format.Uncompressed, NumValues: w.Rows,
		TotalUncompressedSize: w.Size, TotalCompressedSize: w.Size, DataPageOffset: p.at + w.Dictionary,
		Statistics:    format.Statistics{NullCount: w.Nulls},
		EncodingStats: []format.PageEncodingStats{},
	}
	values := format.Plain
	if f.Coding.Physical != format.Boolean {
		values = format.RLEDictionary
		head.Encoding = append(head.Encoding, values)
		head.EncodingStats = append(head.EncodingStats,
			format.PageEncodingStats{PageType: format.DictionaryPage, Encoding: format.Plain, Count: 1})
	}
	if w.Pages > 0 {
		head.EncodingStats = append(head.EncodingStats,
			format.PageEncodingStats{PageType: format.DataPage, Encoding: values, Count: int32(w.Pages)})
	}
	if w.Dictionary > 0 {
		head.DictionaryPageOffset = p.at
	}
	return chunkOf(meta.Written(&head))
}
