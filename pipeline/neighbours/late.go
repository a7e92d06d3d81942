package neighbours

import (
	"context"
	"slices"

	"github.com/tacet-privacy/tacet/io/table"
)

const (
	// groupRows bounds the cells of a unit that are read together, and mostGrouped their columns: to begin
	// a unit of many columns takes longer than to read a few short ones.
	groupRows   = 1 << 16
	mostGrouped = 64
)

// A group is views of columns that are read together, those of one column behind each other.
type group []int

// grouped are the views that are read late, those of at most so many columns together.
func (s *sample) grouped(late []int, most int) (all []group) {
	columns := 0
	for _, k := range late {
		w, at := s.view[k], len(all)-1
		switch {
		case at >= 0 && s.view[all[at][0]].column == w.column:
		case at >= 0 && columns < most && w.cut == nil && s.view[all[at][0]].cut == nil:
			columns++
		default:
			all, at, columns = append(all, nil), at+1, 1
		}
		all[at] = append(all[at], k)
	}
	return all
}

// load takes the cells of a group.
func (s *sample) load(ctx context.Context, of group) ([]*column, error) {
	out, in, place := make([]*column, len(of)), make([]*reader, len(of)), make([]int, len(of))
	var names []string
	for k, view := range of {
		in[k] = s.reader(view, len(s.cell))
		if n := len(names); n == 0 || names[n-1] != s.name[view] {
			names = append(names, s.name[view])
		}
		out[k], place[k] = in[k].column, len(names)-1
	}
	for i := range s.part {
		p := &s.part[i]
		at, rest := p.from, s.cell[p.cell:p.end]
		for k := range in {
			clear(in[k].known)
		}
		err := s.file.ReadColumns(ctx, p.unit, names, func(b table.Batch) error {
			n := min(len(b.Beside[0].Code), p.to-at)
			end, _ := slices.BinarySearch(rest, int32(at+n))
			for k := range of {
				in[k].take(&b.Beside[place[k]], at, n, rest[:end])
			}
			at, rest = at+n, rest[end:]
			return p.enough(at)
		})
		if unless(err) != nil {
			return nil, err
		}
	}
	return out, nil
}

// each calls f with every view, while its cells are at hand; last are those of the rows'
// places.
func (s *sample) each(ctx context.Context, threads int, f func(view int) error, places func() error) error {
	return table.EachUnit(ctx, len(s.group)+1, threads, func(_, r int) error {
		if r == len(s.group) {
			return places()
		}
		of := s.group[r]
		if s.late[of[0]] {
			c, err := s.load(ctx, of)
			if err != nil {
				return err
			}
			for k, view := range of {
				s.column[view] = c[k]
			}
			if r == len(s.group)-1 {
				s.collect()
			}
		}
		for _, view := range of {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := f(view); err != nil {
				return err
			}
			if s.late[view] { // and read again where a pair wants more of its rows
				s.column[view] = &column{typ: s.column[view].typ}
			}
		}
		return nil
	})
}

// cellsOf are those of a view that was judged before.
func (s *sample) cellsOf(ctx context.Context, view int) (*column, error) {
	if c := s.column[view]; c.key != nil {
		return c, nil
	}
	c, err := s.load(ctx, group{view})
	if err != nil {
		return nil, err
	}
	return c[0], nil
}
