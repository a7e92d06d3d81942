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
	must(t, err)
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
		"1e":                     "decimal",
		"1e+-3":                  "decimal",
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
			// Decimals about the logarithm, 17 digits after the point.
			near, _ := new(big.Float).Mul(big.NewFloat(math.Log(float64(n)/float64(k))), big.NewFloat(1e17)).Int(nil)
			for by := int64(-60); by <= 60; by += 30 {
				d := new(big.Int).Add(near, big.NewInt(by))
				want := exp(new(big.Rat).SetFrac(d, big.NewInt(1e17))).Cmp(f) >= 0
				if d.Sign() > 0 && mustEpsilon(t, d.String()+"e-17").Admits(f) != want {
					t.Fatalf("%ve-17 is decided wrongly beside log(%d/%d)", d, n, k)
				}
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
		if expBound(e.nats, 1000, big.ToPositiveInf).Cmp(e.above) >= 0 {
			t.Errorf("e^%s is not below what is refused without a look", s)
		}
	}
}

func TestExpBound(t *testing.T) {
	for _, r := range []*big.Rat{new(big.Rat), big.NewRat(1, 1000), big.NewRat(1, 2), one, big.NewRat(17, 3),
		big.NewRat(40, 1)} {
		lo, hi, mid := expBound(r, 128, big.ToNegativeInf), expBound(r, 128, big.ToPositiveInf), exp(r)
		wide := new(big.Rat).Mul(lo, new(big.Rat).Add(one, new(big.Rat).SetFrac(one.Num(), new(big.Int).Lsh(one.Num(), 120))))
		if lo.Cmp(mid) > 0 || hi.Cmp(mid) < 0 || hi.Cmp(wide) > 0 {
			t.Errorf("e^%v = %v lies in %v..%v", r, mid, lo, hi)
		}
	}
}

// TestNats: the least float that is not below, on both sides of 1, next to 1 and beyond the floats.
func TestNats(t *testing.T) {
	list := []*big.Rat{big.NewRat(1<<62, 1), big.NewRat(7, 3)}
	for i := range 200 {
		list = append(list, new(big.Rat).Add(one, new(big.Rat).SetFrac(big.NewInt(3), new(big.Int).Lsh(one.Num(), uint(i)))))
	}
	for i := int64(7); i < 100; i++ {
		list = append(list, big.NewRat(i*i+7, 3*i))
	}
	for _, f := range list {
		up, down := Nats(f), -Nats(new(big.Rat).Inv(f))
		exact := func(v float64) *big.Rat { return exp(new(big.Rat).SetFloat64(v)) }
		if down != math.Nextafter(up, 0) || exact(up).Cmp(f) < 0 || exact(down).Cmp(f) > 0 {
			t.Errorf("log %v is between %v and %v", f, down, up)
		}
	}
	huge := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(3), 5000))
	if v, want := Nats(huge), math.Log(3)+5000*math.Ln2; !(math.Abs(v-want) < 1e-12*want) || Nats(one) != 0 {
		t.Error("log(3 2^5000) or log(1)", v)
	}
}

// exp is about e^x for 0 <= x <= 50.
func exp(x *big.Rat) *big.Rat {
	real := func() *big.Float { return new(big.Float).SetPrec(400) }
	r, sum, term := real().SetRat(x), real().SetInt64(1), real().SetInt64(1)
	for k := int64(1); term.Sign() > 0 && term.MantExp(nil) > -400; k++ {
		term.Quo(term.Mul(term, r), real().SetInt64(k))
		sum.Add(sum, term)
	}
	v, _ := sum.Rat(nil)
	return v
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
