package verify

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
	"github.com/tacet-privacy/tacet/pipeline/verify/cells"
)

// TestCertificates: weights that the designer found prove its bound and not a
// bit more, over random priors and supports, letters without records among
// them.
func TestCertificates(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	weighted := 0
	for trial := range 300 {
		n, m := 2+rng.IntN(7), 2+rng.IntN(7)
		v := &verifier{report: &reportFile{}, plan: &planFile{}, allow: newSupport(n, m)}
		s := mechanism.NewSupport(n, m)
		for x := range n {
			c := int64(rng.IntN(20))
			if rng.IntN(8) == 0 {
				c = 1e9
			}
			v.count, v.total = append(v.count, c), v.total+c
			v.plan.Inputs = append(v.plan.Inputs, cells.Label{Text: fmt.Sprint(x)})
			for y := range m {
				if rng.IntN(3) == 0 || y == x%m {
					v.allow.allow(x, y)
					s.Allow(x, y)
				}
			}
		}
		v.plan.Outputs = make([]cells.Label, m)
		p, err := mechanism.NewPrior(v.count)
		must(t, err)
		if v.total == 0 {
			continue
		}
		_, c, err := optimum.Least(context.Background(), p, s, optimum.LeastOptions{})
		must(t, err)
		for _, k := range c.Weight {
			v.plan.Certificate.Pi = append(v.plan.Certificate.Pi, fmt.Sprint(k))
		}
		more := new(big.Rat).Mul(c.Lower, big.NewRat(1e15+1, 1e15))
		for bound, want := range map[*big.Rat]Outcome{c.Lower: Passed, more: Failed} {
			if bound == more && c.Lower.Cmp(v.letterBound(v.mass())) < 0 {
				continue
			}
			v.Checks = nil
			v.plan.Certificate.Lower, v.plan.Certificate.Upper = bound.RatString(), bound.RatString()
			v.checkCertificate()
			if got := v.Checks[len(v.Checks)-1]; got.Outcome != want {
				t.Errorf("trial %d: bound %s: %v, want %v: %s", trial, bound.RatString(), got.Outcome, want, got.Detail)
			}
		}
		if c.Weight != nil && c.Lower.Cmp(v.letterBound(v.mass())) > 0 {
			weighted++
		}
	}
	if weighted < 20 {
		t.Errorf("only %d trials needed weights", weighted)
	}
}

// TestCertificateTrap: weights proportional to the prior meet the sum of
// weights with equality at every factor, and prove none.
func TestCertificateTrap(t *testing.T) {
	v := &verifier{report: &reportFile{}, plan: &planFile{}, allow: newSupport(3, 2), count: []int64{5, 3, 2}, total: 10}
	for x := range 3 {
		v.allow.allow(x, 0)
	}
	v.allow.allow(0, 1)
	v.plan.Outputs, v.plan.Inputs = make([]cells.Label, 2), make([]cells.Label, 3)
	mass := v.mass()
	for _, bound := range []int64{2, 3, 100} {
		if y := v.unproven([]int64{5, 3, 2}, mass, big.NewRat(bound, 1)); y != 0 {
			t.Errorf("factor %d: output %d, want 0: everything goes to the first output at factor 1", bound, y)
		}
	}
	// Equality that is allowed: output 0 is dead below 1, and the densest letter
	// of output 1 alone reaches the sum at its own 1/P.
	if y := v.unproven([]int64{10, 0, 0}, []int64{5, 5}, big.NewRat(2, 1)); y >= 0 {
		t.Errorf("output %d", y)
	}
	v.plan.Certificate.Lower, v.plan.Certificate.Upper, v.plan.Certificate.Pi = "2", "2", []string{"0", "1", "0"}
	v.count[1], v.total = 0, 7
	if _, why := v.weights(); why == "" {
		t.Error("a letter without records has a weight")
	}
}

