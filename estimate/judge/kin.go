package judge

import (
	"cmp"
	"slices"
)

// fewValues is how many values of two rows and more it takes to judge them by
// one row each.
const fewValues = 500

// A Row is a row of a column that has few rows for each of its values.
type Row struct {
	Value  uint64
	Person uint64 // rows of one person do not tell of each other; 0 where none is known
	Chance uint32 // random: the row of a value with the smallest is held
	Letter int32
}

// A Kinship judges columns by the rows of equal values, one after the other in the same
// memory.
type Kinship struct {
	value Index
	of    []int32 // by row: the number of its value
	by    []int32 // rows, by value, the one that is held first
	from  []int32 // by number of a value: its first row in by
}

// Judge judges a column: of every value that has two
// rows or more one is held, and guessed to be what its other rows are. Nothing
// is learnt but the commonest letter, so that all these rows are held-out ones.
// It reports false where values of two rows are too few.
func (k *Kinship) Judge(rows []Row, law *Law) (Verdict, bool) {
	k.group(rows)
	letters := len(law.Prior)
	count, tally := make([]int32, letters), make([]int32, letters)
	for i := range rows {
		count[rows[i].Letter]++
	}
	common := int32(slices.Index(count, slices.Max(count)))
	values, plus, minus, alike := int64(0), int64(0), int64(0), int64(0)
	named := [2][]hits{make([]hits, letters), make([]hits, letters)} // by letter, in two halves
	holds := [2][]int64{make([]int64, letters), make([]int64, letters)}
	for v, at := range k.from[:len(k.from)-1] {
		own := k.by[at:k.from[v+1]]
		held := &rows[own[0]]
		f := others(rows, own, count, tally)
		if f < 0 {
			continue
		}
		values++
		half := held.Chance & 1
		holds[half][held.Letter]++
		if f == held.Letter {
			alike++
			named[half][f].hit++
			if f != common {
				plus++
			}
			continue
		}
		named[half][f].miss++
		if held.Letter == common {
			minus++
		}
	}
	v := NewVerdict(int(values))
	if values < fewValues {
		return v, false
	}
	v.By = "its other rows"
	var tested []int32 // letters whose precision is tested on the second half
	for x, h := range named[0] {
		if n := h.hit + h.miss; n > 0 && law.Prior[x] > 0 && wilson(h) > law.Prior[x] {
			tested = append(tested, int32(x))
		}
	}
	slices.SortStableFunc(tested, func(a, b int32) int {
		return cmp.Compare(wilson(named[0][b])/law.Prior[b], wilson(named[0][a])/law.Prior[a])
	})
	tested = tested[:min(shown, len(tested))]
	each := law.Level / float64(4*(2+len(tested)))
	g := bounds(plus, minus, values, each)
	v.Gain, v.GainMost = max(0, g.least), max(0, g.most)
	// Letters that tell nothing of each other are equal so often, by their
	// shares of all rows, or by those of these rows.
	byAll, byThese := 0.0, 0.0
	for x, p := range law.Prior {
		n := float64(named[0][x].hit + named[0][x].miss + named[1][x].hit + named[1][x].miss)
		byAll += n * p
		byThese += n * float64(holds[0][x]+holds[1][x]) / float64(values)
	}
	if f := low(alike, values, each) * float64(values) / max(1, byAll, byThese); f > 1 {
		v.Alike = f
	}
	for _, x := range tested {
		h := named[1][x]
		n := h.hit + h.miss
		v.finds(law, x, low(h.hit, n, each), low(h.hit, holds[1][x], each), 2*h.hit > n, law.bounds(x))
	}
	v.weigh(0)
	return v, true
}

// group lists the rows by their values; none where values of two rows are too few.
func (k *Kinship) group(rows []Row) {
	k.value.Reset(len(rows))
	k.of, k.by, k.from = slices.Grow(k.of[:0], len(rows)), slices.Grow(k.by[:0], len(rows)), append(k.from[:0], 0)
	several := 0
	for i := range rows {
		v := k.value.Add(rows[i].Value)
		if k.of = append(k.of, v); int(v) == len(k.from)-1 {
			k.from = append(k.from, 0)
		}
		if k.from[v]++; k.from[v] == 2 {
			several++
		}
	}
	if several < fewValues {
		k.from = k.from[:1]
		return
	}
	for v := range k.from[1:] {
		k.from[v+1] += k.from[v]
	}
	k.by = k.by[:len(rows)]
	for i, v := range k.of {
		k.from[v]--
		k.by[k.from[v]] = int32(i)
	}
	for v, at := range k.from[:len(k.value.Key)] {
		own := k.by[at:k.from[v+1]]
		for to, i := range own {
			if rows[i].Chance < rows[own[0]].Chance {
				own[0], own[to] = i, own[0]
			}
		}
	}
}

// others is the commonest letter of the rows behind the first of some, by count where several
// are, -1 where there is none. Tally is room by letter, and stays empty.
func others(rows []Row, some []int32, count, tally []int32) int32 {
	held, best := &rows[some[0]], int32(-1)
	for _, i := range some[1:] {
		if held.Person == 0 || rows[i].Person != held.Person {
			tally[rows[i].Letter]++
		}
	}
	for _, i := range some[1:] {
		x := rows[i].Letter
		if tally[x] > 0 && (best < 0 || cmp.Or(cmp.Compare(tally[x], tally[best]), cmp.Compare(count[x], count[best]),
			cmp.Compare(best, x)) > 0) {
			best = x
		}
	}
	for _, i := range some[1:] {
		tally[rows[i].Letter] = 0
	}
	return best
}
