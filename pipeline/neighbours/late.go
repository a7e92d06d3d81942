package neighbours

import (
	"context"
	"errors"
	"math"

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
	of := 0
	for _, k := range late {
		w := s.view[k]
		if at := len(all) - 1; at >= 0 && s.view[all[at][0]].column == w.column {
			all[at] = append(all[at], k)
			continue
		}
		if at := len(all) - 1; at >= 0 && of < most && w.cut == nil && s.view[all[at][0]].cut == nil {
			all[at], of = append(all[at], k), of+1
			continue
		}
		all, of = append(all, group{k}), 1
	}
	return all
}

// load takes the cells of a group.
func (s *sample) load(ctx context.Context, of group) ([]*column, error) {
	out := make([]*column, len(of))
	in, place := make([]reader, len(of)), make([]int, len(of))
	var names []string
	for k, view := range of {
		out[k] = s.blank()
		if n := len(names); n == 0 || names[n-1] != s.name(view) {
			names = append(names, s.name(view))
		}
		place[k] = len(names) - 1
	}
	for i := range s.part {
		p, at := &s.part[i], s.part[i].from
		picks, cells := []int32(nil), p.end-p.cell
		if !s.whole {
			picks = s.cell[p.cell:p.end]
		}
		for k := range of {
			in[k].begin(&out[k].unit[i], cells, s.kin(p.to-p.from))
		}
		var some []int32
		err := s.file.ReadColumns(ctx, p.unit, names, func(b table.Batch) error {
			n := min(len(b.Beside[0].Code), p.to-at)
			rows := everyRow[:n]
			if some = some[:0]; s.picked == math.MaxUint64 {
				some = append(some, rows...)
			} else if s.whole {
				some = s.pick(at, n, some)
			} else {
				for len(picks) > 0 && int(picks[0]) < at+n {
					some, picks = append(some, picks[0]-int32(at)), picks[1:]
				}
				rows = some
			}
			for k, view := range of {
				v := &b.Beside[place[k]]
				v.Code = v.Code[:n]
				in[k].take(s.view[view].of(v), s, at, rows, some)
			}
			if at += n; at == p.to {
				return errEnough
			}
			return nil
		})
		if err != nil && !errors.Is(err, errEnough) {
			return nil, err
		}
	}
	for k := range of {
		out[k].typ = in[k].typ
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
	if c := s.column[view]; c.unit != nil {
		return c, nil
	}
	c, err := s.load(ctx, group{view})
	if err != nil {
		return nil, err
	}
	return c[0], nil
}
