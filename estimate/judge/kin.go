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

// Kin judges a column by the rows of equal values: of every value that has two rows or more
// one is held, and guessed to be what its other rows are. Nothing is learnt but the commonest
// letter, so that all these rows are held-out ones. It reports false where values of two rows
// are too few.
func Kin(rows []Row, law *Law) (Verdict, bool) {
	letters := len(law.Prior)
	count, tally := make([]int32, letters), make([]int32, letters)
	before := make([]int32, len(rows)) // the row of its value before it, -1 for none
	var last []int32                   // by value: its last row
	var index Index
	index.Reset(len(rows))
	for i := range rows {
		count[rows[i].Letter]++
		v := index.Add(rows[i].Value)
		if int(v) == len(last) {
			last = append(last, -1)
		}
		before[i], last[v] = last[v], int32(i)
	}
	common := int32(slices.Index(count, slices.Max(count)))
	values, plus, minus, alike := int64(0), int64(0), int64(0), int64(0)
	named, holds := make([]hits, letters), make([]int64, letters) // by letter
	var own []*Row                                                // of a value, the held one first
	for _, i := range last {
		if before[i] < 0 {
			continue
		}
		for own = own[:0]; i >= 0; i = before[i] {
			own = append(own, &rows[i])
			if n := len(own) - 1; own[n].Chance < own[0].Chance {
				own[0], own[n] = own[n], own[0]
			}
		}
		held, f := own[0], others(own, count, tally)
		if f < 0 {
			continue
		}
		values++
		holds[held.Letter]++
		if f == held.Letter {
			alike++
			named[f].hit++
			if f != common {
				plus++
			}
			continue
		}
		named[f].miss++
		if held.Letter == common {
			minus++
		}
	}
	v := NewVerdict(int(values))
	if values < fewValues {
		return v, false
	}
	v.By = "its other rows"
	each := law.Level / 16
	g := bounds(plus, minus, values, each)
	v.Gain, v.GainMost = max(0, g.least), max(0, g.most)
	// Letters that tell nothing of each other are equal so often, by their
	// shares of all rows, or by those of these rows.
	byAll, byThese := 0.0, 0.0
	for x, h := range named {
		n := h.hit + h.miss
		byAll += float64(n) * law.Prior[x]
		byThese += float64(n) * float64(holds[x]) / float64(values)
		if n > 0 && law.Prior[x] > 0 && wilson(h) > law.Prior[x] {
			each := each / float64(letters)
			v.finds(law, int32(x), low(h.hit, n, each), low(h.hit, holds[x], each), 2*h.hit > n, law.bounds(int32(x)))
		}
	}
	if f := low(alike, values, each) * float64(values) / max(1, byAll, byThese); f > 1 {
		v.Alike = f
	}
	v.weigh(0)
	return v, true
}

// others is the commonest letter of the rows behind the first of some, by count where several
// are, -1 where there is none. Tally is room by letter, and stays empty.
func others(rows []*Row, count, tally []int32) int32 {
	best := int32(-1)
	for _, r := range rows[1:] {
		if rows[0].Person == 0 || r.Person != rows[0].Person {
			tally[r.Letter]++
		}
	}
	for _, r := range rows[1:] {
		x := r.Letter
		if tally[x] > 0 && (best < 0 || cmp.Or(cmp.Compare(tally[x], tally[best]), cmp.Compare(count[x], count[best]),
			cmp.Compare(best, x)) > 0) {
			best = x
		}
	}
	for _, r := range rows[1:] {
		tally[r.Letter] = 0
	}
	return best
}
