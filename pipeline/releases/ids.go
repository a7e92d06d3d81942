package releases

import (
	"context"
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

// Check reads all ids: none may be null, and where they identify records none
// may stand twice.
func (m *Memo) Check(ctx context.Context, s *count.Source) error {
	if m == nil {
		return nil
	}
	unique := m.unit == draw.Record || m.o.Ledger != ""
	var seen ledger.Notes // the rows of each record, in two halves
	var null, twice rowList
	done, in := s.Meter("reading ids", s.Rows), []*table.Alphabet{s.Alphabet}
	err := s.Walk(ctx, done, in, func(int, int) func(*table.Batch) error {
		h := m.Hand()
		return func(b *table.Batch) error {
			for i := range b.Letters[0] {
				row, absent := b.Row+int64(i), false
				for c := range m.beside {
					absent = absent || b.Beside[c].Null(i)
				}
				if absent {
					null.add(row)
				} else if unique {
					name := ledger.Record(h.record(b, i))
					seen.Add(&name, uint32(row>>32), uint32(row))
				}
			}
			return nil
		}
	})
	if err != nil {
		return err
	}
	if null.n > 0 {
		return fault.New(fault.Input, "fill in the ids, or remove these rows",
			"%s: %d rows have no id in %s, first in row %s", s.Path, null.n, strings.Join(m.beside, ", "), null.String())
	}
	for _, rows := range seen.Records() {
		if len(rows) == 1 {
			continue
		}
		for _, r := range rows {
			twice.add(int64(r.A)<<32 | int64(r.B))
		}
	}
	if twice.n == 0 {
		return nil
	}
	hint := "name all columns that identify a record with --record-id; if a row belongs to a person, name the person's " +
		"column with --person"
	if m.o.Person != "" {
		hint = "name all columns that identify a record with --record-id: a ledger needs an id for each record"
	}
	return fault.New(fault.Input, hint, "%s: record ids in %s appear more than once, for example in rows %s", s.Path,
		strings.Join(m.o.RecordID, ", "), twice.String())
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

func (l *rowList) add(row int64) {
	l.Lock()
	defer l.Unlock()
	l.n++
	l.least = append(l.least, row)
	slices.Sort(l.least)
	l.least = l.least[:min(len(l.least), count.ShownRows)]
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
