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
