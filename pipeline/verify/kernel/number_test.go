package kernel

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
)

// TestNats: the logarithm that the designer rounds up is taken, the float below it is not,
// and neither is one above the slack.
func TestNats(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 2000 {
		d := 1 + rng.Int64N(1<<uint(1+rng.IntN(60)))
		f := big.NewRat(d+rng.Int64N(1+d>>uint(rng.IntN(50))), d)
		v := mechanism.Nats(f)
		if !IsNats(v, f) {
			t.Errorf("%v is refused as the logarithm of %v", v, f)
		}
		if IsNats(math.Nextafter(v, -1), f) || IsNats(v+2e-9, f) || IsNats(math.NaN(), f) || IsNats(math.Inf(1), f) {
			t.Errorf("something else than %v is taken as the logarithm of %v", v, f)
		}
	}
}

// TestTargets: thresholds log(n/k) are admitted as fractions and refused as the decimals
// just below them.
func TestTargets(t *testing.T) {
	for n := int64(2); n <= 60; n++ {
		for k := int64(1); k < n; k++ {
			f := big.NewRat(n, k)
			e, ok := ParseTarget(fmt.Sprintf("log(%d/%d)", n, k))
			if !ok || !e.Admits(f) || e.Admits(new(big.Rat).Add(f, big.NewRat(1, 1e18))) {
				t.Fatalf("log(%d/%d)", n, k)
			}
			for by, want := range map[float64]bool{1e-15: true, -1e-15: false} {
				d, ok := ParseTarget(fmt.Sprintf("%.17f", mechanism.Nats(f)+by))
				if !ok || d.Admits(f) != want {
					t.Fatalf("log %v and %v", f, by)
				}
			}
		}
	}
	for _, bad := range []string{"", "-1", "+1", "0x1p3", "1/3", "inf", "NaN", "1e99999", "log(1/2)", "log()", "log(7/0)",
		"log(7", "1_0", " 1", "1.2.3"} {
		if _, ok := ParseTarget(bad); ok {
			t.Errorf("%q is taken", bad)
		}
	}
	if e, ok := ParseTarget("0"); !ok || !e.Admits(one) || e.Admits(big.NewRat(1e9+1, 1e9)) {
		t.Error("0")
	}
}

func TestShares(t *testing.T) {
	for text, want := range map[string]string{"10%": "1/10", "0.1": "1/10", ".5": "1/2", "1/3": "1/3", "7": "7", "1/0": "",
		"-1": "", "1e3": "", "%": "", "": ""} {
		got, ok := Share(text)
		if ok != (want != "") || ok && got.RatString() != want {
			t.Errorf("%q is %v", text, got)
		}
	}
	two := big.NewInt(2)
	if got, ok := scaled([]int64{3, 0}, two, big.NewInt(1), big.NewInt(1), 46); !ok || !slices.Equal(got, []int64{7, 1}) {
		t.Errorf("%v", got)
	}
	if got, ok := scaled([]int64{1 << 46}, two, big.NewInt(1), big.NewInt(1), 46); ok {
		t.Errorf("%v", got)
	}
}
