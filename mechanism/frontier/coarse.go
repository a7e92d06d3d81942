package frontier

// coarse lists the places 0..n-1 in levels: the ends, the middle, the
// quarters, and so on. A level begins with its last place: among rank floors that allows the
// fewest outputs, where epsilon changes most and a search costs least.
func coarse(n int) [][]int {
	seen := make([]bool, n)
	var levels [][]int
	for k, left := 0, n; left > 0; k++ {
		var level []int
		for i := 1 << k; i >= 0; i-- {
			if at := i * (n - 1) >> k; !seen[at] {
				seen[at] = true
				level = append(level, at)
			}
		}
		if left -= len(level); level != nil {
			levels = append(levels, level)
		}
	}
	return levels
}
