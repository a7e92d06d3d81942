package utility

import (
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/tacet-privacy/tacet/mechanism"
)

// nullRule adds null, as last input and last output, to an order that does not
// name it. In another letter's row null is the worst output that is allowed:
// its value is the row's lowest finite utility minus 1, which is rank 1 where
// nothing is forbidden; where everything is forbidden so is null. In its own
// row null is best with value 0, and all others tie one below the lowest
// finite utility of the whole order, or at -1 if that is lower.
type nullRule struct {
	base   mechanism.Order
	others float64
}

// Base is the order without null.
func (o *nullRule) Base() mechanism.Order { return o.base }

func (o *nullRule) Inputs() int { return o.base.Inputs() + 1 }

func (o *nullRule) Outputs() int { return o.base.Outputs() + 1 }

func (o *nullRule) Row(x int, rank []uint16, value []float64) {
	m := o.base.Outputs()
	fill(m+1, rank, value, func(value []float64) {
		if x == o.base.Inputs() {
			for y := range m {
				value[y] = o.others
			}
			value[m] = 0
			return
		}
		o.base.Row(x, nil, value[:m])
		value[m] = math.Inf(-1)
		if low := lowest(value[:m]); !math.IsInf(low, 1) {
			value[m] = below(low)
		}
	})
}

// below is v-1, or the next float under v where v is too large for that to
// differ: null must not tie with what it is worse than.
func below(v float64) float64 { return min(v-1, math.Nextafter(v, math.Inf(-1))) }

// lowest finite value, +Inf if there is none.
func lowest(value []float64) float64 {
	low := math.Inf(1)
	for _, v := range value {
		if v < low && !math.IsInf(v, -1) {
			low = v
		}
	}
	return low
}

// tiedCells is the size up to which rows are searched for ties.
const tiedCells = 1 << 24

// A survey is what one pass over all rows finds.
type survey struct {
	tied    int     // rows in which two allowed outputs tie; Uncounted where they are not looked for
	lowest  float64 // finite utility of all rows; +Inf if there is none
	bestLow float64 // highest of the rows' lowest finite utilities; -Inf if there is none
}

// surveyOf looks at every row once, on all processors. Of an order above tiedCells only null
// needs to know the lowest utilities, which are left out unless it is there.
func surveyOf(o mechanism.Order, null bool) survey {
	if t, ok := o.(*mechanism.Tree); ok {
		s := t.Survey()
		total := survey{tied: s.Tied, lowest: math.Inf(1), bestLow: s.BestLow}
		if len(s.Values) > 0 {
			total.lowest = s.Values[len(s.Values)-1]
		}
		return total
	}
	total := survey{lowest: math.Inf(1), bestLow: math.Inf(-1)}
	large := o.Inputs()*o.Outputs() > tiedCells
	if large {
		total.tied = Uncounted
	}
	if large && !null {
		return total
	}
	all := make([]uint16, o.Outputs())
	for y := range all {
		all[y] = uint16(y)
	}
	var next atomic.Int64
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), max(1, o.Inputs()/16)) {
		wg.Go(func() {
			part := survey{lowest: math.Inf(1), bestLow: math.Inf(-1)}
			value, seen := make([]float64, o.Outputs()), newSeen(o.Outputs())
			for x := int(next.Add(1)) - 1; x < o.Inputs(); x = int(next.Add(1)) - 1 {
				var low float64
				if near, ok := o.(mechanism.Nearby); ok && large {
					low = near.Value(x, near.Worst(x, all))
				} else {
					o.Row(x, nil, value)
					low = lowest(value)
				}
				if !large && seen.twice(value) {
					part.tied++
				}
				if !math.IsInf(low, 1) {
					part.lowest, part.bestLow = min(part.lowest, low), max(part.bestLow, low)
				}
			}
			mu.Lock()
			defer mu.Unlock()
			total.tied += part.tied
			total.lowest, total.bestLow = min(total.lowest, part.lowest), max(total.bestLow, part.bestLow)
		})
	}
	wg.Wait()
	return total
}

// seen is an open hash set of floats that is emptied by a new round number: with one of the
// language's, an order of 3,000 places takes a third longer to design.
type seen struct {
	round uint32
	mark  []uint32
	bits  []uint64
	shift int
}

func newSeen(n int) *seen {
	log := 3
	for 1<<log < 2*n {
		log++
	}
	return &seen{mark: make([]uint32, 1<<log), bits: make([]uint64, 1<<log), shift: 64 - log}
}

// twice reports whether two finite values are equal; -0 and 0 are.
func (s *seen) twice(value []float64) bool {
	s.round++
	for _, v := range value {
		if math.IsInf(v, -1) {
			continue
		}
		b := math.Float64bits(v + 0)
		i := b * 0x9e3779b97f4a7c15 >> s.shift
		for s.mark[i] == s.round && s.bits[i] != b {
			i = (i + 1) & uint64(len(s.mark)-1)
		}
		if s.mark[i] == s.round {
			return true
		}
		s.mark[i], s.bits[i] = s.round, b
	}
	return false
}
