package neighbours

import (
	"context"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/tacet-privacy/tacet/io/table"
)

// A cells column of a made file: texts, or numbers.
type cells struct {
	name string
	form table.Form
	text []string
	n    []int64
	null []bool
}

// made has the cells of a column by row.
type made struct{ c *cells }

func (m made) Bytes(i int) []byte { return []byte(m.c.text[i]) }
func (m made) Int(i int) int64    { return m.c.n[i] }

func texts(name string, of []string) *cells {
	return &cells{name: name, form: table.TextCells, text: of}
}

func whole(name string, of []int64) *cells {
	return &cells{name: name, form: table.IntegerCells, n: of}
}

func floats(name string, of []float64) *cells {
	c := &cells{name: name, form: table.FloatCells, n: make([]int64, len(of))}
	for i, v := range of {
		c.n[i] = int64(math.Float64bits(v))
	}
	return c
}

// judged judges made columns beside made letters, as Measure does from a file.
// A file of its own kind and order has its own halves.
func judged(t *testing.T, letter []int32, letters int, epsilon float64, person []uint64, columns ...*cells) (*Result,
	[]Finding) {
	t.Helper()
	s := &sample{of: int64(len(letter)), part: []part{{to: len(letter)}}}
	q := Request{Private: "private", Threads: 1, Factor: math.Exp(epsilon), Prior: make([]float64, letters)}
	for x := range letters {
		q.Labels = append(q.Labels, label(x))
	}
	for _, x := range letter {
		q.Prior[x] += 1 / float64(len(letter))
	}
	for k, c := range columns {
		s.view, s.group = append(s.view, view{column: k}), append(s.group, group{k})
		q.Columns = append(q.Columns, table.Column{Name: c.name, Type: "made", Readable: true})
	}
	s.make(q, []int64{int64(len(letter))}, len(letter))
	s.late = make([]bool, len(columns))
	copy(s.letter, letter)
	s.person = person
	s.pick(&s.part[0], 0, len(letter))
	s.settle(nil)
	for k, c := range columns {
		v := table.Values{Type: table.CellType{Form: c.form}, Source: made{c}}
		for i := range letter {
			v.Code = append(v.Code, int32(i))
			if c.null != nil && c.null[i] {
				v.Code[i] = -1
			}
		}
		n := s.reader(k, len(s.cell))
		n.take(&v, 0, len(letter), s.cell)
		s.column[k] = n.column
	}
	out := &Result{Rows: int64(len(letter)), Of: int64(len(letter)), Factor: q.Factor,
		Columns: make([]Column, len(columns)), Runs: s.runs(letters)}
	if err := s.judge(context.Background(), out, q, letters); err != nil {
		t.Fatal(err)
	}
	return out, out.Judge(nil, false)
}

// label is what letter x is called.
func label(x int) string {
	return "L" + string(rune('a'+x/26%26)) + string(rune('a'+x%26)) + strconv.Itoa(x/676)
}

// drawn are n letters, the first the commonest: mildly, or steeply.
func drawn(rng *rand.Rand, n, letters int, steep float64) []int32 {
	of := make([]int32, n)
	for i := range of {
		of[i] = min(int32(letters)-1, int32(float64(letters)*math.Pow(rng.Float64(), steep)))
	}
	return of
}

// grave are the findings that are refused, and those that are warned of.
func grave(found []Finding) (refused, warned []Finding) {
	for _, f := range found {
		switch {
		case f.Refused && !f.NotJudged:
			refused = append(refused, f)
		case !f.NotJudged:
			warned = append(warned, f)
		}
	}
	return refused, warned
}

// hashed is a keyed hash.
func hashed(v ...int64) uint64 {
	h := uint64(12345)
	for _, x := range v {
		h = Mix(h ^ uint64(x))
	}
	return h
}

func hex(v uint64, n int) string {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], v)
	const digits = "0123456789abcdef"
	out := make([]byte, 0, n)
	for i := range n {
		out = append(out, digits[b[i/2]>>(4*(1-i%2))&15])
	}
	return string(out)
}
