package judge

import (
	"cmp"
	"slices"
)

// A Half says what a row is for.
type Half uint8

// The halves. A row is for neither where another row of its person is for one.
const (
	Neither Half = iota
	Learn
	Held
)

// A Sample is the rows on which columns are judged. The halves must be drawn
// without a look at the letters.
type Sample struct {
	half    []Half
	letter  []int32 // by row, as places by frequency: 0 is the commonest letter
	place   []int32 // of a letter
	named   []int32 // the letter at a place
	learn   int
	held    int
	holders []int32 // held rows by place
	learnt  []int32 // learning rows by place
	extra   extra
}

// extra are rows of rare letters beside those of the sample. They count where
// a letter is judged for its own sake, and nowhere else.
type extra struct {
	half    []Half
	letter  []int32 // as places
	holders []int32 // by place
	learnt  []int32
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
	s.holders, s.learnt = make([]int32, letters), make([]int32, letters)
	s.extra.holders, s.extra.learnt = make([]int32, letters), make([]int32, letters)
	for at, x := range s.named {
		s.place[x], s.learnt[at] = int32(at), count[x]
	}
	for i, x := range letter {
		s.letter[i] = s.place[x]
		switch half[i] {
		case Learn:
			s.learn++
		case Held:
			s.held++
			s.holders[s.place[x]]++
		}
	}
	return s
}

// Add takes rows of rare letters beside the sample. Those of a letter must be
// drawn, together with its rows in the sample, without a look at anything else.
func (s *Sample) Add(letter []int32, half []Half) {
	e := &s.extra
	e.half = half
	for i, x := range letter {
		at := s.place[x]
		e.letter = append(e.letter, at)
		switch half[i] {
		case Learn:
			e.learnt[at]++
		case Held:
			e.holders[at]++
		}
	}
}

// Rows are those that rules are learnt from, and those that are held out.
func (s *Sample) Rows() (learn, held int) { return s.learn, s.held }

// fewHeld is the number of held rows below which no letter can be refused for
// its own sake: with fewer, no bound on its recall passes a tenth.
const fewHeld = 8

// Blind counts the letters that epsilon keeps from being confirmed and that
// have too few held rows for a verdict of their own.
func (s *Sample) Blind(law *Law) (n int) {
	for at, k := range s.holders {
		if law.bounds(s.named[at]) && k+s.extra.holders[at] < fewHeld {
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

// Part is a sample of some of the rows; rows of rare letters beside it are left out.
func (s *Sample) Part(row []int32) *Sample {
	letter, half := make([]int32, len(row)), make([]Half, len(row))
	for k, i := range row {
		letter[k], half[k] = s.named[s.letter[i]], s.half[i]
	}
	return NewSample(letter, half, len(s.named))
}

// Beside is a sample of the same rows with letters of others, -1 where there is none.
func (s *Sample) Beside(letter []int32) *Sample {
	own, half := make([]int32, len(s.letter)), slices.Clone(s.half)
	for i, x := range letter {
		if own[i] = x; x < 0 {
			own[i], half[i] = 0, Neither
		}
	}
	return NewSample(own, half, len(s.named))
}
