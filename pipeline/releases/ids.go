package releases

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/mechanism/draw"
	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/ledger"
)

// A Head is the first half of a name, or stands for it. Two records of ten million
// share one with a chance of 3e-6, two rows of one record always.
type Head uint64

// HeadOf is the head of a name.
func HeadOf(n draw.Name) Head { return Head(binary.BigEndian.Uint64(n[:])) }

// Check reads all ids: none may be null, and where they identify records none
// may stand twice.
func (m *Memo) Check(ctx context.Context, s *count.Source) error {
	if m == nil {
		return nil
	}
	unique := m.unit == draw.Record || m.o.Ledger != ""
	var seen ledger.Pile[Head]
	var null rowList
	err := s.EachBatch(ctx, func() (func(*table.Batch) error, func()) {
		h := m.Hand()
		return func(b *table.Batch) error {
			for i := range b.Letters[0] {
				for c := range m.beside {
					if b.Beside[c].Null(i) {
						null.add(b.Row + int64(i))
						break
					}
				}
			}
			if !unique || null.any() {
				return nil
			}
			for _, head := range h.heads(b) {
				seen.Add(byte(head>>56), head)
			}
			return nil
		}, func() {}
	})
	if err != nil {
		return err
	}
	if null.any() {
		return fault.New(fault.Input, "fill in the ids, or remove these rows",
			"%s: %d rows have no id in %s, first in row %s", s.Path, null.n, strings.Join(m.beside, ", "), null.String())
	}
	twice := map[Head]bool{}
	for list := range seen.Sorted(cmp.Compare[Head]) {
		for i := 1; i < len(list) && len(twice) < count.ShownRows; i++ {
			if list[i] == list[i-1] {
				twice[list[i]] = true
			}
		}
	}
	return m.refuse(ctx, s, twice)
}

// refuse says which rows share their ids, if any do of those whose names begin with heads.
func (m *Memo) refuse(ctx context.Context, s *count.Source, heads map[Head]bool) error {
	if len(heads) == 0 {
		return nil
	}
	rows, err := m.twice(ctx, s, heads)
	if err != nil || !rows.any() {
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
		h := m.Hand()
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
			all.add(list.least...)
			all.n += list.n - int64(len(list.least))
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
		for _, c := range h.m.named {
			to[i] = mix(to[i], b.Beside[c].Int(i))
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

// A rowList counts rows and holds the least few of their numbers.
type rowList struct {
	sync.Mutex
	n     int64
	least []int64
}

func (l *rowList) add(rows ...int64) {
	l.Lock()
	defer l.Unlock()
	l.n += int64(len(rows))
	l.least = append(l.least, rows...)
	slices.Sort(l.least)
	l.least = l.least[:min(len(l.least), count.ShownRows)]
}

func (l *rowList) any() bool {
	l.Lock()
	defer l.Unlock()
	return l.n > 0
}

func (l *rowList) String() string {
	var s []string
	for _, r := range l.least {
		s = append(s, fmt.Sprint(r+1))
	}
	if l.n > int64(len(l.least)) {
		s = append(s, "...")
	}
	return strings.Join(s, ", ")
}
