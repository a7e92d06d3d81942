package mechanism

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"
)

func mustEpsilon(t *testing.T, s string) Epsilon {
	t.Helper()
	e, err := ParseEpsilon(s)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestParseEpsilon(t *testing.T) {
	for _, s := range []string{"0", "0.85", "4", "1e-3", "1E+2", ".5", "5.", "log(7/3)", "log(7)", "log(2.5)", "log(1)",
		"1e-1000"} {
		if e := mustEpsilon(t, s); e.String() != s {
			t.Errorf("%q prints as %q", s, e)
		}
	}
	for s, want := range map[string]float64{"2e1": 20, "1.5e2": 150, "1.25e1": 12.5, "12.5e-1": 1.25, ".5e0": .5,
		"7": 7} {
		if v := mustEpsilon(t, s).Nats(); v != want {
			t.Errorf("%s is %v", s, v)
		}
	}
	for s, want := range map[string]string{
		"":                       "empty",
		"-1":                     "negative",
		"-0":                     "negative",
		"NaN":                    "finite",
		"Inf":                    "finite",
		"-inf":                   "finite",
		"1e1000000000":           "exponent",
		"1e":                     "exponent",
		"1e+-3":                  "exponent",
		"1e9":                    "10000 nats",
		"10000.1":                "10000 nats",
		"0x1p3":                  "decimal",
		"1_0":                    "decimal",
		"7/3":                    "decimal",
		".":                      "decimal",
		" 1":                     "decimal",
		"ln(3)":                  "decimal",
		"log(7/3":                "closing",
		"log(3/7)":               "below 1",
		"log(7/0)":               "denominator",
		"log(-7/3)":              "negative",
		"log()":                  "empty",
		"log(7//3)":              "fraction",
		"log(7/-3)":              "fraction",
		"log(1e9999)":            "exponent",
		"log(Infinity)":          "finite",
		strings.Repeat("1", 101): "longer",
	} {
		if _, err := ParseEpsilon(s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one about %q", s, err, want)
		}
	}
}

func TestParseFactor(t *testing.T) {
	for s, want := range map[string]string{"7/3": "log(7/3)", "7": "log(7)", "2.5": "log(2.5)", "1": "log(1)"} {
		e, err := ParseFactor(s)
		if err != nil || e.String() != want || !e.Exact() {
			t.Errorf("%q: %v, %v", s, e, err)
		}
		if back := mustEpsilon(t, e.String()); back.Factor().Cmp(e.Factor()) != 0 {
			t.Errorf("%q does not read back", s)
		}
	}
	for _, s := range []string{"", "0", "0.99", "2/3", "-7/3", "7/0", "NaN", "log(7)"} {
		if _, err := ParseFactor(s); err == nil {
			t.Errorf("%q: no error", s)
		}
	}
}

// THEORY trap 7: floats decide 634 of these wrongly; exact numbers none.
func TestAdmitsThresholds(t *testing.T) {
	cases := 0
	for n := int64(2); n <= 60; n++ {
		for k := int64(1); k < n; k++ {
			cases++
			f := big.NewRat(n, k)
			if e := mustEpsilon(t, fmt.Sprintf("log(%d/%d)", n, k)); !e.Admits(f) {
				t.Fatalf("log(%d/%d) refuses its own factor", n, k)
			}
			// The decimals next to the logarithm, 17 digits after the point.
			digits := new(big.Float).SetPrec(200)
			lo, _ := logEnclosure(f, 200)
			digits.Mul(lo, big.NewFloat(1e17))
			below, _ := digits.Int(nil)
			above := new(big.Int).Add(below, big.NewInt(1))
			if mustEpsilon(t, below.String()+"e-17").Admits(f) || !mustEpsilon(t, above.String()+"e-17").Admits(f) {
				t.Fatalf("decimals beside log(%d/%d) are decided wrongly", n, k)
			}
		}
	}
	if cases != 1770 {
		t.Fatalf("%d thresholds", cases)
	}
}

func TestAdmits(t *testing.T) {
	third := big.NewRat(7, 3)
	for s, want := range map[string]bool{"log(7/3)": true, "0.8472978603872036": false, "0.8472978603872037": true,
		"0.85": true, "0.84": false} {
		if mustEpsilon(t, s).Admits(third) != want {
			t.Errorf("%s admits 7/3: %v", s, !want)
		}
	}
	huge := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(4000), nil))
	if !mustEpsilon(t, "10000").Admits(huge) || mustEpsilon(t, "9000").Admits(huge) {
		t.Error("10^4000 is e^9210.3")
	}
	tiny := mustEpsilon(t, "1e-1000")
	if !tiny.Admits(one) || tiny.Admits(big.NewRat(1<<60+1, 1<<60)) {
		t.Error("1e-1000 admits 1 and nothing typical above")
	}
	if !tiny.Admits(tiny.Factor()) {
		t.Error("epsilon refuses its factor rounded down")
	}
	if !(Epsilon{}).Admits(one) || (Epsilon{}).Admits(third) || (Epsilon{}).String() != "0" {
		t.Error("the zero epsilon is 0 nats")
	}
}

