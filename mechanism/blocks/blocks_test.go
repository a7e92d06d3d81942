package blocks

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
)

// marks are letters at places, on a line or a circle.
type marks struct {
	at     []uint64
	around uint64
}

func (o marks) Inputs() int  { return len(o.at) }
func (o marks) Outputs() int { return len(o.at) }

func (o marks) Value(x, y int) float64 {
	d := max(o.at[x], o.at[y]) - min(o.at[x], o.at[y])
	if o.around > 0 {
		d = min(d, o.around-d)
	}
	return -float64(d)
}

func (o marks) Row(x int, rank []uint16, value []float64) {
	if value == nil {
		value = make([]float64, len(o.at))
	}
	for y := range value {
		value[y] = o.Value(x, y)
	}
	if rank != nil {
		mechanism.Rank(value, rank)
	}
}

func (o marks) Rank(x, y int) int {
	rank := make([]uint16, len(o.at))
	o.Row(x, rank, nil)
	return int(rank[y])
}

func (o marks) Best(int, int) []uint16       { panic("not asked") }
func (o marks) Within(int, float64) []uint16 { panic("not asked") }
func (o marks) Coordinates(x int) []float64  { return []float64{float64(o.at[x])} }
func (o marks) Places() (in, out []uint64, around uint64, scale float64) {
	return o.at, o.at, o.around, 1
}

func (o marks) Along() []uint16 {
	all := make([]uint16, len(o.at))
	for y := range all {
		all[y] = uint16(y)
	}
	slices.SortStableFunc(all, func(y, z uint16) int { return cmp.Compare(o.at[y], o.at[z]) })
	return all
}

func (o marks) Worst(x int, of []uint16) int {
	return int(slices.MinFunc(of, func(y, z uint16) int {
		return cmp.Or(cmp.Compare(o.Value(x, int(y)), o.Value(x, int(z))), int(y)-int(z))
	}))
}

// worst is how bad the worst replacement of m is.
func worst(m *mechanism.Mechanism, p *Problem) float64 {
	rank, value := m.Floor(p.Order)
	if p.ByValue {
		return -value
	}
	return float64(p.Order.Outputs() - rank)
}

// brute is the least of any partition into sets of the letters in an order: the first cut
// is before the first of them, or anywhere around a circle.
func brute(t *testing.T, p *Problem, in []int, turns int) (best float64, mean float64) {
	t.Helper()
	best, mean = math.Inf(1), math.Inf(-1)
	n := len(in)
	for turn := range turns {
		order := append(slices.Clone(in[turn:]), in[:turn]...)
		for cuts := range 1 << (n - 1) {
			parts := [][]int{{order[0]}}
			for i := 1; i < n; i++ {
				if cuts>>(i-1)&1 == 1 {
					parts = append(parts, nil)
				}
				parts[len(parts)-1] = append(parts[len(parts)-1], order[i])
			}
			s := &search{Problem: *p, output: p.Stands}
			m := s.mechanism(parts)
			if m.Factor(p.Prior).Cmp(p.Factor) > 0 {
				continue
			}
			bad, u := worst(m, p), m.ExpectedUtility(p.Prior, p.Order)
			if bad < best || bad == best && u > mean {
				best, mean = bad, u
			}
		}
	}
	return best, mean
}

// On lines and circles no partition into intervals is better, and of those of the same
// worst replacement none has a better mean.
func TestLinesAreBest(t *testing.T) {
	for seed := range uint64(120) {
		r := rand.New(rand.NewPCG(seed, 51))
		n := 2 + r.IntN(8)
		o := marks{at: make([]uint64, n)}
		count, own := make([]int64, n), make([]int, n)
		for x := range count {
			o.at[x] = 100 + uint64(r.IntN(40))
			count[x], own[x] = 1+r.Int64N(1+int64(seed%30)), x
		}
		turns := 1
		if seed%3 == 2 {
			o.around, turns = 100, n
		}
		p := &Problem{Order: o, Stands: own, Prior: priorOf(count...), Factor: big.NewRat(1+r.Int64N(6), 1),
			ByValue: seed%2 == 0}
		var along []int
		for _, y := range o.Along() {
			along = append(along, int(y))
		}
		bad, mean := brute(t, p, along, turns)
		m := Part(*p)
		if m == nil {
			t.Fatalf("seed %d: nothing was found", seed)
		}
		keeps(t, fmt.Sprint("seed ", seed), m, p)
		if is := worst(m, p); is > bad && (o.around == 0 || turns == 1) || is > 2*bad {
			t.Errorf("seed %d: worst %v, and %v can be had", seed, is, bad)
		} else if u := m.ExpectedUtility(p.Prior, o); is == bad && u < mean-1e-9 && o.around == 0 {
			t.Errorf("seed %d: mean %v, and %v can be had", seed, u, mean)
		}
	}
}

