package exact

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
)

// TestFactors compares with sums of fractions, term by term.
func TestFactors(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		n, m := 1+rng.IntN(6), 1+rng.IntN(5)
		rows, count, total := make([]Row, n), make([]int64, n), int64(0)
		for x := range rows {
			count[x] = int64(rng.IntN(3)) * rng.Int64N(1<<40)
			total += count[x]
			for y := range m {
				if w := rng.Int64N(1<<uint(1+rng.IntN(58))) - 1; w > 0 {
					rows[x].Output, rows[x].Weight, rows[x].Total = append(rows[x].Output, int32(y)), append(rows[x].Weight, w),
						rows[x].Total+w
				}
			}
			if rows[x].Total == 0 {
				rows[x] = Row{Output: []int32{0}, Weight: []int64{1}, Total: 1}
			}
		}
		got := Factors(rows, count, total, m)
		for y := range m {
			sum, peak := new(big.Rat), new(big.Rat)
			for x, r := range rows {
				for i, o := range r.Output {
					if p := big.NewRat(r.Weight[i], r.Total); int(o) == y && count[x] > 0 {
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
		if !Nats(v, f) {
			t.Errorf("%v is refused as the logarithm of %v", v, f)
		}
		if Nats(math.Nextafter(v, -1), f) || Nats(v+2e-9, f) || Nats(math.NaN(), f) || Nats(math.Inf(1), f) {
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
			e, ok := ParseTarget(fmt.Sprintf("log(%d/%d)", n, k))
			if !ok || !e.Admits(f) || e.Admits(new(big.Rat).Add(f, big.NewRat(1, 1e18))) {
				t.Fatalf("log(%d/%d)", n, k)
			}
			up := mechanism.Nats(f)
			e, ok = ParseTarget(fmt.Sprintf("%.17f", up+1e-15))
			if !ok || !e.Admits(f) {
				t.Fatalf("%v does not admit %v", up, f)
			}
			e, ok = ParseTarget(fmt.Sprintf("%.17f", up-1e-15))
			if !ok || e.Admits(f) {
				t.Fatalf("%v admits %v", up-1e-15, f)
			}
		}
	}
	for _, bad := range []string{"", "-1", "+1", "0x1p3", "1/3", "inf", "NaN", "1e99999", "log(1/2)", "log()", "log(7/0)",
		"log(7", "1_0", " 1", "1.2.3"} {
		if _, ok := ParseTarget(bad); ok {
			t.Errorf("%q is taken", bad)
		}
	}
	if e, ok := ParseTarget("0"); !ok || !e.Admits(One) || e.Admits(big.NewRat(1e9+1, 1e9)) {
		t.Error("0")
	}
}
