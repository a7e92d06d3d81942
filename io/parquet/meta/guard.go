package meta

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go/format"
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
				return InChunk(Damaged("stored as another type than the schema says"), leaf.Name(), g)
			case c.Size < 0 || c.UncompressedSize < 0 || c.Values < 0:
				return InChunk(Damaged("negative size"), leaf.Name(), g)
			case c.Size == 0 && c.Values == 0:
				continue
			case c.Start < int64(len(Magic)) || c.Start > f.Start || c.Size > f.Start-c.Start ||
				c.DataPage > c.Start+c.Size:
				return InChunk(Damaged("the column chunk is not inside the data of the file"), leaf.Name(), g)
			}
			all = append(all, span{c.Start, c.Start + c.Size, l, g})
		}
	}
	createdBy, _ := f.Meta.Get(MetaCreatedBy).Bytes()
	short := statesShortSizes(string(createdBy))
	slices.SortFunc(all, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end))
	})
	for i, a := range all {
		next := f.Start
		if i+1 < len(all) {
			next = all[i+1].start
		}
		if next < a.end {
			b := all[i+1]
			return InChunk(Damaged("the column chunk overlaps another one"), f.Leaves[b.leaf].Name(), b.group)
		}
		if short && next > a.end {
			err := Unsupported("write it again with another tool",
				"its size is stated too small, as parquet-mr before 1.2.9 did")
			return InChunk(err, f.Leaves[a.leaf].Name(), a.group)
		}
	}
	return nil
}

// statesShortSizes reports whether a writer leaves the header of a dictionary
// page out of the size of its chunk, whose last bytes a copy would miss:
// parquet-mr before 1.2.9 (https://issues.apache.org/jira/browse/PARQUET-816).
func statesShortSizes(createdBy string) bool {
	version, ok := strings.CutPrefix(createdBy, "parquet-mr")
	if !ok {
		return false
	}
	var major, minor, patch int // 0 where they are not given, as in the oldest
	fmt.Sscanf(version, " version %d.%d.%d", &major, &minor, &patch)
	return cmp.Or(cmp.Compare(major, 1), cmp.Compare(minor, 2), cmp.Compare(patch, 9)) < 0
}

// CheckValues reports, without reading pages, why a chunk cannot be decoded.
func (f *Footer) CheckValues(group, leaf int) error {
	l, c := &f.Leaves[leaf], &f.Groups[group].Chunks[leaf]
	var err error
	switch {
	case len(l.Path) != 1 || l.Repetition == format.Repeated:
		err = Unsupported("", "nested and repeated columns cannot be decoded")
	case l.Physical == format.FixedLenByteArray && (l.Length < 1 || l.Length > 1<<16):
		err = Unsupported("", "values of this type cannot be decoded")
	case CheckCodec(c.Codec) != nil && c.Values > 0:
		err = CheckCodec(c.Codec)
	case c.Values != f.Groups[group].Rows:
		err = Damaged("%d values for %d rows", c.Values, f.Groups[group].Rows)
	default:
		return nil
	}
	return InChunk(err, l.Name(), group)
}
