package judge

import (
	"cmp"
	"math/bits"
	"slices"
)

// fewValues is how many values of two rows and more it takes to judge them by
// one row each.
const fewValues = 500

// A Row is a row of a column that has few rows for each of its values.
type Row struct {
	Value  uint64
	Person uint64 // rows of one person do not tell of each other; 0 where none is known
	Chance uint64 // random: the row of a value with the smallest is held
	Letter int32
}

// Kin judges a column by the rows of equal values: of every value that has two
// rows or more one is held, and guessed to be what its other rows are. Nothing
// is learnt but the commonest letter, so that all these rows are held-out ones.
// It reports false where values of two rows are too few, of which Held says how
// many there are.
func Kin(rows []Row, law *Law) (Verdict, bool) {
	if n := several(rows); n < fewValues {
		return Verdict{Held: n}, false
	}
	count := make([]int32, len(law.Prior))
	for i := range rows {
		count[rows[i].Letter]++
	}
	common := int32(0)
	for x, c := range count {
		if c > count[common] {
			common = int32(x)
		}
	}
	by, of := group(rows)
	values, plus, minus, alike := int64(0), int64(0), int64(0), int64(0)
	tally := make([]int32, len(law.Prior))
	named := [2][]hits{make([]hits, len(law.Prior)), make([]hits, len(law.Prior))} // by letter, in two halves
	holds := [2][]int64{make([]int64, len(law.Prior)), make([]int64, len(law.Prior))}
	for from := 0; from < len(rows); {
		to := from + 1
		for to < len(rows) && of[by[to]] == of[by[from]] {
			to++
		}
		held, others := &rows[by[from]], by[from+1:to]
		f, most := int32(-1), int32(0)
		for _, i := range others {
			if r := &rows[i]; held.Person == 0 || r.Person != held.Person {
				tally[r.Letter]++
			}
		}
		for _, i := range others {
			x := rows[i].Letter
			if c := tally[x]; c > most || c == most && c > 0 && before(x, f, count) {
				f, most = x, c
			}
		}
		for _, i := range others {
			tally[rows[i].Letter] = 0
		}
		half := held.Chance >> 3 & 1
		from = to
		if f < 0 {
			continue
		}
		values++
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
	if values < fewValues {
		return Verdict{Held: int(values)}, false
	}
	v := Verdict{Letter: -1, By: "its other rows", Held: int(values), Lift: Lift{Letter: -1}}
	var letters []int32 // whose precision is tested on the second half
	for x, h := range named[0] {
		if n := h.hit + h.miss; n > 0 && law.Prior[x] > 0 && wilson(h) > law.Prior[x] {
			letters = append(letters, int32(x))
		}
	}
	slices.SortStableFunc(letters, func(a, b int32) int {
		return cmp.Compare(wilson(named[0][b])/law.Prior[b], wilson(named[0][a])/law.Prior[a])
	})
	letters = letters[:min(shown, len(letters))]
	each := law.Level / float64(4*(2+len(letters)))
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
	refuse := false
	for _, x := range letters {
		h := named[1][x]
		rows := h.hit + h.miss
		precision := low(h.hit, rows, each)
		if f := precision / law.Prior[x]; f > max(1, v.Lift.Factor) {
			v.Lift = Lift{f, x, precision}
		}
		if law.Factor*law.Prior[x] < 1 && precision > law.Factor*law.Prior[x] {
			recall := low(h.hit, holds[1][x], each)
			v.Letter, v.Precision, v.Recall, v.Allowed = x, precision, recall, law.Prior[x]
			refuse = refuse || 2*h.hit > rows && recall > remaining
		}
	}
	v.Outcome = outcome(&v, refuse, 0)
	return v, true
}

// several is about how many values have two rows or more: those met twice, by a hash, and a
// sixteenth more, since two may have one.
func several(rows []Row) (n int) {
	width := bits.Len(uint(8 * len(rows)))
	met := make([]uint8, 1<<width)
	for i := range rows {
		at := rows[i].Value * 0x9e3779b97f4a7c15 >> (64 - width)
		if met[at]++; met[at] == 2 {
			n++
		} else if met[at] > 2 {
			met[at] = 3
		}
	}
	return n + n/16
}

// before breaks ties by frequency, then letter.
func before(a, b int32, count []int32) bool {
	return b < 0 || count[a] > count[b] || count[a] == count[b] && a < b
}

// group lists the rows of a value behind each other, the one that is held first, each value
// until a row of another; which comes first does not matter.
func group(rows []Row) (by, of []int32) {
	width := bits.Len(uint(2 * len(rows)))
	slot, mask := make([]int32, 1<<width), uint64(1<<width-1)
	of = make([]int32, len(rows)) // by row: the number of its value
	var first, at []int32         // by value: its first row, and how many come before
	for i := range rows {
		v := rows[i].Value
		for k := v * 0x9e3779b97f4a7c15 >> (64 - width); ; k++ {
			e := &slot[k&mask]
			if *e == 0 {
				first, at = append(first, int32(i)), append(at, 0)
				*e = int32(len(first))
			}
			if rows[first[*e-1]].Value == v {
				of[i] = *e - 1
				at[of[i]]++
				break
			}
		}
	}
	sum := int32(0)
	for k, n := range at {
		at[k], sum = sum, sum+n
	}
	begin := slices.Clone(at)
	by = make([]int32, len(rows))
	for i, v := range of {
		by[at[v]] = int32(i)
		if held := &by[begin[v]]; rows[i].Chance < rows[*held].Chance {
			*held, by[at[v]] = int32(i), *held
		}
		at[v]++
	}
	return by, of
}
