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
func (s *Sample) Untaught(law *Law, guesses []Copy) (v Verdict) {
	own := *law
	own.Level /= float64(len(guesses))
	for k, g := range guesses {
		found := own.Guessed(g.Name, func(yield func(letter, guess int32) bool) {
			for i, guess := range g.Of {
				if guess < 0 {
					guess = s.named[0]
				}
				if s.half[i] != Neither && !yield(s.named[s.letter[i]], guess) {
					return
				}
			}
		})
		if k == 0 || found.Gain > v.Gain {
			v = found
		}
	}
	return v
}

// Guessed judges guesses of the letters of rows that nothing taught: it bounds the share of
// rows whose guess is right beyond those of the commonest letter.
func (l *Law) Guessed(name string, rows iter.Seq2[int32, int32]) Verdict {
	of, right := make([]int64, len(l.Prior)), make([]int64, len(l.Prior)) // rows, by letter
	n, hits := int64(0), int64(0)
	for x, guess := range rows {
		n++
		of[x]++
		if guess == x {
			hits++
			right[x]++
		}
	}
	common, each := slices.Index(of, slices.Max(of)), l.Level/6
	v := NewVerdict(int(n))
	v.By, v.GainMost = name, 1
	v.Gain = max(0, bounds(hits-right[common], of[common]-right[common], n, each).least,
		low(hits, n, each)-slices.Max(l.Prior))
	v.weigh(1)
	return v
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
