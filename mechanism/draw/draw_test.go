package draw

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
)

// tables are one of each kind: equal weights, unequal weights, both, and one
// long row that refuses four words in ten.
func tables(t testing.TB) map[string]*mechanism.Mechanism {
	rng := rand.New(rand.NewPCG(5, 6))
	long := make([]uint16, 46000)
	for i := range long {
		long[i] = uint16(i)
	}
	mixed := append(weightedRows(), mechanism.UniformRow([]uint16{4}), mechanism.UniformRow([]uint16{0, 2, 15}))
	return map[string]*mechanism.Mechanism{
		"arcs":    circle(t, 300),
		"equal":   random(rng, 40, false, 1),
		"unequal": random(rng, 40, true, 1<<40),
		"mixed":   design(t, 16, mixed),
		"long":    design(t, len(long), []mechanism.Row{mechanism.UniformRow(long), mechanism.UniformRow(long[:3])}),
	}
}

// letters are uniform, one in ten a null.
func letters(m *mechanism.Mechanism, n int) []int32 {
	rng := rand.New(rand.NewPCG(7, 8))
	l := make([]int32, n)
	for i := range l {
		if l[i] = int32(rng.IntN(m.Inputs())); rng.IntN(10) == 0 {
			l[i] = -1
		}
	}
	return l
}

func TestBatchSizeDoesNotMatter(t *testing.T) {
	for name, m := range tables(t) {
		table := NewTable(m)
		in := letters(m, 20001)
		want := slices.Clone(in)
		source := TestStreams(3).Unit(0, 0)
		table.Draw(source, want)
		next := source.Word()
		for _, size := range []int{1, 2, 3, 4, 5, 7, 64, 2047, 2048, 2049, 20000} {
			got, s := slices.Clone(in), TestStreams(3).Unit(0, 0)
			for part := range slices.Chunk(got, size) {
				table.Draw(s, part)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: batches of %d give another output", name, size)
			}
			if s.Word() != next {
				t.Errorf("%s: batches of %d take another number of words", name, size)
			}
		}
	}
}

func TestNullTakesNoWord(t *testing.T) {
	for name, m := range tables(t) {
		table := NewTable(m)
		in := letters(m, 5000)
		got, dense := slices.Clone(in), slices.DeleteFunc(slices.Clone(in), func(x int32) bool { return x < 0 })
		table.Draw(TestStreams(4).Unit(0, 0), got)
		table.Draw(TestStreams(4).Unit(0, 0), dense)
		j := 0
		for i, x := range in {
			if x < 0 {
				if got[i] != x {
					t.Fatalf("%s: a null became %d", name, got[i])
				}
				continue
			}
			if got[i] != dense[j] {
				t.Fatalf("%s: record %d differs without the nulls", name, i)
			}
			j++
		}
	}
}

// TestEdgeWords starts each row with the words 0, all ones, every slot boundary
// and every threshold, each less one and plus one, in pairs and in runs: no
// output outside the row may come of it, and letters drawn at once are those drawn
// one by one, whichever of them meets a threshold.
func TestEdgeWords(t *testing.T) {
	for name, m := range tables(t) {
		table := NewTable(m)
		then := TestStreams(5).Unit(0, 0)
		rest := make([]uint16, 300)
		for i := range rest {
			rest[i] = then.Word()
		}
		for x := range min(m.Inputs(), 5) {
			r := m.Row(x)
			edge := map[uint16]bool{}
			add := func(w uint16) { edge[w-1], edge[w], edge[w+1] = true, true, true }
			add(0)
			step := max(1, len(r.Output)/6)
			for j := 0; j < len(r.Output); j += step {
				add(uint16((j << 16) / len(r.Output)))
				if table.alias != nil {
					c := table.alias[x][j]
					add(uint16(c >> 48))
					add(uint16(c >> 32))
				}
			}
			words := []uint16{}
			for w := range edge {
				words = append(words, w)
			}
			slices.Sort(words)
			for _, first := range words {
				for i, second := range words {
					run := slices.Repeat([]int32{int32(x)}, 8)
					script := slices.Concat(rest[:2*(i%2)], []uint16{first, second, second, second, first, first}, rest)
					table.Draw(Scripted(script, then), run)
					alone := Scripted(script, then)
					for _, y := range run {
						if !slices.Contains(r.Output, uint16(y)) {
							t.Fatalf("%s: row %d, words %d %d: output %d is forbidden", name, x, first, second, y)
						}
						one := []int32{int32(x)}
						if table.Draw(alone, one); one[0] != y {
							t.Fatalf("%s: row %d, words %d %d: %d alone and %d in a run", name, x, first, second, one[0], y)
						}
					}
				}
			}
		}
	}
}

