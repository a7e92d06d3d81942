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
	list := old.Get(meta.GroupChunks)
	var plain, stored int64
	for i, leaf := range s.kept {
		p, c := s.groups[g][i], s.footer.Groups[g].Chunks[leaf]
		if k := s.fresh[leaf]; k >= 0 {
			chunks.Append(s.freshChunk(&s.changes.Fresh[k], p, written[k]))
			plain += written[k].Size
			stored += written[k].Size
			continue
		}
		chunks.Append(copiedChunk(list.At(leaf), c, p))
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
	head := old.Get(meta.ChunkMeta)
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
	integers := func(n ...int64) *meta.Value {
		l := meta.NewList(meta.I32)
		for _, v := range n {
			l.Append(meta.Int(meta.I32, v))
		}
		return l
	}
	pages := func(typ format.PageType, e format.Encoding, n int64) *meta.Value {
		return meta.NewStruct(meta.Numbered(int64(typ), int64(e), n)...)
	}
	path := meta.NewList(meta.Binary)
	for _, name := range s.footer.Leaves[f.Leaf].Path {
		path.Append(meta.String(name))
	}
	values := format.RLEDictionary
	encodings, stats := integers(int64(format.Plain), int64(format.RLE), int64(format.RLEDictionary)),
		meta.NewList(meta.Record)
	if f.Coding.Physical == format.Boolean {
		values, encodings = format.Plain, integers(int64(format.Plain), int64(format.RLE))
	} else {
		stats.Append(pages(format.DictionaryPage, format.Plain, 1))
	}
	if w.Pages > 0 {
		stats.Append(pages(format.DataPage, values, w.Pages))
	}
	nulls := meta.NewStruct(meta.Field{ID: 3, Value: meta.Int(meta.I64, w.Nulls)})
	head := meta.NewStruct(
		meta.Field{ID: meta.ColumnPhysical, Value: meta.Int(meta.I32, int64(f.Coding.Physical))},
		meta.Field{ID: meta.ColumnEncodings, Value: encodings},
		meta.Field{ID: meta.ColumnPath, Value: path},
		meta.Field{ID: meta.ColumnCodec, Value: meta.Int(meta.I32, int64(format.Uncompressed))},
		meta.Field{ID: meta.ColumnValues, Value: meta.Int(meta.I64, w.Rows)},
		meta.Field{ID: meta.ColumnUncompressedSize, Value: meta.Int(meta.I64, w.Size)},
		meta.Field{ID: meta.ColumnSize, Value: meta.Int(meta.I64, w.Size)},
		meta.Field{ID: meta.ColumnDataPage, Value: meta.Int(meta.I64, p.at+w.Dictionary)},
		meta.Field{ID: meta.ColumnStatistics, Value: nulls},
		meta.Field{ID: meta.ColumnEncodingStats, Value: stats},
	)
	if w.Dictionary > 0 {
		head.Set(meta.ColumnDictionaryPage, meta.Int(meta.I64, p.at))
	}
	return chunkOf(head)
}