// TestFactors compares with sums of fractions, term by term.
func TestFactors(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		n, m := 1+rng.IntN(6), 1+rng.IntN(5)
		rows, count, total := make([]row, n), make([]int64, n), int64(0)
		for x := range rows {
			count[x] = int64(rng.IntN(3)) * rng.Int64N(1<<40)
			total += count[x]
			for y := range m {
				if w := rng.Int64N(1<<uint(1+rng.IntN(58))) - 1; w > 0 {
					rows[x].output, rows[x].weight, rows[x].total = append(rows[x].output, int32(y)), append(rows[x].weight, w), rows[x].total+w
				}
			}
			if rows[x].total == 0 {
				rows[x] = row{[]int32{0}, []int64{1}, 1}
			}
		}
		got := factors(rows, count, total, m)
		for y := range m {
			sum, peak := new(big.Rat), new(big.Rat)
			for x, r := range rows {
				for i, o := range r.output {
					if p := big.NewRat(r.weight[i], r.total); int(o) == y && count[x] > 0 {
						sum.Add(sum, new(big.Rat).Mul(p, big.NewRat(count[x], total)))
						if p.Cmp(peak) > 0 {
							peak = p
						}
					}
				}
			}
			if sum.Sign() == 0 {
				if got[y] != nil {
					t.Errorf("an output that never occurs has the factor %v", got[y])
				}
				continue
			}
			if want := peak.Quo(peak, sum); got[y] == nil || got[y].Cmp(want) != 0 {
				t.Errorf("%v, want %v", got[y], want)
			}
		}
	}
}

// TestNats: the logarithm that the designer rounds up is taken, the float
// below it is not, and neither is one above the slack.
func TestNats(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 2000 {
		d := 1 + rng.Int64N(1<<uint(1+rng.IntN(60)))
		f := big.NewRat(d+rng.Int64N(1+d>>uint(rng.IntN(50))), d)
		v := mechanism.Nats(f)
		if !natsOf(v, f) {
			t.Errorf("%v is refused as the logarithm of %v", v, f)
		}
		if natsOf(math.Nextafter(v, -1), f) || natsOf(v+2e-9, f) || natsOf(math.NaN(), f) || natsOf(math.Inf(1), f) {
			t.Errorf("something else than %v is taken as the logarithm of %v", v, f)
		}
	}
}

// TestTargets: thresholds log(n/k) are admitted as fractions and refused as
// the decimals just below them.
func TestTargets(t *testing.T) {
	for n := int64(2); n <= 60; n++ {
		for k := int64(1); k < n; k++ {
			f := big.NewRat(n, k)
			e, ok := parseTarget(fmt.Sprintf("log(%d/%d)", n, k))
			if !ok || !e.admits(f) || e.admits(new(big.Rat).Add(f, big.NewRat(1, 1e18))) {
				t.Fatalf("log(%d/%d)", n, k)
			}
			up := mechanism.Nats(f)
			e, ok = parseTarget(fmt.Sprintf("%.17f", up+1e-15))
			if !ok || !e.admits(f) {
				t.Fatalf("%v does not admit %v", up, f)
			}
			e, ok = parseTarget(fmt.Sprintf("%.17f", up-1e-15))
			if !ok || e.admits(f) {
				t.Fatalf("%v admits %v", up-1e-15, f)
			}
		}
	}
	for _, bad := range []string{"", "-1", "+1", "0x1p3", "1/3", "inf", "NaN", "1e99999", "log(1/2)", "log()", "log(7/0)", "log(7", "1_0", " 1", "1.2.3"} {
		if _, ok := parseTarget(bad); ok {
			t.Errorf("%q is taken", bad)
		}
	}
	if e, ok := parseTarget("0"); !ok || !e.admits(one) || e.admits(big.NewRat(1e9+1, 1e9)) {
		t.Error("0")
	}
}

// TestFitSums: rows that are each a little off are found together, one that
// is far off alone, and a record that the law excludes always.
func TestFitSums(t *testing.T) {
	slight, far, exact := []int64{5_150, 4_850}, []int64{5_500, 4_500}, []int64{5_000, 5_000}
	for _, c := range []struct {
		name  string
		rows  int // negative: all others are exact
		seen  []int64
		other int64
		want  bool
	}{
		{"exact", 300, exact, 0, true}, {"one slightly off", 1, slight, 0, true}, {"all slightly off", 300, slight, 0, false},
		{"one far off", 1, far, 0, false}, {"one far off among many", -300, far, 0, false}, {"one excluded", 1, exact, 1, false},
	} {
		f := &fit{}
		if c.rows < 0 {
			for range -c.rows - 1 {
				f.row([]float64{5_000, 5_000}, exact, 0)
			}
			c.rows = 1
		}
		for range c.rows {
			f.row([]float64{5_000, 5_000}, c.seen, c.other)
		}
		if f.accepted() != c.want {
			t.Errorf("%s: accepted %v, T = %v, row bound %v", c.name, f.accepted(), f.sum, f.rowTail)
		}
	}
}
