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
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// Check reads all ids: none may be null, and where they identify records none
// may stand twice.
func (m *Memo) Check(ctx context.Context, o *request.Repeat, s *count.Source) error {
	if m == nil {
		return nil
	}
	unique := m.unit == draw.Record || o.Ledger != ""
	var seen Seen
	var null rowList
	err := s.EachBatch(ctx, func() (func(*table.Batch) error, func()) {
		h, look := m.hand(), seen.Looker()
		return func(b *table.Batch) error {
			for i := range b.Letters[0] {
				if slices.ContainsFunc(b.Beside[:len(m.beside)], func(v table.Values) bool { return v.Null(i) }) {
					null.add(b.Row + int64(i))
				} else if unique {
					look.Add(h.head(b, i))
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
	heads := seen.Twice(count.ShownRows, s.Workers())
	if len(heads) == 0 {
		return nil
	}
	rows, err := m.twice(ctx, s, heads)
	if err != nil || rows.n == 0 {
		return err
	}
	hint := "name all columns that identify a record with --record-id; if a row belongs to a person, name the person's " +
		"column with --person"
	if o.Person != "" {
		hint = "name all columns that identify a record with --record-id: a ledger needs an id for each record"
	}
	return fault.New(fault.Input, hint, "%s: record ids in %s appear more than once, for example in rows %s", s.Path,
		strings.Join(o.RecordID, ", "), rows.String())
}

// twice finds the rows of records that stand more than once, among those whose
// names begin with heads.
func (m *Memo) twice(ctx context.Context, s *count.Source, heads map[Head]bool) (*rowList, error) {
	rows := map[draw.Name]*rowList{}
	var mu sync.Mutex
	err := s.EachBatch(ctx, func() (func(*table.Batch) error, func()) {
		h := m.hand()
		return func(b *table.Batch) error {
			for i := range b.Letters[0] {
				if !heads[h.head(b, i)] {
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

// head is that of the record in row i. Whole numbers are equal where their texts are:
// they are mixed instead of named, from a beginning that only the key gives, so that
// nobody can make records that share one.
func (h *hand) head(b *table.Batch, i int) Head {
	if !h.wholeIDs(b) {
		h.fill(b, h.m.named, i)
		return HeadOf(h.namer.Name(&h.id))
	}
	if h.mixed == 0 {
		h.id.Reset()
		h.id.Part(nil)
		h.mixed = HeadOf(h.namer.Name(&h.id)) | 1
	}
	mixed := h.mixed
	for _, c := range h.m.named {
		mixed = (mixed ^ Head(b.Beside[c].Int(i))) + 0x9e3779b97f4a7c15 // [Steele et al. 2014, splitmix64]
		mixed = (mixed ^ mixed>>30) * 0xbf58476d1ce4e5b9
		mixed = (mixed ^ mixed>>27) * 0x94d049bb133111eb
		mixed ^= mixed >> 31
	}
	return mixed
}

// wholeIDs reports whether ids are whole numbers alone.
func (h *hand) wholeIDs(b *table.Batch) bool {
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
