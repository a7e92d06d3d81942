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
// many there are. The rows are put in another order.
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
	group(rows)
	values, plus, minus, alike := int64(0), int64(0), int64(0), int64(0)
	tally := make([]int32, len(law.Prior))
	named := [2][]hits{make([]hits, len(law.Prior)), make([]hits, len(law.Prior))} // by letter, in two halves
	holds := [2][]int64{make([]int64, len(law.Prior)), make([]int64, len(law.Prior))}
	for from := 0; from < len(rows); {
		to := from + 1
		for to < len(rows) && rows[to].Value == rows[from].Value {
			to++
		}
		held := &rows[from]
		f, most := int32(-1), int32(0)
		for _, r := range rows[from+1 : to] {
			if held.Person == 0 || r.Person != held.Person {
				tally[r.Letter]++
			}
		}
		for _, r := range rows[from+1 : to] {
			if c := tally[r.Letter]; c > most || c == most && c > 0 && before(r.Letter, f, count) {
				f, most = r.Letter, c
			}
		}
		for _, r := range rows[from+1 : to] {
			tally[r.Letter] = 0
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

// several is at most how many values have two rows or more: rows whose value was met
// before, by a hash.
func several(rows []Row) (n int) {
	width := bits.Len(uint(8 * len(rows)))
	met := make([]uint64, 1<<width/64+1)
	for i := range rows {
		at := rows[i].Value * 0x9e3779b97f4a7c15 >> (64 - width)
		if bit := uint64(1) << (at & 63); met[at>>6]&bit == 0 {
			met[at>>6] |= bit
		} else {
			n++
		}
	}
	return n
}

// before breaks ties by frequency, then letter.
func before(a, b int32, count []int32) bool {
	return b < 0 || count[a] > count[b] || count[a] == count[b] && a < b
}

// group puts the rows of a value behind each other, the one that is held first. Which
// value comes first does not matter: they are dealt into piles by their hash
// [Knuth 1998, 5.2.1 and 5.2.5], and sorted within.
func group(rows []Row) {
	width := max(0, bits.Len(uint(len(rows)))-3)
	pile := func(r *Row) uint64 { return r.Value * 0x9e3779b97f4a7c15 >> 32 & (1<<width - 1) }
	at := make([]int32, 1<<width+1)
	for i := range rows {
		at[pile(&rows[i])+1]++
	}
	for k := range 1 << width {
		at[k+1] += at[k]
	}
	dealt := make([]Row, len(rows))
	for i := range rows {
		p := pile(&rows[i])
		dealt[at[p]] = rows[i]
		at[p]++
	}
	from := int32(0)
	for _, to := range at[:1<<width] {
		slices.SortFunc(dealt[from:to], func(a, b Row) int {
			return cmp.Or(cmp.Compare(a.Value, b.Value), cmp.Compare(a.Chance, b.Chance))
		})
		from = to
	}
	copy(rows, dealt)
}