// TestWithin compares epsilons where floats, and factors rounded down, see no difference.
func TestWithin(t *testing.T) {
	e := "2.718281828459045235360287471352662497757247093699959574966967627"
	for _, c := range []struct {
		e, most string
		want    bool
	}{
		{"1", "log(" + e + ")", false}, {"1", "log(" + e + "8)", true}, {"log(" + e + ")", "1", true},
		{"log(" + e + "8)", "1", false}, {"1.0000000000000000000000001", "1", false}, {"1", "1.0000000000000000000000001", true},
		{"0", "0", true}, {"0", "log(1)", true}, {"log(1)", "0", true}, {"0.001", "log(1)", false}, {"log(7/3)", "log(7/3)", true},
	} {
		a, err := ParseEpsilon(c.e)
		if err != nil {
			t.Fatal(err)
		}
		most, err := ParseEpsilon(c.most)
		if err != nil {
			t.Fatal(err)
		}
		if a.Within(most) != c.want {
			t.Errorf("%s within %s: %v", c.e, c.most, !c.want)
		}
	}
}

func TestFactorRoundsDown(t *testing.T) {
	for _, s := range []string{"1e-30", "1e-13", "1e-12", "0.001", "0.5", "1", "4", "43", "700", "10000"} {
		e := mustEpsilon(t, s)
		f := e.Factor()
		if !e.Admits(f) {
			t.Errorf("e^%s is not rounded down", s)
		}
		up := new(big.Rat).Mul(f, new(big.Rat).Add(one,
			new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 64))))
		if e.Admits(up) {
			t.Errorf("e^%s is rounded by more than 2^-64", s)
		}
		if _, hi := expEnclosure(e.nats, 1000); mustRat(hi).Cmp(e.above) >= 0 {
			t.Errorf("e^%s is not below what is refused without a look", s)
		}
	}
}

func TestExpEnclosure(t *testing.T) {
	for _, r := range []*big.Rat{new(big.Rat), big.NewRat(1, 1000), big.NewRat(1, 2), one, big.NewRat(17, 3),
		big.NewRat(600, 1)} {
		lo, hi := expEnclosure(r, 128)
		v, _ := r.Float64()
		mid, _ := lo.Float64()
		if d := math.Abs(mid/math.Exp(v) - 1); !(d <= 1e-13) {
			t.Errorf("e^%v = %v", v, mid)
		}
		gap := new(big.Float).Sub(hi, lo)
		if l, h := expEnclosure(r, 1000); lo.Cmp(l) > 0 || hi.Cmp(h) < 0 {
			t.Errorf("e^%v leaves %v..%v", v, lo, hi)
		}
		if lo.Cmp(hi) > 0 || gap.Sign() > 0 && gap.MantExp(nil) > lo.MantExp(nil)-120 {
			t.Errorf("e^%v lies in %v..%v", v, lo, hi)
		}
		if r.Sign() > 0 { // log inverts exp
			g, _ := lo.Rat(nil)
			if _, top := logEnclosure(g, 128); mustRat(top).Cmp(new(big.Rat).Mul(r, big.NewRat(1<<60+1, 1<<60))) > 0 {
				t.Errorf("log e^%v = %v", v, top)
			}
		}
	}
}

