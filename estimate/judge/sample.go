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
