package kernel

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
	"github.com/tacet-privacy/tacet/pipeline/verify/kernel/files"
)

// randomRows are n letters over m outputs, some of which share a row.
func randomRows(rng *rand.Rand, n, m, size int) (rows []Row) {
	for x := range n {
		r := Row{}
		for y := range m {
			if w := rng.IntN(size); w%3 > 0 || y == x%m {
				r.Output, r.Weight, r.Total = append(r.Output, int32(y)), append(r.Weight, int64(w+1)), r.Total+int64(w+1)
			}
		}
		if x > 0 && rng.IntN(4) == 0 {
			r = rows[x-1]
		}
		rows = append(rows, r)
	}
	return rows
}

func labels(n int) (all []files.Label) {
	for i := range n {
		all = append(all, files.Label{Text: fmt.Sprint(i)})
	}
	return all
}

// TestFactorsAndShift compares factors and shift with their definitions, of one group and of
// several, which share their rows or not.
func TestFactorsAndShift(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for trial := range 400 {
		n, m := 1+rng.IntN(5), 1+rng.IntN(5)
		var all []crowd
		total, held := int64(0), make([]int64, n)
		for range 1 + trial%3 {
			c := crowd{randomRows(rng, n, m, []int{4, 1 << 50}[trial%2]), make([]int64, n)}
			if len(all) > 0 && rng.IntN(2) == 0 {
				c.rows = all[0].rows
			}
			for x := range c.count {
				c.count[x] = int64(rng.IntN(3)) * rng.Int64N(1<<30)
				total, held[x] = total+c.count[x], held[x]+c.count[x]
			}
			all = append(all, c)
		}
		chance := func(x, y int) *big.Rat {
			p := new(big.Rat)
			for _, c := range all {
				if c.count[x] > 0 {
					q := big.NewRat(c.rows[x].Of(int32(y)), c.rows[x].Total)
					p.Add(p, q.Mul(q, big.NewRat(c.count[x], held[x])))
				}
			}
			return p
		}
		law, largest := make([]*big.Rat, m), one
		for y := range m {
			law[y] = new(big.Rat)
			peak := new(big.Rat)
			for x := range n {
				if held[x] > 0 {
					p := chance(x, y)
					law[y].Add(law[y], new(big.Rat).Mul(p, big.NewRat(held[x], total)))
					peak = larger(peak, p)
				}
			}
			if law[y].Sign() > 0 {
				largest = larger(largest, peak.Quo(peak, law[y]))
			}
		}
		if got := factor(all, m); got.Cmp(largest) != 0 {
			t.Fatalf("trial %d: %v, want %v", trial, got, largest)
		}
		if total == 0 {
			continue
		}
		p := &proof{Release: &Release{Plan: &Plan{Inputs: labels(n), Outputs: labels(m)}}}
		most := new(big.Rat) // over all sets of values
		for set := range 1 << max(n, m) {
			off := new(big.Rat)
			for v := range max(n, m) {
				if set>>v&1 == 0 {
					continue
				}
				if v < m {
					off.Add(off, law[v])
				}
				if v < n {
					off.Sub(off, big.NewRat(held[v], total))
				}
			}
			most = larger(most, off)
		}
		if d := p.shiftOf(all...); d.Cmp(most) != 0 {
			t.Fatalf("trial %d: shift %v, want %v", trial, d, most)
		}
	}
}

// TestCertificates: weights that the designer found prove its bound and not a bit more, over
// random priors and supports, letters without records among them.
func TestCertificates(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	weighted := 0
	for trial := range 300 {
		n, m := 2+rng.IntN(7), 2+rng.IntN(7)
		p := &proof{Release: &Release{Plan: &Plan{Inputs: labels(n), Outputs: labels(m)}}, Result: &Result{},
			Facts: &Facts{Allow: NewSupport(n, m)}}
		s, count := mechanism.NewSupport(n, m), []int64{}
		for x := range n {
			c := int64(rng.IntN(20))
			if rng.IntN(8) == 0 {
				c = 1e9
			}
			count = append(count, c)
			for y := range m {
				if rng.IntN(3) == 0 || y == x%m {
					p.Allow.Allow(x, y)
					s.Allow(x, y)
				}
			}
		}
		if sum(count) == 0 {
			continue
		}
		prior, err := mechanism.NewPrior(count)
		if err != nil {
			t.Fatal(err)
		}
		_, c, err := optimum.Least(t.Context(), prior, s, optimum.Options{})
		if err != nil {
			t.Fatal(err)
		}
		k := &p.Plan.Certificate
		for _, w := range c.Weight {
			k.Pi = append(k.Pi, fmt.Sprint(w))
		}
		alone, mass := one, p.massOf(count) // what a single letter proves
		for x, c := range count {
			var least *big.Rat
			for y := range m {
				f := big.NewRat(sum(count), max(1, mass[y]))
				if p.Allow.Has(x, y) && (least == nil || f.Cmp(least) < 0) {
					least = f
				}
			}
			if c > 0 {
				alone = larger(alone, least)
			}
		}
		beyond := new(big.Rat).Mul(alone, big.NewRat(1e15+1, 1e15))
		if alone.Cmp(one) > 0 && (!p.single(alone, count) || p.single(beyond, count)) {
			t.Errorf("trial %d: single letters do not prove %s", trial, alone.RatString())
		}
		if c.Weight != nil && c.Lower.Cmp(alone) > 0 {
			weighted++
		}
		more := new(big.Rat).Mul(c.Lower, big.NewRat(1e15+1, 1e15))
		for bound, want := range map[*big.Rat]Outcome{c.Lower: Passed, more: Failed} {
			if bound == more && more.Cmp(alone) <= 0 {
				continue
			}
			k.Lower, k.Upper = bound.RatString(), bound.RatString()
			p.certificate(count, count)
			if got := p.Checks[len(p.Checks)-1]; got.Outcome != want {
				t.Errorf("trial %d: bound %s: %v, want %v: %s", trial, bound.RatString(), got.Outcome, want, got.Detail)
			}
		}
	}
	if weighted < 20 {
		t.Errorf("only %d trials needed weights", weighted)
	}
}

