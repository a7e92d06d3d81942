package inspect

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"strconv"
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

// Numbers of cells that were sampled: null, and a value that is not counted.
const (
	null    = -1
	unknown = -2
)

// met is added to the number of an entry that was met, so that it is not 0.
const met = 3

// A tally counts the values of a column, each by a number, and keeps the numbers of
// every step-th row for links. Integers, dates and floats are counted by their bits.
type tally struct {
	ints  map[int64]int32
	texts map[string]int32
	count []int64
	bytes int // of text
	room  int // for values
	full  bool
	about sketch // of different values, once full

	entry []int32 // by code of a dictionary: its number plus met, 0 where that is not known
	span  span

	rows, nulls int64
	step        int64
	linked      int // rows to sample, up to twice as many
	sample      []int32
}

func newTally(columns int) *tally {
	return &tally{ints: map[int64]int32{}, texts: map[string]int32{}, step: 1, linked: mostLinked(columns),
		room: max(1000, min(mostValues, 2<<20/max(columns, 1)))}
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
		id := int32(null)
		switch {
		case c < 0:
		case int(c) >= v.Entries:
			id = t.number(v, i)
		case t.entry[c] == 0:
			id = t.number(v, i)
			t.entry[c] = id + met
		default:
			id = t.entry[c] - met
		}
		t.add(id, 1)
		t.row(id)
	}
}

// number is that of the cell in row i, unknown where it is not counted.
func (t *tally) number(v *table.Values, i int) int32 {
	switch v.Type.Form {
	case table.TextCells, table.BinaryCells:
		return t.text(v.Bytes(i))
	case table.WideDecimalCells:
		t.span.take(v.Float(i))
		return t.text(v.AppendText(nil, i))
	}
	t.span.take(v.Float(i))
	return t.integer(v.Int(i))
}

// integer is the number of a whole number, or of the bits of another.
func (t *tally) integer(v int64) int32 {
	id, ok := t.ints[v]
	if !ok {
		if id = t.next(0); id >= 0 {
			t.ints[v] = id
		}
	}
	if t.full {
		t.about.add(neighbours.Mix(uint64(v)))
	}
	return id
}

// text is the same of bytes.
func (t *tally) text(v []byte) int32 {
	id, ok := t.texts[string(v)]
	if !ok {
		if id = t.next(len(v)); id >= 0 {
			t.texts[string(v)] = id
		}
	}
	if t.full {
		t.about.add(neighbours.Hash(v))
	}
	return id
}

// next is a new number, unknown where there is no room for one more value.
func (t *tally) next(bytes int) int32 {
	if !t.full && len(t.count) < t.room && t.bytes+bytes <= mostBytes {
		t.bytes += bytes
		t.count = append(t.count, 0)
		return int32(len(t.count) - 1)
	}
	if !t.full {
		t.full = true
		for v := range t.ints {
			t.about.add(neighbours.Mix(uint64(v)))
		}
		for v := range t.texts {
			t.about.add(neighbours.Hash([]byte(v)))
		}
	}
	return unknown
}

// add counts n records of a number.
func (t *tally) add(id int32, n int64) {
	if id >= 0 {
		t.count[id] += n
	}
}

// row is told of every row, in order, after its number is known.
func (t *tally) row(id int32) {
	if t.rows%t.step == 0 {
		if len(t.sample) == 2*t.linked {
			t.thin()
		}
		t.sample = append(t.sample, id)
	}
	if t.rows++; id == null {
		t.nulls++
	}
}

// thin keeps every second row of the sample; the row at hand is one of
// those that stay.
func (t *tally) thin() {
	for i := range t.linked {
		t.sample[i] = t.sample[2*i]
	}
	t.sample, t.step = t.sample[:t.linked], 2*t.step
}

// labels are the labels of the numbers.
func (t *tally) labels(kind table.Type, cell table.CellType) []string {
	out := make([]string, len(t.count))
	for v, id := range t.ints {
		switch {
		case cell.Form == table.FloatCells:
			out[id] = strconv.FormatFloat(math.Float64frombits(uint64(v)), 'g', -1, 64)
		case kind.Kind <= table.Binary: // timestamps, decimals
			out[id] = strconv.FormatInt(v, 10)
		default:
			out[id] = kind.Label(table.Value{Int: v})
		}
	}
	for v, id := range t.texts {
		out[id] = kind.Label(table.Value{Bytes: v})
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
func (t *tally) forget() { t.ints, t.texts = nil, nil }

// A sketch estimates how many different hashes it saw: HyperLogLog with 4,096
// registers (Flajolet and others, 2007), off by 1.6 % at one standard deviation.
type sketch struct{ register [4096]uint8 }

func (s *sketch) add(hash uint64) {
	at, rank := hash>>52, uint8(bits.LeadingZeros64(hash<<12|1<<11)+1)
	s.register[at] = max(s.register[at], rank)
}

func (s *sketch) count() int64 {
	const m = 4096
	sum, empty := 0.0, 0
	for _, r := range s.register {
		sum += math.Ldexp(1, -int(r))
		if r == 0 {
			empty++
		}
	}
	estimate := 0.7213 / (1 + 1.079/m) * m * m / sum
	if estimate <= 2.5*m && empty > 0 {
		estimate = m * math.Log(m/float64(empty))
	}
	return int64(estimate)
}