// TestAliasIsExact adds up the slots of random rows: k w(y) whole rows of total
// for every output, up to totals of 2^62 and to 3,000 outputs.
func TestAliasIsExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for range 300 {
		k := 1 + rng.IntN(1+rng.IntN(3000))
		most := int64(1) << rng.IntN(62-11)
		output, weight := make([]uint16, k), make([]int64, k)
		for i := range output {
			output[i], weight[i] = uint16(i), 1+rng.Int64N(most)
		}
		if rng.IntN(2) == 0 {
			weight[rng.IntN(k)] = 1<<62 - int64(k-1)*most // at most 2^62 in all
		}
		r := mechanism.WeightedRow(output, weight)
		// Mass as whole totals and a remainder, like k w = whole total + rest.
		whole, rest := make([]int64, k), make([]int64, k)
		put := func(y int32, part int64) {
			rest[y] += part
			whole[y] += rest[y] / r.Total
			rest[y] %= r.Total
		}
		for j, s := range alias(r) {
			if s.part < 0 || s.part >= r.Total {
				t.Fatalf("slot %d of %d: threshold %d of %d", j, k, s.part, r.Total)
			}
			put(s.below, s.part)
			put(s.above, r.Total-s.part)
		}
		for y, w := range weight {
			if !sameProduct(whole[y], r.Total, rest[y], int64(k), w) {
				t.Fatalf("output %d of %d: %d totals of %d and %d, want %d times %d", y, k, whole[y], r.Total, rest[y],
					k, w)
			}
		}
	}
}

// TestRefusedWord: of three places 0 refuses, and the word behind it decides alone.
func TestRefusedWord(t *testing.T) {
	for word, want := range map[uint16]int{1: 0, 0x8000: 1, 0xffff: 2} {
		if got := Scripted([]uint16{0, 0, word}, TestStreams(5).Unit(0, 0)).place(3); got != want {
			t.Errorf("the word %d behind two that are refused gives place %d, want %d", word, got, want)
		}
	}
}

func TestLetterWithoutARowPanics(t *testing.T) {
	for name, m := range tables(t) {
		for _, batch := range [][]int32{{int32(m.Inputs())}, {0, 0, 0, int32(m.Inputs()), 0, 0, 0, 0}} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s: no panic", name)
					}
				}()
				NewTable(m).Draw(TestStreams(1).Unit(0, 0), batch)
			}()
		}
	}
}

// sameProduct reports whether a b + c = d e.
func sameProduct(a, b, c, d, e int64) bool {
	h1, l1 := bits.Mul64(uint64(a), uint64(b))
	l1, carry := bits.Add64(l1, uint64(c), 0)
	h2, l2 := bits.Mul64(uint64(d), uint64(e))
	return h1+carry == h2 && l1 == l2
}

// Scripted gives the words first, and then those of then: edge cases for
// tests, followed by a real generator so that no rejection loop is endless.
func Scripted(words []uint16, then *Source) *Source {
	s := &Source{fill: then.read}
	for _, w := range words {
		s.unread = append(s.unread, byte(w), byte(w>>8))
	}
	return s
}

// read is the stream as a fill function.
func (s *Source) read(to []byte) {
	for len(to) > 0 {
		n := copy(to, s.ahead())
		to, s.unread = to[n:], s.unread[n:]
	}
}
