package baseline

// core leaves out what no best cover and no best packing needs: outputs whose
// letters another output serves, too, and then letters that are served wherever
// another letter is. Of those that are alike the first stays. Of 228 airports
// some twenty are left.
func (v *covering) core() {
	letters := newSets(len(v.output), len(v.Letter)) // S_y
	for j, y := range v.output {
		for _, i := range v.Column[y] {
			letters[j].add(int(i))
		}
	}
	var output []int
	for _, j := range apart(len(v.output), func(j, k int) bool { return letters[j].within(letters[k]) }) {
		output = append(output, v.output[j])
	}
	v.output = output
	outputs := newSets(len(v.Letter), len(v.output)) // B_x
	for j, y := range v.output {
		for _, i := range v.Column[y] {
			outputs[i].add(j)
		}
	}
	v.row = apart(len(v.Letter), func(i, k int) bool { return outputs[k].within(outputs[i]) })
	v.column = make([][]int32, len(v.output))
	for k, i := range v.row {
		for j := range v.output {
			if outputs[i].has(j) {
				v.column[j] = append(v.column[j], int32(k))
			}
		}
	}
}

// apart are the places of 0..n-1 that no other makes needless, of two that make
// each other so the first.
func apart(n int, needless func(i, by int) bool) []int {
	var kept []int
	for i := range n {
		keep := true
		for k := 0; k < n && keep; k++ {
			keep = k == i || !needless(i, k) || k > i && needless(k, i)
		}
		if keep {
			kept = append(kept, i)
		}
	}
	return kept
}

// A set is a bit a member.
type set []uint64

func newSets(n, members int) []set {
	sets := make([]set, n)
	for i := range sets {
		sets[i] = make(set, (members+63)/64)
	}
	return sets
}

func (s set) add(i int)      { s[i/64] |= 1 << (i % 64) }
func (s set) has(i int) bool { return s[i/64]>>(i%64)&1 == 1 }

func (s set) within(other set) bool {
	for k, v := range s {
		if v&^other[k] != 0 {
			return false
		}
	}
	return true
}