// keeps fails on a mechanism beyond the factor, or that shifts a share.
func keeps(t *testing.T, what string, m *mechanism.Mechanism, p *Problem) {
	t.Helper()
	if f := m.Factor(append([]mechanism.Prior{p.Prior}, p.Also...)...); f.Cmp(p.Factor) > 0 {
		t.Fatalf("%s: factor %v, and %v is the most", what, f, p.Factor)
	}
	if d := m.Shares(p.Prior, p.Stands).Shift; d.Sign() != 0 {
		t.Fatalf("%s: shift %v", what, d)
	}
}

// Merging comes close to the best of all partitions of few letters, with letters that may
// not stand for one another, without records, or that no output stands for.
func TestMergingIsNearTheBest(t *testing.T) {
	found, best := 0, 0
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 52))
		const n = 6
		count, own, value := make([]int64, n), make([]int, n), make([][]float64, n)
		for x := range value {
			own[x], count[x] = x, r.Int64N(5)*r.Int64N(9)
			value[x] = make([]float64, n)
			for y := range n {
				if value[x][y] = -float64(r.IntN(9)); seed%4 == 1 && value[x][y] < -7 {
					value[x][y] = math.Inf(-1)
				}
			}
			value[x][x] = 0
		}
		if count[0]++; seed%5 == 3 {
			own[5] = -1
		}
		o, err := mechanism.NewMatrix(value)
		if err != nil {
			t.Fatal(err)
		}
		p := &Problem{Order: o, Stands: own, Prior: priorOf(count...), Factor: big.NewRat(2+r.Int64N(5), 1),
			ByValue: seed%2 == 0}
		least := math.Inf(1)
		assign(n, func(of []int) {
			parts := make([][]int, n)
			for x, b := range of {
				if count[x] > 0 {
					parts[b] = append(parts[b], x)
				}
			}
			parts = slices.DeleteFunc(parts, func(b []int) bool { return b == nil })
			s := &search{Problem: *p, output: own}
			m := s.mechanism(parts)
			if m == nil || m.Factor(p.Prior).Cmp(p.Factor) > 0 {
				return
			}
			if _, v := m.Floor(o); !math.IsInf(v, -1) {
				least = min(least, worst(m, p))
			}
		})
		m := Part(*p)
		if m == nil {
			continue
		}
		if found++; own[5] == 5 {
			keeps(t, fmt.Sprint("seed ", seed), m, p)
		}
		if is := worst(m, p); is < least {
			t.Errorf("seed %d: worst %v, and no partition is below %v", seed, is, least)
		} else if is == least {
			best++
		}
	}
	if found < 50 || best < found-3 {
		t.Errorf("%d of 60 found, %d of them as good as there is", found, best)
	}
}

// assign visits every way to give n letters to blocks.
func assign(n int, visit func(of []int)) {
	of := make([]int, n)
	var next func(i, blocks int)
	next = func(i, blocks int) {
		if i == n {
			visit(of)
			return
		}
		for b := range blocks + 1 {
			of[i] = b
			next(i+1, max(blocks, b+1))
		}
	}
	next(0, 0)
}

// cloud is places of a plane without a table.
type cloud struct {
	marks
	xy [][]float64
}

func (o cloud) Coordinates(x int) []float64 { return o.xy[x] }

// Cuts of the plane keep the factor and shares, under several priors, too, and the blocks
// are far smaller than all.
func TestPlane(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 53))
	const n = 3000
	o := cloud{marks{at: make([]uint64, n)}, make([][]float64, n)}
	count, other, own := make([]int64, n), make([]int64, n), make([]int, n)
	for x := range count {
		own[x], count[x], other[x] = x, 1+int64(r.ExpFloat64()*100), 1+r.Int64N(100)
		o.xy[x] = []float64{r.NormFloat64(), 2 * r.NormFloat64()}
	}
	p := &Problem{Order: o, Stands: own, Prior: priorOf(count...), Also: []mechanism.Prior{priorOf(other...)},
		Factor: big.NewRat(20, 1)}
	s := &search{Problem: *p, output: own, item: own, prior: append([]mechanism.Prior{p.Prior}, p.Also...)}
	for _, q := range s.prior {
		s.need = append(s.need, (q.Total()+19)/20)
	}
	parts := s.plane(o)
	keeps(t, "plane", s.mechanism(parts), p)
	f := &field{search: s, order: o}
	if all := f.measured(own); len(parts) < 14 {
		t.Errorf("%d blocks", len(parts))
	} else {
		for _, part := range parts {
			if c := f.measured(part); wide(c.low, c.high) > wide(all.low, all.high)/2 {
				t.Errorf("a block is %v wide of %v", wide(c.low, c.high), wide(all.low, all.high))
			}
		}
	}
}

func priorOf(count ...int64) mechanism.Prior {
	p, err := mechanism.NewPrior(count)
	if err != nil {
		panic(err)
	}
	return p
}
