package neighbours

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/tacet-privacy/tacet/estimate/judge"
)

const (
	// farPeriod is the largest divisor that is looked for in a column, and nearPeriod in what
	// two make: smaller ones of a column all have a rule.
	farPeriod  = 512
	nearPeriod = 64
	// somePeriods is how many are tried as rules, and onePeriod at a glance.
	somePeriods = 3
	onePeriod   = 1
	// mostGaps is how many rows distances are taken from, and of a unit half as many.
	mostGaps = 1 << 16
	// perLetter rows of each letter, and rowsOfPeriods in all, are looked at.
	perLetter     = 64
	rowsOfPeriods = 384
)

// A period finds the divisors from least to most whose remainders letters may follow, from
// rows of the learning half alone: by the periodogram [Schuster 1898] of the numbers of each
// letter.
type period struct {
	row         [][]int32 // by letter that has several
	all         float32   // rows
	least, most int64
	some        int // that are wanted
}

// alike is how much power numbers of all letters have by chance with one in 10^8 at a divisor.
const alike = 20

func newPeriod(s *judge.Sample, least, most int64, some int) *period {
	p := &period{least: least, most: most, some: some}
	by := s.Taught(perLetter)
	slices.SortStableFunc(by, func(a, b []int32) int { return cmp.Compare(len(a), len(b)) })
	left := rowsOfPeriods
	for i, rows := range by {
		if share := max(2, left/(len(by)-i)); len(rows) > share {
			rows = rows[:share]
		}
		if len(rows) >= 2 && left >= len(rows) {
			p.row, left = append(p.row, rows), left-len(rows)
		}
	}
	p.all = float32(rowsOfPeriods - left)
	return p
}

// waves are the cosines and sines of the remainders by all divisors.
var waves = sync.OnceValue(func() (w [farPeriod + 1][]float32) {
	for m := 2; m <= farPeriod; m++ {
		w[m] = make([]float32, 2*m)
		for r := range m {
			s, c := math.Sincos(2 * math.Pi * float64(r) / float64(m))
			w[m][r], w[m][m+r] = float32(c), float32(s)
		}
	}
	return w
})

// follows are the divisors by whose remainders the letters of numbers, by row, stand out, and
// the one at which all numbers are most alike: letters may then lie close beside each other.
func (p *period) follows(n []int64) []int64 {
	least, most := int64(math.MaxInt64), int64(math.MinInt64)
	for _, rows := range p.row {
		for _, i := range rows {
			least, most = min(least, n[i]), max(most, n[i])
		}
	}
	if least >= most {
		return nil
	}
	type strength struct {
		m     int64
		power float32
	}
	var best []strength
	var own strength
	wave := waves()
	of, wide := make([][2]float32, len(p.row)), uint64(most)-uint64(least) // of is by letter
	above := make([]uint64, 0, rowsOfPeriods)
	for _, rows := range p.row {
		for _, i := range rows {
			above = append(above, uint64(n[i])-uint64(least))
		}
	}
	for m := p.least; m <= p.most && uint64(m) <= wide; m++ {
		w, sum, power := wave[m], [2]float32{}, float32(0)
		part, rest := 1/float64(m), above
		for x, rows := range p.row {
			re, im := float32(0), float32(0)
			for _, v := range rest[:len(rows)] {
				r := int64(v)
				if wide >= 1<<52 {
					r = int64(v % uint64(m))
				} else if r -= int64(float64(r)*part) * m; r < 0 { // the quotient is off by one at most: three times as fast
					r += m
				} else if r >= m {
					r -= m
				}
				re, im = re+w[r], im+w[m+r]
			}
			rest = rest[len(rows):]
			of[x] = [2]float32{re, im}
			sum[0], sum[1] = sum[0]+re, sum[1]+im
		}
		for x, v := range of {
			k := float32(len(p.row[x]))
			re, im := v[0]-k*sum[0]/p.all, v[1]-k*sum[1]/p.all
			power += (re*re + im*im) / k
		}
		best = append(best, strength{m, power})
		if whole := (sum[0]*sum[0] + sum[1]*sum[1]) / p.all; whole > alike && whole > .9*own.power && uint64(m) <= wide/4 {
			own = strength{m, max(whole, own.power)}
		}
	}
	slices.SortStableFunc(best, func(a, b strength) int { return cmp.Compare(b.power, a.power) })
	var found []int64
	for _, s := range best[:min(p.some, len(best))] {
		found = append(found, s.m)
	}
	if own.m > 0 && !slices.Contains(found, own.m) {
		found = append(found, own.m)
	}
	return found
}

// repeats judges whether rows hold what the row a fixed number before them holds. The
// distance is the commonest one from a letter, or from several in a row, to where the same
// come next; since any might be, each has its part of the chance of an error. Rows are
// looked at in pairs that share none, and never two of one person.
func (s *sample) repeats(law *judge.Law, prior []float64) (v judge.Verdict, ok bool) {
	same := 0.0
	for _, p := range prior {
		same += p * p
	}
	long := 1 + int(math.Log(float64(len(s.letter)))/max(.1, -math.Log(same)))
	own := *law
	own.Level /= float64(2 * len(s.letter))
	for _, grams := range []int{1, min(16, long)} {
		by := s.gap(grams)
		if by < 2 {
			continue
		}
		found := own.Guessed(fmt.Sprintf("the row %d before it", by), func(yield func(letter, guess int32) bool) {
			for _, p := range s.part {
				for i := p.from + by; i < p.to; i++ {
					one := s.person != nil && s.person[i] == s.person[i-by]
					a, b := s.letter[i-by], s.letter[i]
					if (i-p.from)/by%2 == 1 && a >= 0 && b >= 0 && !one && !yield(b, a) {
						return
					}
				}
			}
		})
		if found.Outcome > v.Outcome {
			v, ok = found, true
		}
	}
	return v, ok && v.Outcome >= judge.Warn
}

// gap is the commonest distance from so many letters in a row to where the same come next.
func (s *sample) gap(grams int) int {
	last, gap := map[uint64]int32{}, map[int32]int{}
	left := mostGaps
	for _, p := range s.part {
		clear(last)
		to := min(p.to, p.from+min(left, mostGaps/2))
		left -= to - p.from
		for i := p.from; i+grams <= to; i++ {
			key := uint64(grams)
			for _, x := range s.letter[i : i+grams] {
				key = Mix(key ^ uint64(uint32(x)))
			}
			if at, ok := last[key]; ok {
				gap[int32(i)-at]++
			}
			last[key] = int32(i)
		}
	}
	best, most := int32(0), 0
	for g, n := range gap {
		if n > most || n == most && g < best {
			best, most = g, n
		}
	}
	return int(best)
}
