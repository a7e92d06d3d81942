package splice

import (
	"io"
	"slices"

	"github.com/tacet-privacy/tacet/io/parquet/meta"
	"github.com/tacet-privacy/tacet/io/parquet/page"
	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/io/table"
)

// A Fresh leaf is written anew instead of copied.
type Fresh struct {
	Leaf   int
	Coding *page.Coding
	Text   bool // its type becomes string, whatever it was
}

// Changes say how the output differs from the input. Everything else is
// copied byte for byte.
type Changes struct {
	Role  []int // of every top-level column: its place in Fresh, table.Kept or table.Dropped
	Fresh []Fresh
	Keys  []string // of file metadata to keep
}

// A Layout says where every chunk will stand in the output. That is known
// before any is written, so they can be written in any order. Bytes of the
// input that are in no kept chunk are not copied: some writers put each
// chunk's metadata, with its least and greatest value, between the chunks.
type Layout struct {
	footer  *meta.Footer
	changes Changes
	kept    []int     // leaves, in file order
	fresh   []int     // by leaf: index in changes.Fresh, table.Kept for a copied one
	groups  [][]place // by row group, one per kept leaf
	end     int64     // where the footer goes
}

// A place is where a chunk goes in the output.
type place struct{ at, size int64 }

// NewLayout lays the output out for a file with footer f: chunks in the order
// of the schema, each behind the one before.
func NewLayout(f *meta.Footer, c Changes) *Layout {
	s := &Layout{footer: f, changes: c, fresh: make([]int, len(f.Leaves)), end: int64(len(meta.Magic))}
	for leaf := range f.Leaves {
		role := c.Role[f.Leaves[leaf].Top]
		if s.fresh[leaf] = max(role, table.Kept); role != table.Dropped {
			s.kept = append(s.kept, leaf)
		}
	}
	for g := range f.Groups {
		group := make([]place, len(s.kept))
		for i, leaf := range s.kept {
			size := f.Groups[g].Chunks[leaf].Size
			if k := s.fresh[leaf]; k >= 0 {
				size = c.Fresh[k].Coding.Reserve(f.Groups[g].Rows)
			}
			group[i] = place{s.end, size}
			s.end += size
		}
		s.groups = append(s.groups, group)
	}
	return s
}

// Runs are what is to be copied for a row group: chunks that are neighbours
// on both sides go together.
func (s *Layout) Runs(group int) []publish.Run {
	var runs []publish.Run
	for i, leaf := range s.kept {
		p := s.groups[group][i]
		if s.fresh[leaf] >= 0 || p.size == 0 {
			continue
		}
		next := publish.Run{From: s.footer.Groups[group].Chunks[leaf].Start, To: p.at, Size: p.size}
		if n := len(runs); n > 0 && runs[n-1].From+runs[n-1].Size == next.From &&
			runs[n-1].To+runs[n-1].Size == next.To {
			runs[n-1].Size += next.Size
			continue
		}
		runs = append(runs, next)
	}
	return runs
}

// Chunk begins the chunk of Fresh leaf k in a row group.
func (s *Layout) Chunk(out io.WriterAt, group, k int) (*page.Writer, error) {
	fresh := &s.changes.Fresh[k]
	i := slices.Index(s.kept, fresh.Leaf)
	return page.NewWriter(out, s.groups[group][i].at, s.footer.Groups[group].Rows, fresh.Coding)
}

// End is where the footer goes.
func (s *Layout) End() int64 { return s.end }
