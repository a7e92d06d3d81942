package pipeline

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/tacet-privacy/tacet/io/colfile"
	"github.com/tacet-privacy/tacet/mechanism/draw"
	"github.com/tacet-privacy/tacet/pipeline/night"
)

// check reads all ids: none may be null, and where they identify records none
// may stand twice.
func (m *memo) check(ctx context.Context, o *Options, s *source) error {
	if m == nil {
		return nil
	}
	unique := m.unit == draw.Record || o.Ledger != ""
	var seen night.Seen
	var null rowList
	err := s.eachBatch(ctx, o, func() func(*colfile.Batch) error {
		h := m.hand()
		return func(b *colfile.Batch) error {
			for i := range b.Letters[0] {
				if slices.ContainsFunc(b.Beside, func(v colfile.Values) bool { return v.Null(i) }) {
					null.add(b.Row + int64(i))
				} else if unique {
					h.fill(b, m.named, i)
					seen.Add(h.namer.Name(&h.id))
				}
			}
			return nil
		}
	})
	if err != nil {
		return err
	}
	if null.n > 0 {
		return faultf(Input, "fill them in, or leave these rows out", "%s: %d rows have no id in %s, first in row %s", s.path, null.n, strings.Join(m.beside, ", "), null.String())
	}
	twice := seen.Twice(shownRows)
	if len(twice) == 0 {
		return nil
	}
	var rows rowList
	err = s.eachBatch(ctx, o, func() func(*colfile.Batch) error {
		h := m.hand()
		return func(b *colfile.Batch) error {
			for i := range b.Letters[0] {
				h.fill(b, m.named, i)
				if twice[h.namer.Name(&h.id)] {
					rows.add(b.Row + int64(i))
				}
			}
			return nil
		}
	})
	if err != nil {
		return err
	}
	hint := "name all columns that identify a record; where rows are those of persons, name these with --person"
	if o.Person != "" {
		hint = "name all columns that identify a record: a ledger remembers each by its own id"
	}
	return faultf(Input, hint, "%s: record ids in %s stand more than once, for example in rows %s", s.path, strings.Join(o.RecordID, ", "), rows.String())
}

// eachBatch reads the input with its ids, units in parallel.
func (s *source) eachBatch(ctx context.Context, o *Options, each func() func(*colfile.Batch) error) error {
	group, ctx := errgroup.WithContext(ctx)
	units := len(s.file.Units())
	done := newMeter(o, "reading ids", s.rows)
	var next atomic.Int64
	for range min(threads(o), units) {
		group.Go(func() error {
			f := each()
			for unit := int(next.Add(1)) - 1; unit < units; unit = int(next.Add(1)) - 1 {
				err := s.file.Read(ctx, unit, []*colfile.Alphabet{s.alphabet}, func(b colfile.Batch) error {
					done.add(len(b.Letters[0]))
					return f(&b)
				})
				if err != nil {
					return s.failed(err)
				}
			}
			return nil
		})
	}
	return group.Wait()
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
	if at, _ := slices.BinarySearch(l.rows, row); at < shownRows {
		l.rows = slices.Insert(l.rows, at, row)
		l.rows = l.rows[:min(len(l.rows), shownRows)]
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
