package judge

// A Copy names a letter for every row, -1 for none, by a rule that no row taught.
type Copy struct {
	Name string
	Of   []int32
}

// Untaught judges guesses on all rows of the sample, both halves: nothing was learnt from
// them. Where a guess names no letter, the commonest is taken.
func (s *Sample) Untaught(law *Law, guesses []Copy) Verdict {
	v := Verdict{Letter: -1, Held: s.learn + s.held, GainMost: 1, Lift: Lift{Letter: -1}}
	most := 0.0
	for _, p := range law.Prior {
		most = max(most, p)
	}
	n, each := int64(v.Held), law.Level/float64(6*max(1, len(guesses)))
	for _, g := range guesses {
		right, plus, minus := int64(0), int64(0), int64(0)
		for i, x := range s.letter {
			f := int32(0)
			if g.Of[i] >= 0 {
				f = s.place[g.Of[i]]
			}
			switch {
			case s.half[i] == Neither:
			case f == x:
				right++
				if x > 0 {
					plus++
				}
			case x == 0:
				minus++
			}
		}
		least := max(bounds(plus, minus, n, each).least, low(right, n, each)-most)
		if least > v.Gain {
			v.Gain, v.By = least, g.Name
		}
	}
	v.Outcome = outcome(&v, false, 1)
	return v
}

// Ranked guesses that the row at the k-th place holds the k-th of the letters: place is that
// of each row, -1 for none, and rows of one place are guessed to hold the commonest letter
// that falls to them. Order is the place of each letter among all.
func (s *Sample) Ranked(place []int32, places int, order []int32) []int32 {
	of := make([]int32, len(s.letter))
	rows, letters := make([]int32, places), make([]int32, len(order))
	by := make([]int32, len(order))
	for x, at := range order {
		by[at] = int32(x)
	}
	for i, p := range place[:len(s.letter)] {
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
	for i, p := range place[:len(s.letter)] {
		if p >= 0 {
			of[i] = named[p]
		}
	}
	return of
}
