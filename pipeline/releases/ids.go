package releases

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/mechanism/draw"
	"github.com/tacet-privacy/tacet/pipeline/fault"

	"github.com/tacet-privacy/tacet/pipeline/count"
)

// Check reads all ids: none may be null, and where they identify records none
// may stand twice.
func (m *Memo) Check(ctx context.Context, s *count.Source) error {
	if m == nil {
		return nil
	}
	unique := m.unique()
	var seen Seen
	var null rowList
	err := s.EachBatch(ctx, func() (func(*table.Batch) error, func()) {
		h, look := m.Hand(nil), seen.Looker()
		return func(b *table.Batch) error {
			if m.whole(b) {
				if unique {
					look.Add(h.heads(b)...)
				}
				return nil
			}
			for i := range b.Letters[0] {
				if slices.ContainsFunc(b.Beside[:len(m.beside)], func(v table.Values) bool { return v.Null(i) }) {
					null.add(b.Row + int64(i))
				}
			}
			return nil
		}, look.Close
	})
	if err != nil {
		return err
	}
	if null.n > 0 {
		return fault.New(fault.Input, "fill in the ids, or remove these rows",
			"%s: %d rows have no id in %s, first in row %s", s.Path, null.n, strings.Join(m.beside, ", "), null.String())
	}
	return m.refuse(ctx, s, seen.Twice(count.ShownRows, s.Workers()))
}

// whole reports whether all rows of a batch have ids.
func (m *Memo) whole(b *table.Batch) bool {
	all := int32(0)
	for i := range m.beside {
		for _, code := range b.Beside[i].Code {
			all |= code // below 0 where one is
		}
	}
	return all >= 0
}

// unique reports whether no two rows may have the same ids.
func (m *Memo) unique() bool { return m.unit == draw.Record || m.o.Ledger != "" }

// refuse says which rows share their ids, if any do of those whose names begin with heads.
func (m *Memo) refuse(ctx context.Context, s *count.Source, heads map[Head]bool) error {
	if len(heads) == 0 {
		return nil
	}
	rows, err := m.twice(ctx, s, heads)
	if err != nil || rows.n == 0 {
		return err
	}
	hint := "name all columns that identify a record with --record-id; if a row belongs to a person, name the person's " +
		"column with --person"
	if m.o.Person != "" {
		hint = "name all columns that identify a record with --record-id: a ledger needs an id for each record"
	}
	return fault.New(fault.Input, hint, "%s: record ids in %s appear more than once, for example in rows %s", s.Path,
		strings.Join(m.o.RecordID, ", "), rows.String())
}

// twice finds the rows of records that stand more than once, among those whose
// names begin with heads.
func (m *Memo) twice(ctx context.Context, s *count.Source, heads map[Head]bool) (*rowList, error) {
	rows := map[draw.Name]*rowList{}
	var mu sync.Mutex
	err := s.EachBatch(ctx, func() (func(*table.Batch) error, func()) {
		h := m.Hand(nil)
		return func(b *table.Batch) error {
			for i, head := range h.heads(b) {
				if !heads[head] {
					continue
				}
				h.fill(b, m.named, i)
				n := h.namer.Name(&h.id)
				mu.Lock()
				if rows[n] == nil {
					rows[n] = &rowList{}
				}
				list := rows[n]
				mu.Unlock()
				list.add(b.Row + int64(i))
			}
			return nil
		}, func() {}
	})
	all := &rowList{}
	for _, list := range rows {
		if list.n > 1 {
			all.merge(list)
		}
	}
	return all, err
}

// heads are those of the records of a batch, good until it is called again. Whole numbers are equal
// where their texts are: they are mixed instead of named, from a beginning that only the
// key gives, so that nobody can make records that share one.
func (h *Hand) heads(b *table.Batch) []Head {
	rows := len(b.Letters[0])
	to := slices.Grow(h.known[:0], rows)[:rows]
	h.known = to
	if !h.wholeIDs(b) {
		for i := range to {
			h.fill(b, h.m.named, i)
			to[i] = HeadOf(h.namer.Name(&h.id))
		}
		return to
	}
	if h.mixed == 0 {
		h.id.Reset()
		h.id.Part(nil)
		h.mixed = HeadOf(h.namer.Name(&h.id)) | 1
	}
	for i := range to {
		to[i] = h.mixed
	}
	for _, c := range h.m.named {
		v := &b.Beside[c]
		if v.Whole == nil {
			for i := range to {
				to[i] = mix(to[i], v.Int(i))
			}
			continue
		}
		for i, code := range v.Code[:rows] {
			to[i] = mix(to[i], v.Whole[code])
		}
	}
	return to
}

// mix is a bijection of either of its arguments [Steele et al. 2014, splitmix64].
func mix(h Head, v int64) Head {
	h = (h ^ Head(v)) + 0x9e3779b97f4a7c15
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}

// wholeIDs reports whether ids are whole numbers alone.
func (h *Hand) wholeIDs(b *table.Batch) bool {
	for _, c := range h.m.named {
		if f := b.Beside[c].Type.Form; f != table.IntegerCells && f != table.UnsignedCells {
			return false
		}
	}
	return true
}

// A rowList holds the least few numbers of rows.
type rowList struct {
	sync.Mutex
	n    int64
	rows []int64
}

func (l *rowList) add(row int64) {
	l.Lock()
	defer l.Unlock()
	l.n++
	l.note(row)
}

func (l *rowList) merge(o *rowList) {
	l.n += o.n
	for _, row := range o.rows {
		l.note(row)
	}
}

func (l *rowList) note(row int64) {
	if at, _ := slices.BinarySearch(l.rows, row); at < count.ShownRows {
		l.rows = slices.Insert(l.rows, at, row)
		l.rows = l.rows[:min(len(l.rows), count.ShownRows)]
	}
}

func (l *rowList) String() string {
	var s []string
	for _, r := range l.rows {
		s = append(s, fmt.Sprint(r+1))
	}
	if l.n > int64(len(l.rows)) {
		s = append(s, "...")
	}
	return strings.Join(s, ", ")
}
