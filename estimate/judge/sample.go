package judge

import (
	"cmp"
	"slices"
)

// A Half says what a row is for.
type Half uint8

// The halves. A row is for neither where another row of its person is for one. Rows of rare
// letters beside the sample count where a letter is judged for its own sake, and nowhere else.
const (
	Neither Half = iota
	Learn
	Held
	RareLearn
	RareHeld
	halves
)

// A Sample is the rows on which columns are judged, those of rare letters beside them last. The
// halves must be drawn without a look at the letters, and rows of a rare letter, together with
// those that the sample has, without a look at anything else.
type Sample struct {
	half   []Half
	letter []int32         // by row, as places by frequency: 0 is the commonest letter
	place  []int32         // of a letter
	named  []int32         // the letter at a place
	rows   [halves]int     // of each half
	of     [halves][]int32 // and of these, by place
}

// A Law is what is promised, and how often a verdict may be wrong.
type Law struct {
	Prior  []float64 // of the letters
	Factor float64   // e^epsilon: by which the chance of any letter may grow
	Level  float64   // chance of a false refusal, of all tests of one trial
	Thin   float64   // share of rows that may be in keys of too few rows to teach what there is
}

// bounds reports whether epsilon keeps letter x from being confirmed.
func (l *Law) bounds(x int32) bool { return l.Prior[x] > 0 && l.Prior[x]*l.Factor < 1 }

// NewSample takes the letter and the half of every row.
func NewSample(letter []int32, half []Half, letters int) *Sample {
	s := &Sample{half: half, letter: make([]int32, len(letter)), place: make([]int32, letters),
		named: make([]int32, letters)}
	count := make([]int32, letters)
	for i, x := range letter {
		if half[i] == Learn {
			count[x]++
		}
	}
	for x := range s.named {
		s.named[x] = int32(x)
	}
	slices.SortStableFunc(s.named, func(a, b int32) int { return cmp.Compare(count[b], count[a]) })
	for at, x := range s.named {
		s.place[x] = int32(at)
	}
	for h := range s.of {
		s.of[h] = make([]int32, letters)
	}
	for i, x := range letter {
		s.letter[i] = s.place[x]
		s.rows[half[i]]++
		s.of[half[i]][s.place[x]]++
	}
	return s
}

// Learnt is how many rows rules are learnt from.
func (s *Sample) Learnt() int { return s.rows[Learn] }

// fewHeld is the number of held rows below which no letter can be refused for
// its own sake: with fewer, no bound on its recall passes a tenth.
const fewHeld = 8

// Blind counts the letters that epsilon keeps from being confirmed and that
// have too few held rows for a verdict of their own.
func (s *Sample) Blind(law *Law) (n int) {
	for at, k := range s.of[Held] {
		if law.bounds(s.named[at]) && k+s.of[RareHeld][at] < fewHeld {
			n++
		}
	}
	return n
}

// Taught are up to most rows of each letter of the learning half.
func (s *Sample) Taught(most int) [][]int32 {
	by := make([][]int32, len(s.named))
	for i, x := range s.letter {
		if s.half[i] == Learn && len(by[x]) < most {
			by[x] = append(by[x], int32(i))
		}
	}
	return by
}
