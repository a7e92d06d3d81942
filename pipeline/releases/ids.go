package releases

import (
	"context"
	"fmt"
	"hash/maphash"
	"math/bits"
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
	seed := maphash.MakeSeed() // of sums, which two records of ten million share with a chance of 3e-6
	var seen ledger.Pile[uint64]
	var null rowList
	own := make([][256][]uint64, s.Workers()) // what is to be added, a lock for many
	done, in := s.Meter("reading ids", s.Rows), []*table.Alphabet{s.Alphabet}
	err := s.Walk(ctx, done, in, func(worker, _ int) func(*table.Batch) error {
		h, own := m.Hand(), &own[worker]
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
				sum := h.sum(b, i, seed)
				k := byte(sum >> 1)
				if own[k] = append(own[k], sum); len(own[k]) == 64 {
					seen.Add(k, own[k]...)
					own[k] = own[k][:0]
				}
			}
			return nil
		}
	})
	if err != nil {
		return err
	}
	for i := range own {
		for k, sums := range own[i] {
			seen.Add(byte(k), sums...)
		}
	}
	if null.any() {
		return fault.New(fault.Input, "fill in the ids, or remove these rows",
			"%s: %d rows have no id in %s, first in row %s", s.Path, null.n, strings.Join(m.beside, ", "), null.String())
	}
	twice := map[uint64]bool{}
	for list := range seen.Lists(func([]uint64) {}) { // in any order
		repeats(list, twice)
	}
	return m.refuse(ctx, s, seed, twice)
}

// repeats adds numbers that a list has twice, up to ShownRows in all. Sorting takes a run by
// record ids a tenth longer.
func repeats(list []uint64, to map[uint64]bool) {
	width := bits.Len(uint(2 * len(list)))
	table := make([]uint64, 1<<width) // by their first bits, and then the next free place; 0 is free
	for _, x := range list {
		at := x >> (64 - width)
		for table[at] != 0 && table[at] != x {
			at = (at + 1) & (1<<width - 1)
		}
		if table[at] == x && len(to) < count.ShownRows {
			to[x] = true
		}
		table[at] = x
	}
}

// refuse says which rows share their ids, if any do of those with these sums.
func (m *Memo) refuse(ctx context.Context, s *count.Source, seed maphash.Seed, sums map[uint64]bool) error {
	if len(sums) == 0 {
		return nil
	}
	rows, err := m.twice(ctx, s, seed, sums)
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

// twice finds the rows of records that stand more than once, among those with these sums.
func (m *Memo) twice(ctx context.Context, s *count.Source, seed maphash.Seed, sums map[uint64]bool) (*rowList, error) {
	rows := map[draw.Name]*rowList{}
	var mu sync.Mutex
	done, in := s.Meter("reading ids", s.Rows), []*table.Alphabet{s.Alphabet}
	err := s.Walk(ctx, done, in, func(int, int) func(*table.Batch) error {
		h := m.Hand()
		return func(b *table.Batch) error {
			for i := range b.Letters[0] {
				if !sums[h.sum(b, i, seed)] {
					continue
				}
				n := h.record(b, i)
				mu.Lock()
				if rows[n] == nil {
					rows[n] = &rowList{}
				}
				list := rows[n]
				mu.Unlock()
				list.add(b.Row + int64(i))
			}
			return nil
		}
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

// sum is an odd number of 64 bits for the record of row i.
func (h *Hand) sum(b *table.Batch, i int, seed maphash.Seed) uint64 {
	h.fill(b, h.m.named, i)
	return maphash.Bytes(seed, h.id.Bytes()) | 1
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
