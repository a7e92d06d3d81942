package frontier

// coarse lists the places 0..n-1 in levels: the ends, the middle, the
// quarters, and so on. With doubling, those that are 1, 3, 7, 15, ... places
// from the last come after the ends: among rank floors they allow 2, 4, 8, 16
// outputs, where epsilon changes most and a search costs least. A level begins
// with its last place for the same reason.
func coarse(n int, doubling bool) [][]int {
	seen := make([]bool, n)
	var levels [][]int
	left := n
	add := func(at []int) {
		var level []int
		for _, i := range at {
			if !seen[i] {
				seen[i] = true
				level = append(level, i)
			}
		}
		if left -= len(level); level != nil {
			levels = append(levels, level)
		}
	}
	for k := 0; left > 0; k++ {
		var halves []int
		for i := 1 << k; i >= 0; i-- {
			halves = append(halves, i*(n-1)>>k)
		}
		add(halves)
		if k == 0 && doubling {
			var doubled []int
			for m := 2; m < n; m *= 2 {
				doubled = append(doubled, n-m)
			}
			add(doubled)
		}
	}
	return levels
}

// scarceCells is how many cells the bound of scarce outputs may look at, all
// floors together: about half a second.
const scarceCells = 1 << 28

// scarce bounds the rank floors from the best down, as far as it gets, by
// max_x min_{y in B_x} 1/P(S_y) [SO, Lemma 2].
func (s *survey) scarce() {
	at := make(map[int]*spot, len(s.spot))
	for i := range s.spot {
		at[len(s.points)-s.spot[i].Floor.Rank+1] = &s.spot[i]
	}
	mass := make([]int64, s.ladder.outputs)
	take := make([]int, len(s.ladder.best))
	for m, looked := 1, 0; m <= s.ladder.outputs && looked < scarceCells && !s.ladder.stop.over(len(take)); m++ {
		for x, b := range s.ladder.best {
			if m <= len(b) {
				mass[b[m-1]] += s.prior.Count(x)
				take[x] = m
			}
		}
		if k := at[m]; k != nil {
			k.scarceLetter, k.scarce = s.ladder.scarcest(take, mass)
			looked += m * len(take)
		}
	}
}

// scarcest is the letter with records whose most common output, among its
// take[x] best, is the rarest, and n P(S_y) of that output.
func (l *ladder) scarcest(take []int, mass []int64) (letter int, least int64) {
	for x, b := range l.best {
		if l.prior.Count(x) == 0 {
			continue
		}
		most := int64(0)
		for _, y := range b[:take[x]] {
			most = max(most, mass[y])
		}
		if least == 0 || most < least {
			letter, least = x, most
		}
	}
	return letter, least
}
