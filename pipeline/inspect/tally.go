package inspect

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/pipeline/neighbours"
)

// mostValues is how many different values of a column are counted, and mostBytes how
// many bytes of text they may take; what comes later is only estimated in number.
const (
	mostValues = 65_535
	mostBytes  = 8 << 20
)

// shownValues is how many values of a column are shown where values are.
const shownValues = 5

// unknown is the number of a value that is not counted, and met is added to the number of an
// entry that was met, so that it is not 0.
const (
	unknown = -1
	met     = 2
)

// A tally counts the values of a column, each by a number.
type tally struct {
	place map[uint64]int32 // by key: the number
	key   []uint64         // by number: the bits of a number or time, or the hash of a text,
	text  []string         // and this; nil where all are numbers
	count []int64
	bytes int // of text
	room  int // for values
	full  bool

	entry []int32 // by code of a dictionary: its number plus met, 0 where that is not known
	span  span

	rows, nulls int64
}

func newTally(columns int) *tally {
	return &tally{place: map[uint64]int32{}, room: max(1000, min(mostValues, 2<<20/max(columns, 1)))}
}

func (t *tally) len() int { return len(t.count) }

// most is how often the commonest counted value stands.
func (t *tally) most() int64 {
	if len(t.count) == 0 {
		return 0
	}
	return slices.Max(t.count)
}

// take counts the first n cells of a batch.
func (t *tally) take(v *table.Values, n int) {
	if grow := v.Entries - len(t.entry); grow > 0 {
		t.entry = append(t.entry, make([]int32, grow)...)
	}
	for i, c := range v.Code[:n] {
		id := int32(unknown)
		switch {
		case c < 0:
			t.nulls++
		case int(c) >= v.Entries:
			id = t.number(v, i)
		case t.entry[c] == 0:
			id = t.number(v, i)
			t.entry[c] = id + met
		default:
			id = t.entry[c] - met
		}
		if id >= 0 {
			t.count[id]++
		}
	}
	t.rows += int64(n)
}

// number is that of the cell in row i, unknown where it is not counted.
func (t *tally) number(v *table.Values, i int) int32 {
	switch v.Type.Form {
	case table.TextCells, table.BinaryCells:
		return t.written(v.Bytes(i))
	case table.WideDecimalCells:
		t.span.take(v.Float(i))
		return t.written(v.AppendText(nil, i))
	}
	t.span.take(v.Float(i))
	return t.find(uint64(v.Int(i)), 0)
}

// written is the number of a text.
func (t *tally) written(text []byte) int32 {
	id := t.find(neighbours.Hash(text), len(text))
	if int(id) == len(t.text) {
		t.text = append(t.text, string(text))
	}
	return id
}

// find is the number of a key, a new one as long as there is room for it and so many bytes.
func (t *tally) find(key uint64, bytes int) int32 {
	id, ok := t.place[key]
	switch {
	case ok:
	case !t.full && len(t.count) < t.room && t.bytes+bytes <= mostBytes:
		id = int32(len(t.count))
		t.place[key], t.key, t.count, t.bytes = id, append(t.key, key), append(t.count, 0), t.bytes+bytes
	default:
		id, t.full = unknown, true
	}
	return id
}

// about is how many different values there may be: those that are not counted have as many cells
// each as half of the others at the most.
func (t *tally) about() int64 {
	left := t.rows - t.nulls
	for _, n := range t.count {
		left -= n
	}
	count := slices.Sorted(slices.Values(t.count))
	if len(count) == 0 { // the first value alone is too long
		return left
	}
	return int64(len(count)) + left/count[len(count)/2]
}

// labels are the labels of the numbers.
func (t *tally) labels(kind table.Type, cell table.CellType) []string {
	out, of := make([]string, len(t.count)), table.Values{Type: cell, Code: []int32{0}}
	for id, key := range t.key {
		if t.text != nil {
			out[id] = kind.Label(table.Value{Bytes: t.text[id]})
			continue
		}
		of.Whole = []int64{int64(key)}
		out[id] = string(of.AppendText(nil, 0))
	}
	return out
}

// commonest are the values with most records.
func (t *tally) commonest(labels []string) (out []Value) {
	for id, l := range labels {
		out = append(out, Value{l, t.count[id]})
	}
	slices.SortFunc(out, func(a, b Value) int {
		return cmp.Or(cmp.Compare(b.Records, a.Records), strings.Compare(a.Label, b.Label))
	})
	return out[:min(len(out), shownValues)]
}

// forget frees the values; numbers and counts stay.
func (t *tally) forget() { t.place, t.key, t.text = nil, nil, nil }
