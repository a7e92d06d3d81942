package releases

import (
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

// A head is the first half of a name. Two records of ten million share one with a
// chance of 3e-6, two rows of one record always.
type head uint64

func headOf(n draw.Name) head { return head(binary.BigEndian.Uint64(n[:])) }

// Check reads all ids: none may be null, and where they identify records none
// may stand twice.
func (m *Memo) Check(ctx context.Context, s *count.Source) error {
	if m == nil {
		return nil
	}
	unique := m.unit == draw.Record || m.o.Ledger != ""
	var seen ledger.Pile[head]
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
			for i := range b.Letters[0] {
				n := h.record(b, i)
				seen.Add(n[0], headOf(n))
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
	twice := map[head]bool{}
	for list := range seen.Sorted(slices.Sort) {
		for i := 1; i < len(list) && len(twice) < count.ShownRows; i++ {
			if list[i] == list[i-1] {
				twice[list[i]] = true
			}
		}
	}
	return m.refuse(ctx, s, twice)
}

// refuse says which rows share their ids, if any do of those whose names begin with heads.
func (m *Memo) refuse(ctx context.Context, s *count.Source, heads map[head]bool) error {
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
func (m *Memo) twice(ctx context.Context, s *count.Source, heads map[head]bool) (*rowList, error) {
	rows := map[draw.Name]*rowList{}
	var mu sync.Mutex
	err := s.EachBatch(ctx, func() (func(*table.Batch) error, func()) {
		h := m.Hand()
		return func(b *table.Batch) error {
			for i := range b.Letters[0] {
				n := h.record(b, i)
				if !heads[headOf(n)] {
					continue
				}
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

// record names the record of row i.
func (h *Hand) record(b *table.Batch, i int) draw.Name {
	h.fill(b, h.m.named, i)
	return h.namer.Name(&h.id)
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