func TestLogEnclosure(t *testing.T) {
	for i := range 200 {
		f := new(big.Rat).Add(one, new(big.Rat).SetFrac(big.NewInt(3), new(big.Int).Lsh(big.NewInt(1), uint(i))))
		lo, hi := logEnclosure(f, 128)
		gap := new(big.Float).Sub(hi, lo)
		if l, h := logEnclosure(f, 1000); lo.Cmp(l) > 0 || hi.Cmp(h) < 0 {
			t.Errorf("log(1+3/2^%d) leaves %v..%v", i, lo, hi)
		}
		if lo.Cmp(hi) > 0 || gap.Sign() > 0 && gap.MantExp(nil) > lo.MantExp(nil)-120 {
			t.Errorf("log(1+3/2^%d) lies in %v..%v", i, lo, hi)
		}
		x := 3 * math.Pow(2, -float64(i))
		if v := Nats(f); !(v >= math.Log1p(x)*(1-4e-16) && v <= math.Log1p(x)*(1+4e-16)) {
			t.Errorf("log(1+3/2^%d) = %v, want %v", i, v, math.Log1p(x))
		}
	}
	for i := int64(1); i < 400; i++ {
		f := big.NewRat(i*i+7, 3*i)
		if v, w := Nats(f), math.Log(float64(i*i+7)/float64(3*i)); !(math.Abs(v-w) <= 4e-16*math.Max(1, math.Abs(w))) {
			t.Errorf("log %v = %v, want %v", f, v, w)
		}
		if f.Cmp(one) <= 0 {
			continue
		}
		lo, hi := logEnclosure(f, 1000) // never below, on both sides of 1
		for v, least := range map[float64]*big.Float{Nats(f): lo, Nats(new(big.Rat).Inv(f)): hi.Neg(hi)} {
			if big.NewFloat(v).Cmp(least) < 0 {
				t.Errorf("%v is below the logarithm of %v or its inverse", v, f)
			}
		}
	}
	if Nats(one) != 0 || Nats(big.NewRat(1, 2)) > -math.Ln2+1e-16 || Nats(big.NewRat(1, 2)) < -math.Ln2 {
		t.Error("logarithms at and below 1")
	}
}

func mustRat(f *big.Float) *big.Rat {
	r, _ := f.Rat(nil)
	return r
}

func TestLeastMass(t *testing.T) {
	for _, s := range []string{"0", "0.1", "1", "log(7/3)", "0.8472978603872036", "0.8472978603872037", "43"} {
		e := mustEpsilon(t, s)
		for _, n := range []int64{1, 2, 7, 100, 1 << 40, math.MaxInt64 / 2} {
			m := e.LeastMass(n)
			if m < 1 || !e.Admits(big.NewRat(n, m)) || m > 1 && e.Admits(big.NewRat(n, m-1)) {
				t.Errorf("eps=%s, n=%d: %d", s, n, m)
			}
		}
	}
}

// logEnclosure returns lo <= log f <= hi for f >= 1, each within a relative
// 2^(8-prec) however close f is to 1.
//
// With f = 2^e m and 1 <= m < 2, log f = 2e atanh(1/3) + 2 atanh((m-1)/(m+1)).
// TestLogEnclosure.
func logEnclosure(f *big.Rat, prec uint) (lo, hi *big.Float) {
	return logBound(f, prec, big.ToNegativeInf), logBound(f, prec, big.ToPositiveInf)
}
