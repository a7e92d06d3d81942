package arrow

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tacet-privacy/tacet/io/table"
)

// Scan counts the values of the private columns, record batches in parallel.
func (a *File) Scan(ctx context.Context) ([]*table.Alphabet, [][]int64, error) {
	counter := make([][]*counter, a.request.Workers())
	err := table.EachUnit(ctx, len(a.rows), len(counter), func(worker, unit int) error {
		return a.record(a.letters, unit, func(r *reader, rec arrow.RecordBatch) error {
			return guarded("decoding a column", func() error {
				if counter[worker] == nil {
					counter[worker] = a.counters()
				}
				for i, c := range a.private {
					one, err := c.open(rec.Column(r.at[c.Top]))
					if err != nil {
						return err
					}
					counter[worker][i].cells = one
					if err := counter[worker][i].add(ctx); err != nil {
						return err
					}
				}
				return nil
			})
		})
	})
	if err != nil {
		return nil, nil, err
	}
	alphabet, count := make([]*table.Alphabet, len(a.private)), make([][]int64, len(a.private))
	for i, c := range a.private {
		total := &table.Tally{}
		for w := range counter {
			if counter[w] == nil {
				continue
			}
			if err := counter[w][i].into(total); err != nil {
				return nil, nil, err
			}
		}
		if err := total.Refuse(&c.PrivateColumn); err != nil {
			return nil, nil, err
		}
		alphabet[i], count[i] = total.Alphabet(c.Type)
	}
	return alphabet, count, nil
}

// A counter counts the values of one column in the record batches of one goroutine.
type counter struct {
	*cells  // of the record batch at hand
	bins    *table.BinCount
	null    int64
	values  table.Tally
	text    map[string]int32 // places in values
	ints    map[int64]int32
	found   found
	at      []int32
	refused error
}

func (a *File) counters() (list []*counter) {
	for _, c := range a.private {
		n := &counter{text: map[string]int32{}, ints: map[int64]int32{}, at: make([]int32, table.BatchRows)}
		if c.Bins != nil {
			n.bins = table.NewBinCount(c.Bins)
		}
		list = append(list, n)
	}
	return list
}

// add counts the record batch at hand.
func (n *counter) add(ctx context.Context) error {
	for from := 0; from < n.rows.Len(); from += table.BatchRows {
		if err := ctx.Err(); err != nil {
			return err
		}
		v, err := n.next(from, min(n.rows.Len()-from, table.BatchRows))
		if err != nil {
			return err
		}
		if n.bins != nil {
			n.bins.Add(&v)
			continue
		}
		at := n.at[:len(v.Code)]
		if n.found.put(at, &v, n.cells, -1, n.place); n.refused != nil {
			return n.refused
		}
		for _, at := range at {
			if at < 0 {
				n.null++
			} else {
				n.values.Count[at]++
			}
		}
	}
	return nil
}

// place is the place in values of what stands at a place, which it takes where it is new.
func (n *counter) place(at int) int32 {
	var v table.Value
	next := int32(len(n.values.Value))
	if n.column.Type.Kind <= table.Binary {
		b := n.Source.Bytes(at)
		if known, ok := n.text[string(b)]; ok {
			return known
		}
		v.Bytes = string(b)
		n.text[v.Bytes] = next
	} else {
		v.Int = n.Source.Int(at)
		if known, ok := n.ints[v.Int]; ok {
			return known
		}
		n.ints[v.Int] = next
	}
	if err := n.values.Begin(v, 0, &n.PrivateColumn); err != nil && n.refused == nil {
		n.refused = err
	}
	return next
}

// into adds what was counted to a column's total.
func (n *counter) into(total *table.Tally) error {
	total.Null += n.null
	if n.bins != nil {
		if err := n.bins.Into(total, &n.PrivateColumn); err != nil {
			return err
		}
	}
	for i, v := range n.values.Value {
		if err := total.Put(v, n.values.Count[i], &n.PrivateColumn); err != nil {
			return err
		}
	}
	return total.Check(&n.PrivateColumn)
}
