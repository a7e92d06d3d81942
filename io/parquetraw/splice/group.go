package splice

import (
	"github.com/tacet-privacy/tacet/io/parquetraw"
	"github.com/tacet-privacy/tacet/io/parquetraw/column"
	"github.com/tacet-privacy/tacet/io/parquetraw/format"
	"github.com/tacet-privacy/tacet/io/parquetraw/page"
	"github.com/tacet-privacy/tacet/io/parquetraw/thrift"
)

// group is the metadata of a row group.
func (s *Layout) group(old *thrift.Struct, g int, written []column.Written) *thrift.Struct {
	group := thrift.NewStruct()
	chunks := thrift.NewList(thrift.Record)
	list := old.Get(format.GroupChunks).List()
	var plain, stored int64
	for i, leaf := range s.kept {
		p, c := s.groups[g][i], s.footer.Groups[g].Chunks[leaf]
		if k := s.fresh[leaf]; k >= 0 {
			chunks.Append(thrift.StructValue(s.freshChunk(&s.changes.Fresh[k], p, written[k])))
			plain += written[k].Size
			stored += written[k].Size
			continue
		}
		chunks.Append(thrift.StructValue(copiedChunk(list.At(leaf).Struct(), c, p)))
		plain += c.UncompressedSize
		stored += c.Size
	}
	group.Set(format.GroupChunks, thrift.ListValue(chunks))
	group.Set(format.GroupByteSize, thrift.Int(thrift.I64, plain))
	keep(group, old, format.GroupRows, format.GroupOrdinal)
	if sorting := s.sorting(old.Get(format.GroupSorting).List()); sorting.Len() > 0 {
		group.Set(format.GroupSorting, thrift.ListValue(sorting))
	}
	if old.Get(format.GroupFileOffset) != nil && len(s.kept) > 0 {
		group.Set(format.GroupFileOffset, thrift.Int(thrift.I64, s.groups[g][0].at))
	}
	if old.Get(format.GroupCompressedSize) != nil {
		group.Set(format.GroupCompressedSize, thrift.Int(thrift.I64, stored))
	}
	return group
}

// sorting renumbers the columns by which rows are sorted. Behind a column
// that is gone the others no longer say anything, since they only order rows
// that are equal in it.
func (s *Layout) sorting(old *thrift.List) *thrift.List {
	kept := thrift.NewList(thrift.Record)
	for i := range old.Len() {
		by := old.At(i).Struct()
		leaf, ok := by.Get(1).Int()
		at := -1
		for k, l := range s.kept {
			if int64(l) == leaf && s.fresh[l] < 0 {
				at = k
			}
		}
		if !ok || at < 0 {
			break
		}
		entry := thrift.NewStruct(thrift.Field{ID: 1, Value: thrift.Int(thrift.I32, int64(at))})
		keep(entry, by, 2, 3)
		kept.Append(thrift.StructValue(entry))
	}
	return kept
}

// copiedChunk moves the offsets. What is in the tree of a copied column stays
// but for what points elsewhere in the old file, and free metadata.
func copiedChunk(old *thrift.Struct, c parquetraw.Chunk, p place) *thrift.Struct {
	meta := old.Get(format.ChunkMeta).Struct()
	delta := p.at - c.Start
	if c.Size == 0 {
		meta.Set(format.ColumnDataPage, thrift.Int(thrift.I64, p.at))
		meta.Delete(format.ColumnDictionaryPage)
	} else {
		shift(meta, format.ColumnDataPage, delta)
		shift(meta, format.ColumnDictionaryPage, delta)
	}
	meta.Delete(format.ColumnIndexPage) // nothing reads or writes one
	meta.Delete(format.ColumnKeyValue)
	meta.Delete(format.ColumnBloomOffset)
	meta.Delete(format.ColumnBloomLength)
	return chunkOf(meta)
}

// chunkOf is a ColumnChunk with that metadata and nothing else of its own.
func chunkOf(meta *thrift.Struct) *thrift.Struct {
	return thrift.NewStruct(
		thrift.Field{ID: format.ChunkFileOffset, Value: thrift.Int(thrift.I64, 0)},
		thrift.Field{ID: format.ChunkMeta, Value: thrift.StructValue(meta)},
	)
}

// shift moves an offset. 0 means that there is no such page, for data pages
// too: some writers say so of a chunk without rows.
func shift(s *thrift.Struct, id int16, delta int64) {
	if at, ok := s.Get(id).Int(); ok && at > 0 {
		s.Set(id, thrift.Int(thrift.I64, at+delta))
	}
}

// freshChunk is written from nothing but what was written.
func (s *Layout) freshChunk(f *Fresh, p place, w column.Written) *thrift.Struct {
	integers := func(n ...int64) *thrift.Value {
		l := thrift.NewList(thrift.I32)
		for _, v := range n {
			l.Append(thrift.Int(thrift.I32, v))
		}
		return thrift.ListValue(l)
	}
	pages := func(typ format.PageType, e format.Encoding, n int64) *thrift.Value {
		return thrift.StructValue(thrift.NewStruct(
			thrift.Field{ID: 1, Value: thrift.Int(thrift.I32, int64(typ))},
			thrift.Field{ID: 2, Value: thrift.Int(thrift.I32, int64(e))},
			thrift.Field{ID: 3, Value: thrift.Int(thrift.I32, n)},
		))
	}
	path := thrift.NewList(thrift.Binary)
	for _, name := range s.footer.Leaves[f.Leaf].Path {
		path.Append(thrift.String(name))
	}
	values := format.RLEDictionary
	encodings, stats := integers(int64(format.PlainEncoding), int64(format.RLE), int64(format.RLEDictionary)), thrift.NewList(thrift.Record)
	if f.Coding.Physical == format.Boolean {
		values, encodings = format.PlainEncoding, integers(int64(format.PlainEncoding), int64(format.RLE))
	} else {
		stats.Append(pages(format.DictionaryPage, format.PlainEncoding, 1))
	}
	if w.Pages > 0 {
		stats.Append(pages(format.DataPage, values, w.Pages))
	}
	nulls := thrift.NewStruct(thrift.Field{ID: 3, Value: thrift.Int(thrift.I64, w.Nulls)})
	meta := thrift.NewStruct(
		thrift.Field{ID: format.ColumnPhysical, Value: thrift.Int(thrift.I32, int64(f.Coding.Physical))},
		thrift.Field{ID: format.ColumnEncodings, Value: encodings},
		thrift.Field{ID: format.ColumnPath, Value: thrift.ListValue(path)},
		thrift.Field{ID: format.ColumnCodec, Value: thrift.Int(thrift.I32, int64(page.Uncompressed))},
		thrift.Field{ID: format.ColumnValues, Value: thrift.Int(thrift.I64, w.Rows)},
		thrift.Field{ID: format.ColumnUncompressedSize, Value: thrift.Int(thrift.I64, w.Size)},
		thrift.Field{ID: format.ColumnSize, Value: thrift.Int(thrift.I64, w.Size)},
		thrift.Field{ID: format.ColumnDataPage, Value: thrift.Int(thrift.I64, p.at+w.Dictionary)},
		thrift.Field{ID: format.ColumnStatistics, Value: thrift.StructValue(nulls)},
		thrift.Field{ID: format.ColumnEncodingStats, Value: thrift.ListValue(stats)},
	)
	if w.Dictionary > 0 {
		meta.Set(format.ColumnDictionaryPage, thrift.Int(thrift.I64, p.at))
	}
	return chunkOf(meta)
}
