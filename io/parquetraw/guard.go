package parquetraw

import (
	"cmp"
	"slices"

	"github.com/tacet-privacy/tacet/io/parquetraw/fault"
	"github.com/tacet-privacy/tacet/io/parquetraw/format"
)

// check makes sure that every chunk lies in the data of the file and apart
// from all others: bytes of one column are never taken for another's.
func (f *Footer) check() error {
	type span struct {
		start, end  int64
		leaf, group int
	}
	var all []span
	for g, group := range f.Groups {
		for l, c := range group.Chunks {
			leaf := &f.Leaves[l]
			switch {
			case c.Physical != leaf.Physical:
				return fault.InChunk(fault.Damaged("stored as another type than the schema says"), leaf.Name(), g)
			case c.Size < 0 || c.UncompressedSize < 0 || c.Values < 0:
				return fault.InChunk(fault.Damaged("negative size"), leaf.Name(), g)
			case c.Size == 0 && c.Values == 0:
				continue
			case c.Start < int64(len(format.Magic)) || c.Start > f.Start || c.Size > f.Start-c.Start || c.DataPage > c.Start+c.Size:
				return fault.InChunk(fault.Damaged("the column chunk is not inside the data of the file"), leaf.Name(), g)
			}
			all = append(all, span{c.Start, c.Start + c.Size, l, g})
		}
	}
	slices.SortFunc(all, func(a, b span) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end)) })
	for i := 1; i < len(all); i++ {
		if a, b := all[i-1], all[i]; b.start < a.end {
			return fault.InChunk(fault.Damaged("the column chunk overlaps another one"), f.Leaves[b.leaf].Name(), b.group)
		}
	}
	return nil
}

// CheckChunk reports, without reading pages, why a chunk cannot be decoded to
// an alphabet.
func (f *Footer) CheckChunk(group, leaf int) error {
	switch f.Leaves[leaf].Physical {
	case format.Boolean, format.Int32, format.Int64, format.ByteArray:
		return f.CheckValues(group, leaf)
	}
	return fault.InChunk(fault.Unsupported("", "values of this type cannot be decoded"), f.Leaves[leaf].Name(), group)
}

// CheckValues reports, without reading pages, why a chunk cannot be decoded.
func (f *Footer) CheckValues(group, leaf int) error {
	l, c := &f.Leaves[leaf], &f.Groups[group].Chunks[leaf]
	var err error
	switch {
	case len(l.Path) != 1 || l.Repetition == format.Repeated:
		err = fault.Unsupported("", "nested and repeated columns cannot be decoded")
	case l.Physical == format.Int96, l.Physical == format.FixedLen && (l.Length < 1 || l.Length > 1<<16):
		err = fault.Unsupported("", "values of this type cannot be decoded")
	case c.Codec.Check() != nil && c.Values > 0:
		err = c.Codec.Check()
	case c.Values != f.Groups[group].Rows:
		err = fault.Damaged("%d values for %d rows", c.Values, f.Groups[group].Rows)
	default:
		return nil
	}
	return fault.InChunk(err, l.Name(), group)
}