// TestCertificateTrap: weights proportional to the prior meet the sum of weights with
// equality at every factor, and prove none. Equality proves a bound where no output allows
// more of the densest letters.
func TestCertificateTrap(t *testing.T) {
	p := &proof{Release: &Release{Plan: &Plan{Inputs: labels(3), Outputs: labels(2)}},
		Facts: &Facts{Allow: NewSupport(3, 2)}}
	count := []int64{5, 3, 2}
	for x := range 3 {
		p.Allow.Allow(x, 0)
	}
	p.Allow.Allow(0, 1)
	for _, bound := range []int64{2, 3, 100} {
		if !p.unproven(count, count, big.NewRat(bound, 1)) {
			t.Errorf("factor %d is called proven: everything goes to the first output at factor 1", bound)
		}
	}
	p.Allow = NewSupport(3, 2)
	p.Allow.Allow(0, 0)
	p.Allow.Allow(0, 1)
	if p.unproven([]int64{10, 0, 0}, count, big.NewRat(2, 1)) {
		t.Error("one letter at its own 1/P proves nothing")
	}
	p.Plan.Certificate.Pi = []string{"0", "1", "0"}
	if _, why := p.weights([]int64{5, 0, 2}); why == "" {
		t.Error("a letter without records has a weight")
	}
}

// TestJointFactor compares the search with every combination of outputs written out in
// fractions, on random tables of two or three columns.
func TestJointFactor(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 5))
	alike := 0
	for trial := range 600 {
		k := &kind{}
		for range 2 + rng.IntN(2) {
			column := randomRows(rng, 1+rng.IntN(3), 1+rng.IntN(3), []int{16, 1 << 40}[trial%2])
			if first := column[0].Output[0]; rng.IntN(4) > 0 { // an output that is a multiple of another
				for x, r := range column {
					if w := 3 * r.Of(first); w > 0 {
						column[x] = Row{Output: append(slices.Clone(r.Output), 3), Weight: append(slices.Clone(r.Weight), w),
							Total: r.Total + w}
					}
				}
				alike++
			}
			k.rows = append(k.rows, column)
		}
		var each func(sizes []int, so []int32, f func([]int32))
		each = func(sizes []int, so []int32, f func([]int32)) {
			if len(so) == len(sizes) {
				f(slices.Clone(so))
				return
			}
			for i := range sizes[len(so)] {
				each(sizes, append(so, int32(i)), f)
			}
		}
		var letters, outputs []int
		for _, c := range k.rows {
			letters, outputs = append(letters, len(c)), append(outputs, 4)
		}
		each(letters, nil, func(x []int32) {
			c := peers{letter: x, count: 1 + rng.Int64N(9)}
			k.list, k.records = append(k.list, c), k.records+c.count
		})
		want := one
		each(outputs, nil, func(y []int32) {
			top, over := new(big.Rat), new(big.Rat)
			for _, c := range k.list {
				p := big.NewRat(1, 1)
				for i, x := range c.letter {
					p.Mul(p, big.NewRat(k.rows[i][x].Of(y[i]), k.rows[i][x].Total))
				}
				top = larger(top, p)
				over.Add(over, new(big.Rat).Mul(p, big.NewRat(c.count, 1)))
			}
			if over.Sign() > 0 {
				want = larger(want, top.Mul(big.NewRat(k.records, 1), new(big.Rat).Quo(top, over)))
			}
		})
		if got := k.factor(); got == nil || got.Cmp(want) != 0 {
			t.Fatalf("trial %d: %v, want %v", trial, got, want)
		}
	}
	if alike < 300 {
		t.Errorf("only %d columns have an output that is a multiple of another", alike)
	}
}
