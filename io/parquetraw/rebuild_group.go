package parquetraw

// group is the metadata of a row group.
func (s *Splice) group(old *Struct, g int, written []Written) *Struct {
	group := NewStruct()
	chunks := NewList(Record)
	list := old.Get(GroupChunks).List()
	var plain, stored int64
	for i, leaf := range s.kept {
		p, c := s.groups[g][i], s.footer.Groups[g].Chunks[leaf]
		if k := s.fresh[leaf]; k >= 0 {
			chunks.Append(StructValue(s.freshChunk(&s.changes.Fresh[k], p, written[k])))
			plain += written[k].Size
			stored += written[k].Size
			continue
		}
		chunks.Append(StructValue(copiedChunk(list.At(leaf).Struct(), c, p)))
		plain += c.UncompressedSize
		stored += c.Size
	}
	group.Set(GroupChunks, ListValue(chunks))
	group.Set(GroupByteSize, Int(I64, plain))
	keep(group, old, GroupRows, GroupOrdinal)
	if sorting := s.sorting(old.Get(GroupSorting).List()); sorting.Len() > 0 {
		group.Set(GroupSorting, ListValue(sorting))
	}
	if old.Get(GroupFileOffset) != nil && len(s.kept) > 0 {
		group.Set(GroupFileOffset, Int(I64, s.groups[g][0].at))
	}
	if old.Get(GroupCompressedSize) != nil {
		group.Set(GroupCompressedSize, Int(I64, stored))
	}
	return group
}

// sorting renumbers the columns by which rows are sorted. Behind a column
// that is gone the others no longer say anything, since they only order rows
// that are equal in it.
func (s *Splice) sorting(old *List) *List {
	kept := NewList(Record)
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
		entry := NewStruct(Field{1, Int(I32, int64(at))})
		keep(entry, by, 2, 3)
		kept.Append(StructValue(entry))
	}
	return kept
}

// copiedChunk moves the offsets. What is in the tree of a copied column stays
// but for what points elsewhere in the old file, and free metadata.
func copiedChunk(old *Struct, c Chunk, p place) *Struct {
	meta := old.Get(ChunkMeta).Struct()
	delta := p.at - c.Start
	if c.Size == 0 {
		meta.Set(ColumnDataPage, Int(I64, p.at))
		meta.Delete(ColumnDictionaryPage)
	} else {
		shift(meta, ColumnDataPage, delta)
		shift(meta, ColumnDictionaryPage, delta)
	}
	meta.Delete(ColumnIndexPage) // nothing reads or writes one
	meta.Delete(ColumnKeyValue)
	meta.Delete(ColumnBloomOffset)
	meta.Delete(ColumnBloomLength)
	return NewStruct(Field{ChunkFileOffset, Int(I64, 0)}, Field{ChunkMeta, StructValue(meta)})
}

// shift moves an offset. 0 means that there is no such page, for data pages
// too: some writers say so of a chunk without rows.
func shift(s *Struct, id int16, delta int64) {
	if at, ok := s.Get(id).Int(); ok && at > 0 {
		s.Set(id, Int(I64, at+delta))
	}
}

// freshChunk is written from nothing but what was written.
func (s *Splice) freshChunk(f *Fresh, p place, w Written) *Struct {
	integers := func(n ...int64) *Value {
		l := NewList(I32)
		for _, v := range n {
			l.Append(Int(I32, v))
		}
		return ListValue(l)
	}
	pages := func(typ pageType, e Encoding, n int64) *Value {
		return StructValue(NewStruct(Field{1, Int(I32, int64(typ))}, Field{2, Int(I32, int64(e))}, Field{3, Int(I32, n)}))
	}
	path := NewList(Binary)
	for _, name := range s.footer.Leaves[f.Leaf].Path {
		path.Append(String(name))
	}
	values := RLEDictionary
	encodings, stats := integers(int64(PlainEncoding), int64(RLE), int64(RLEDictionary)), NewList(Record)
	if f.Coding.Physical == Boolean {
		values, encodings = PlainEncoding, integers(int64(PlainEncoding), int64(RLE))
	} else {
		stats.Append(pages(dictionaryPage, PlainEncoding, 1))
	}
	if w.Pages > 0 {
		stats.Append(pages(dataPage, values, w.Pages))
	}
	meta := NewStruct(
		Field{ColumnPhysical, Int(I32, int64(f.Coding.Physical))},
		Field{ColumnEncodings, encodings},
		Field{ColumnPath, ListValue(path)},
		Field{ColumnCodec, Int(I32, int64(Uncompressed))},
		Field{ColumnValues, Int(I64, w.Rows)},
		Field{ColumnUncompressedSize, Int(I64, w.Size)},
		Field{ColumnSize, Int(I64, w.Size)},
		Field{ColumnDataPage, Int(I64, p.at+w.Dictionary)},
		Field{ColumnStatistics, StructValue(NewStruct(Field{3, Int(I64, w.Nulls)}))},
		Field{ColumnEncodingStats, ListValue(stats)},
	)
	if w.Dictionary > 0 {
		meta.Set(ColumnDictionaryPage, Int(I64, p.at))
	}
	return NewStruct(Field{ChunkFileOffset, Int(I64, 0)}, Field{ChunkMeta, StructValue(meta)})
}
