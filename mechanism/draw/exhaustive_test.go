package draw

import (
	"fmt"
	"math/big"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
)

// The rank orders of the paper's counting query and of its 4x4 example.
var (
	countingQuery = [][]float64{
		{7, 6, 5, 4, 3, 2, 1}, {5, 7, 6, 4, 3, 2, 1}, {3, 5, 7, 6, 4, 2, 1}, {1, 3, 5, 7, 6, 4, 2},
		{1, 2, 3, 5, 7, 6, 4}, {1, 2, 3, 4, 5, 7, 6}, {1, 2, 3, 4, 5, 6, 7},
	}
	cyclic4 = [][]float64{{4, 3, 2, 1}, {1, 4, 3, 2}, {2, 1, 4, 3}, {3, 2, 1, 4}}
)

// safe is M*(h): equal weights on the outputs of rank h and better.
func safe(t testing.TB, rank [][]float64, h int) *mechanism.Mechanism {
	t.Helper()
	o, err := mechanism.NewMatrix(rank)
	if err != nil {
		t.Fatal(err)
	}
	s := mechanism.SupportOf(o, mechanism.RankFloor(h))
	rows := make([]mechanism.Row, s.Inputs())
	for x := range rows {
		rows[x] = mechanism.UniformRow(s.AppendRow(nil, x))
	}
	return design(t, s.Outputs(), rows)
}

