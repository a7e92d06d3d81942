package judge

import (
	"iter"
	"slices"
)

// A Copy names a letter for every row, -1 for none, by a rule that no row taught.
type Copy struct {
	Name string
	Of   []int32
}

// Untaught judges guesses on all rows of the sample, both halves: nothing was learnt from
// them. Where a guess names no letter, the commonest is taken.
func (s *Sample) Untaught(law *Law, guesses []Copy) Verdict {
	own := *law
	own.Level /= float64(max(1, len(guesses)))
	v := NewVerdict(s.rows[Learn] + s.rows[Held])
	v.GainMost = 1
	for _, g := range guesses {
		least := own.gains(0, func(yield func(letter, guess int32) bool) {
			for i, guess := range g.Of {
				f := int32(0)
				if guess >= 0 {
					f = s.place[guess]
				}
				if s.half[i] != Neither && !yield(s.letter[i], f) {
					return
				}
			}
		})
		if least > v.Gain {
			v.Gain, v.By = least, g.Name
		}
	}
	v.weigh(1)
	return v
}

// Guessed judges guesses of the letters of rows that nothing taught.
func (l *Law) Guessed(name string, rows iter.Seq2[int32, int32]) Verdict {
	count, n := make([]int, len(l.Prior)), 0
	for x := range rows {
		count[x]++
		n++
	}
	v := NewVerdict(n)
	v.By, v.GainMost = name, 1
	if n > 0 {
		v.Gain = max(0, l.gains(int32(slices.Index(count, slices.Max(count))), rows))
	}
	v.weigh(1)
	return v
}

// gains bounds the share of rows whose guess is right beyond those of the commonest letter.
func (l *Law) gains(common int32, rows iter.Seq2[int32, int32]) float64 {
	n, right, plus, minus := int64(0), int64(0), int64(0), int64(0)
	for x, guess := range rows {
		switch n++; {
		case guess == x:
			right++
			if x != common {
				plus++
			}
		case x == common:
			minus++
		}
	}
	each := l.Level / 6
	return max(bounds(plus, minus, n, each).least, low(right, n, each)-slices.Max(l.Prior))
}

// Ranked guesses that the row at the k-th place holds the k-th of the letters: place is that
// of each row, -1 for none, and rows of one place are guessed to hold the commonest letter
// that falls to them. Order is the place of each letter among all.
func (s *Sample) Ranked(place []int32, places int, order []int32) []int32 {
	of := make([]int32, len(place))
	rows, letters := make([]int32, places), make([]int32, len(order))
	by := make([]int32, len(order))
	for x, at := range order {
		by[at] = int32(x)
	}
	for i, p := range place {
		if of[i] = -1; p >= 0 && s.half[i] != Neither {
			rows[p]++
			letters[order[s.named[s.letter[i]]]]++
		}
	}
	named := make([]int32, places)
	at := 0
	for p, n := range rows {
		best := int32(0)
		named[p] = -1
		for n > 0 {
			for letters[at] == 0 {
				at++
			}
			take := min(n, letters[at])
			if take > best {
				best, named[p] = take, by[at]
			}
			letters[at] -= take
			n -= take
		}
	}
	for i, p := range place {
		if p >= 0 {
			of[i] = named[p]
		}
	}
	return of
}
