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
	from  []int32 // by number: its first row in by; before that, one place on, its rows
	by    []int32 // rows
}

// Judge judges a column: of every value that has two
// rows or more one is held, and guessed to be what its other rows are. Nothing
// is learnt but the commonest letter, so that all these rows are held-out ones.
// It reports false where values of two rows are too few, of which Held says how
// many there are.
func (k *Kinship) Judge(rows []Row, law *Law) (Verdict, bool) {
	if n := k.number(rows); n < fewValues {
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
	k.group(rows)
	values, plus, minus, alike := int64(0), int64(0), int64(0), int64(0)
	tally := make([]int32, len(law.Prior))
	named := [2][]hits{make([]hits, len(law.Prior)), make([]hits, len(law.Prior))} // by letter, in two halves
	holds := [2][]int64{make([]int64, len(law.Prior)), make([]int64, len(law.Prior))}
	for v, from := range k.from[:len(k.value.Key)] {
		held, others := &rows[k.by[from]], k.by[from+1:k.from[v+1]]
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
		half := held.Chance & 1
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

// number numbers the values and counts their rows; several values have two rows or more.
func (k *Kinship) number(rows []Row) (several int) {
	k.value.Reset(len(rows))
	k.of, k.from = slices.Grow(k.of[:0], len(rows))[:len(rows)], append(k.from[:0], 0)
	for i := range rows {
		v := k.value.Add(rows[i].Value)
		if k.of[i] = v; int(v) == len(k.from)-1 {
			k.from = append(k.from, 0)
		}
		if k.from[v+1]++; k.from[v+1] == 2 {
			several++
		}
	}
	return several
}

// before breaks ties by frequency, then letter.
func before(a, b int32, count []int32) bool {
	return b < 0 || count[a] > count[b] || count[a] == count[b] && a < b
}

// group lists the rows of a value behind each other, the one that is held first.
func (k *Kinship) group(rows []Row) {
	k.by = slices.Grow(k.by[:0], len(rows))[:len(rows)]
	values := len(k.value.Key)
	for v := range values {
		k.from[v+1] += k.from[v]
	}
	for i := len(rows) - 1; i >= 0; i-- { // from the last place of a value on to its first
		v := k.of[i] + 1
		k.from[v]--
		k.by[k.from[v]] = int32(i)
	}
	copy(k.from, k.from[1:])
	k.from[values] = int32(len(rows))
	for v, from := range k.from[:values] {
		own := k.by[from:k.from[v+1]]
		for at, i := range own {
			if rows[i].Chance < rows[own[0]].Chance {
				own[0], own[at] = i, own[0]
			}
		}
	}
}