func design(t testing.TB, outputs int, rows []mechanism.Row) *mechanism.Mechanism {
	t.Helper()
	m, err := mechanism.New(outputs, rows)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// starved is the panic of a source that has no word left.
type starved struct{}

// try draws for letters from the words alone; ok is false when they do not
// suffice. Draw must take all words that it is given.
func try(t testing.TB, table *Table, s *Source, letters []int32, words ...uint16) (ok bool) {
	s.fill = func([]byte) { panic(starved{}) }
	s.unread = s.buffer[:0]
	for _, w := range words {
		s.unread = append(s.unread, byte(w), byte(w>>8))
	}
	defer func() {
		switch r := recover(); r {
		case nil:
			if ok = len(s.unread) == 0; !ok {
				t.Fatalf("%d bytes were not read", len(s.unread))
			}
		case starved{}:
		default:
			panic(r)
		}
	}()
	table.Draw(s, letters)
	return true
}

// TestEveryWord gives each of the 65,536 words to each row of the paper's
// mechanisms, alone and four times at once: every output gets the same number
// of words, and nothing else gets any.
func TestEveryWord(t *testing.T) {
	check := func(name string, m *mechanism.Mechanism, table *Table, rows int) {
		s := new(Source)
		one, four := make([]int32, 1), make([]int32, 4)
		for x := range int32(rows) {
			words := make([]int, m.Outputs())
			refused := 0
			for w := range 1 << 16 {
				w := uint16(w)
				one[0] = x
				if !try(t, table, s, one, w) {
					refused++
					continue
				}
				words[one[0]]++
				for i := range four {
					four[i] = x
				}
				if !try(t, table, s, four, w, w, w, w) || [4]int32(four) != [4]int32{one[0], one[0], one[0], one[0]} {
					t.Fatalf("%s: row %d word %d: alone %d, four times %d", name, x, w, one[0], four)
				}
			}
			r := m.Row(int(x))
			k := len(r.Output)
			for _, y := range r.Output {
				if words[y] != 65536/k {
					t.Fatalf("%s: row %d: output %d has %d words, want %d", name, x, y, words[y], 65536/k)
				}
			}
			if refused != 65536%k {
				t.Fatalf("%s: row %d: %d words refused, want %d", name, x, refused, 65536%k)
			}
		}
	}
	for h := 1; h <= 7; h++ {
		m := safe(t, countingQuery, h)
		check(fmt.Sprintf("counting query h=%d", h), m, NewTable(m), m.Inputs())
	}
	for h := 1; h <= 4; h++ {
		m := safe(t, cyclic4, h)
		check(fmt.Sprintf("cyclic4 h=%d", h), m, NewTable(m), m.Inputs())
	}
	m := circle(t, 300)
	check("circle", m, NewTable(m), 6)
}

// circle allows each of n letters itself, the 140 before it and the 99 behind.
func circle(t testing.TB, n int) *mechanism.Mechanism {
	rows := make([]mechanism.Row, n)
	for x := range rows {
		var output []uint16
		for y := range n {
			if (y-x+140+n)%n < 240 {
				output = append(output, uint16(y))
			}
		}
		rows[x] = mechanism.UniformRow(output)
	}
	return design(t, n, rows)
}

// weighted rows for the tests of thresholds; output 0 and every other one up
// to the last are never possible.
func weightedRows() []mechanism.Row {
	var rows []mechanism.Row
	for _, weight := range [][]int64{
		{1, 2, 3}, {1}, {1, 1}, {1, 65535}, {1, 65536}, {7, 1, 1, 5, 3}, {3, 1 << 20, 3},
		{1, 1<<62 - 1}, {1 << 61, 1 << 60, 1 << 60}, {1<<61 - 1, 1, 1 << 60, 1<<60 - 9, 2},
	} {
		output := make([]uint16, len(weight))
		for i := range output {
			output[i] = uint16(2*i + 1)
		}
		rows = append(rows, mechanism.WeightedRow(output, weight))
	}
	return rows
}

// TestEveryThreshold proves the law of each weighted row: every slot has the
// same number of slot words; at each digit of a slot's threshold all 65,536
// words are given, and those that answer below must add up to part/total as
// far as four digits go, or exactly where the digits end; and the slots'
// exact shares must add up to the weights.
func TestEveryThreshold(t *testing.T) {
	const digits = 4
	rows := weightedRows()
	table, s, out := NewTable(design(t, 16, rows)), new(Source), make([]int32, 1)
	for x, r := range rows {
		k := len(r.Output)
		first, number, refused := slotWords(table, x)
		slots := alias(r)
		mass := map[int]*big.Rat{}
		for _, y := range r.Output {
			mass[int(y)] = new(big.Rat)
		}
		for j, slot := range slots {
			if number[j] != 65536/k || refused != 65536%k {
				t.Fatalf("row %d slot %d: %d words, %d refused", x, j, number[j], refused)
			}
			below, above := int(r.Output[slot.below]), int(r.Output[slot.above])
			share := new(big.Rat).SetFrac64(slot.part, r.Total)
			mass[below].Add(mass[below], share)
			mass[above].Add(mass[above], new(big.Rat).Sub(big.NewRat(1, 1), share))
			if below == above {
				continue
			}
			seen, scale := new(big.Rat), big.NewRat(1, 1)
			script, open := []uint16{first[j]}, true
			for digit := 0; open && digit < digits; digit++ {
				n := 0
				open = false
				scale.Mul(scale, big.NewRat(1, 65536))
				script = append(script, 0)
				for w := range 1 << 16 {
					script[len(script)-1] = uint16(w)
					out[0] = int32(x)
					if !try(t, table, s, out, script...) {
						if open {
							t.Fatalf("row %d slot %d: two ties at digit %d", x, j, digit)
						}
						open = true
						continue
					}
					switch int(out[0]) {
					case below:
						n++
					case above:
					default:
						t.Fatalf("row %d slot %d: output %d", x, j, out[0])
					}
				}
				seen.Add(seen, new(big.Rat).Mul(scale, big.NewRat(int64(n), 1)))
				script[len(script)-1] = uint16(n)
			}
			gap := new(big.Rat).Sub(share, seen)
			if gap.Sign() < 0 || !open && gap.Sign() != 0 || gap.Cmp(scale) >= 0 {
				t.Errorf("row %d slot %d: words add up to %v, want %v", x, j, seen, share)
			}
		}
		for i, y := range r.Output {
			want := new(big.Rat).SetFrac(new(big.Int).Mul(big.NewInt(int64(k)), big.NewInt(r.At(i))),
				big.NewInt(r.Total))
			if mass[int(y)].Cmp(want) != 0 {
				t.Errorf("row %d output %d: %v slots, want %v", x, y, mass[int(y)], want)
			}
		}
	}
}

// slotWords sorts the 65,536 words by the slot that they choose.
func slotWords(table *Table, x int) (first []uint16, number []int, refused int) {
	size := len(table.alias[x])
	first, number = make([]uint16, size), make([]int, size)
	for w := range 1 << 16 {
		p := uint64(w) * uint64(size)
		if refuses(p, size) {
			refused++
			continue
		}
		j := p >> 16
		if number[j] == 0 {
			first[j] = uint16(w)
		}
		number[j]++
	}
	return first, number, refused
}
