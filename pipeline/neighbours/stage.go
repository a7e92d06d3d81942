package neighbours

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/tacet-privacy/tacet/estimate/judge"
)

// stageRows are the rows on which columns are judged, first on few: most
// columns are cleared, or refused, there. A stage takes all rows of the sample
// where these are at most twice as many.
var stageRows = [...]int{1 << 12, 1 << 15, 1 << 17}

// stageShare is the part of the chance of a false refusal that a stage takes.
var stageShare = [...]float64{.5, .25, .25}

// window is how many rows of the file stand next to each other where their
// places are judged and not all rows are.
const window = 32

// A letter that has fewer than mostRare rows at a stage gets so many, or what
// its part of rareRows is, where the sample holds them.
const mostRare = 200

// rareRows bounds the rows of rare letters, by stage.
var rareRows = [...]int{1 << 13, 1 << 15, 1 << 17}

// A stage is rows that are judged, and what each is for.
type stage struct {
	row    []int32      // of the sample, in file order; behind them more of rare letters, likewise
	own    int          // the rows before these
	cell   []int32      // of these rows; none where places are judged
	letter []int32      // of these rows,
	half   []judge.Half // and what they are for
	share  float64
	sample *judge.Sample
}

// stages are the sizes of stages for so many rows.
func stages(rows int) (size []int) {
	for _, n := range stageRows {
		if rows <= 2*n {
			return append(size, rows)
		}
		size = append(size, n)
	}
	return size
}

// Mix turns numbers into random ones [Steele et al. 2014, splitmix64].
func Mix(v uint64) uint64 {
	v += 0x9e3779b97f4a7c15
	v = (v ^ v>>30) * 0xbf58476d1ce4e5b9
	v = (v ^ v>>27) * 0x94d049bb133111eb
	return v ^ v>>31
}

// below is the number that a random one is below as often as part of all.
func below(part, all int) uint64 {
	if part >= all {
		return math.MaxUint64
	}
	q, _ := bits.Div64(uint64(part), 0, uint64(all))
	return q
}

// chosen are the numbers below which those of rows must be at a stage: any row,
// and rows of a letter, of which there may be more. There are rows in the
// sample.
func chosen(at, rows int, prior []float64, factor float64) (all uint64, by []uint64) {
	some := stageRows[at]
	if rows <= 2*some {
		return math.MaxUint64, nil
	}
	all, by = below(some, rows), make([]uint64, len(prior))
	rare := 0
	for _, p := range prior {
		if p > 0 && p*factor < 1 && p*float64(some) < mostRare {
			rare++
		}
	}
	each := float64(min(mostRare, rareRows[at]/max(1, rare)))
	for x, p := range prior {
		by[x] = all
		if wanted := each / (p * float64(rows)); p > 0 && p*factor < 1 && p*float64(some) < each {
			by[x] = math.MaxUint64
			if wanted < 1 {
				by[x] = uint64(math.Ldexp(wanted, 64))
			}
		}
	}
	return all, by
}

// seedOf is the same for the same file: who runs again gets the same rows and
// the same halves, and cannot try until a column is clear.
func seedOf(private string, units []int64) uint64 {
	b := []byte(private)
	for _, n := range units {
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
	}
	return Hash(b)
}

// halves draws what the rows of the sample are for, from all its letters.
func (s *sample) halves() uint64 {
	h := s.seed
	for _, x := range s.letter {
		h = (h ^ uint64(uint32(x))) * 0x9e3779b97f4a7c15
		h ^= h >> 32
	}
	return Mix(h)
}

// choose chooses the rows of a stage, and more of rare letters.
func (j *jury) choose(at int) *stage {
	s, st := j.sample, &stage{}
	all, by := chosen(at, len(s.letter), j.q.Prior, j.q.Factor)
	var row, cell []int32
	for k, i := range s.cell {
		x := s.letter[i]
		if x < 0 {
			continue
		}
		switch number := s.number(int(i)); {
		case all == math.MaxUint64 || number < all:
			st.row, st.cell = append(st.row, i), append(st.cell, int32(k))
		case number < by[x]:
			row, cell = append(row, i), append(cell, int32(k))
		}
	}
	st.own = len(st.row)
	st.row, st.cell = append(st.row, row...), append(st.cell, cell...)
	return j.halved(at, st)
}

// windows chooses the rows of a stage by which places are judged.
func (j *jury) windows(at int) *stage {
	s, st := j.sample, &stage{}
	all, _ := chosen(at, len(s.letter), j.q.Prior, j.q.Factor)
	for from := 0; from < len(s.letter); from += window {
		if Mix(s.seed^Mix(^uint64(from/window))) >= all {
			continue
		}
		for i := from; i < min(from+window, len(s.letter)); i++ {
			if s.letter[i] >= 0 {
				st.row = append(st.row, int32(i))
			}
		}
	}
	st.own = len(st.row)
	return j.halved(at, st)
}

// halved draws what the rows of a stage are for. Of the rows of a person one is taken, and none
// of a rare letter beside others.
func (j *jury) halved(at int, st *stage) *stage {
	st.share = stageShare[at]
	letter, half := make([]int32, len(st.row)), make([]judge.Half, len(st.row))
	st.letter, st.half = letter, half
	chance := func(k int) uint64 { return Mix(^j.seed ^ uint64(st.row[k])) }
	taken := map[uint64]int{} // by person
	for k, i := range st.row {
		letter[k] = j.letter[i]
		unit := uint64(i)
		if j.person != nil {
			unit = j.person[i]
		}
		if half[k] = judge.Learn; Mix(j.seed^unit)>>63 > 0 {
			half[k] = judge.Held
		}
		if k >= st.own {
			half[k] += judge.RareLearn - judge.Learn
		}
		if j.person == nil {
			continue
		}
		if before, ok := taken[unit]; ok {
			if k >= st.own && before < st.own || chance(before) < chance(k) {
				half[k] = judge.Neither
				continue
			}
			half[before] = judge.Neither
		}
		taken[unit] = k
	}
	st.sample = judge.NewSample(letter, half, j.letters)
	return st
}
