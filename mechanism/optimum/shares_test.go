package optimum

import (
	"context"
	"encoding/csv"
	"errors"
	"math"
	"math/big"
	"os"
	"strconv"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/mechtest"
	"github.com/tacet-privacy/tacet/test/torture"
)

// vectors are testdata/paper/shares.json.
type vectors struct {
	Origins []string
	Counts  []int64
	Flights []struct {
		Factor int64
		Rank   int
		Shift  float64
		Km     float64 `json:"mean_km"`
	}
	Random []instance
}

type instance struct {
	instanceOf
	Factor, Shift float64
	Stands        []int `json:"stands_for"`
}

func (c instance) problem(t *testing.T) Problem {
	return Problem{Prior: mechtest.Prior(c.Counts...), Support: c.Support(), Stands: c.Stands}
}

func given(t *testing.T) vectors {
	t.Helper()
	var v vectors
	readJSON(t, "shares.json", &v)
	if len(v.Flights) != 10 || len(v.Random) != 60 {
		t.Fatalf("%d flights and %d random", len(v.Flights), len(v.Random))
	}
	return v
}

// flights is the order of the origins of flights by distance, in km.
func (v vectors) flights(t *testing.T) (mechanism.Prior, mechanism.Order) {
	t.Helper()
	f, err := os.Open("../../testdata/tables/airports.csv")
	must(t, err)
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	must(t, err)
	at := make(map[string][3]float64)
	for _, r := range rows[1:] {
		lat, err := strconv.ParseFloat(r[4], 64)
		long, also := strconv.ParseFloat(r[5], 64)
		if err = errors.Join(err, also); err != nil {
			t.Fatal(err)
		}
		lat, long = lat*math.Pi/180, long*math.Pi/180
		at[r[0]] = [3]float64{math.Cos(lat) * math.Cos(long), math.Cos(lat) * math.Sin(long), math.Sin(lat)}
	}
	value := make([][]float64, len(v.Origins))
	for x, a := range v.Origins {
		for _, b := range v.Origins {
			p, q := at[a], at[b]
			chord := math.Hypot(math.Hypot(p[0]-q[0], p[1]-q[1]), p[2]-q[2])
			value[x] = append(value[x], -2*6371.0088*math.Asin(math.Min(1, chord/2)))
		}
	}
	return mechtest.Prior(v.Counts...), mechtest.Matrix(value)
}

// standing has every output stand for the letter of its own number.
func standing(n int) []int {
	s := make([]int, n)
	for y := range s {
		s[y] = y
	}
	return s
}

func TestVectors(t *testing.T) {
	for i, c := range given(t).Random {
		g := c.problem(t)
		at := new(big.Rat).SetFloat64(c.Factor)
		m, b, err := LeastShift(context.Background(), g, at, Options{})
		if err != nil {
			t.Errorf("%d: %v", i, err)
			continue
		}
		held(t, i, g, at, m, b, c.Shift)
	}
}

// held checks an answer of Least against what is known from elsewhere.
func held(t *testing.T, at any, g Problem, f *big.Rat, m *mechanism.Mechanism, b Bracket, want float64) {
	t.Helper()
	if d := rounded(b.Shift) - want; !(math.Abs(d) <= 1e-6) {
		t.Errorf("%v: shift %v, want %v", at, rounded(b.Shift), want)
	}
	if d := rounded(new(big.Rat).Sub(b.Shift, b.Lower)); !(d <= 1e-6 && d >= 0) {
		t.Errorf("%v: a gap of %v", at, d)
	}
	if m.Factor(g.Prior).Cmp(f) > 0 || m.Shares(g.Prior, g.Stands).Shift.Cmp(b.Shift) != 0 {
		t.Errorf("%v: the mechanism is not what is said of it", at)
	}
	if _, _, ok := m.Within(g.Support); !ok {
		t.Errorf("%v: the mechanism leaves the support", at)
	}
	if err := b.Verify(g, f, nil, nil); err != nil {
		t.Errorf("%v: %v", at, err)
	}
}

func TestFlights(t *testing.T) {
	v := given(t)
	p, o := v.flights(t)
	for i, f := range v.Flights {
		g := Problem{Prior: p, Support: mechanism.SupportOf(o, mechanism.RankFloor(f.Rank)), Stands: standing(p.Letters())}
		at := big.NewRat(f.Factor, 1)
		m, b, err := LeastShift(context.Background(), g, at, Options{})
		must(t, err)
		held(t, f, g, at, m, b, f.Shift)
		if i%4 != 1 && torture.Count(1, 0) == 1 {
			continue
		}
		w := mechanism.ValueWeights(o)
		_, b, worth, err := Nearest(context.Background(), g, at, nil, w, Options{Near: m})
		must(t, err)
		if d := rounded(worth.Lower) + f.Km; !(math.Abs(d) <= 1e-5) {
			t.Errorf("%v: mean %v km", f, -rounded(worth.Lower))
		}
		if !(worth.Gap <= Gap) || rounded(worth.Shift) > f.Shift+1e-6+1e-12 {
			t.Errorf("%v: shift %v, a gap of %v", f, rounded(worth.Shift), worth.Gap)
		}
		limit := new(big.Rat).Add(b.Shift, new(big.Rat).SetFloat64(Gap))
		if err := worth.Verify(g, at, limit, w); err != nil {
			t.Errorf("%v: %v", f, err)
		}
	}
}

// e^0.5, rounded down, has a denominator of many digits; no shift is then kept as well as at a
// plain factor.
func TestNoShiftAtAnyFactor(t *testing.T) {
	p, o := mechtest.Prior(4000, 3000, 2000, 900, 100), mechtest.Matrix([][]float64{
		{0, -1, -2, -3, -4}, {-1, 0, -1, -2, -3}, {-2, -1, 0, -1, -2}, {-3, -2, -1, 0, -1}, {-4, -3, -2, -1, 0}})
	g := Problem{Prior: p, Support: mechanism.SupportOf(o, mechanism.RankFloor(1)), Stands: []int{0, 1, 2, 3, 4}}
	_, v, err := Largest(context.Background(), g, mechtest.Made(mechanism.ParseEpsilon("0.5")).Factor(), new(big.Rat),
		mechanism.ValueWeights(o), Options{})
	if err != nil || !(v.Gap <= Gap) {
		t.Errorf("a gap of %v, %v", v.Gap, err)
	}
}

func TestNoRecords(t *testing.T) {
	s := mechanism.NewSupport(2, 2)
	s.Allow(0, 0)
	s.Allow(1, 1)
	g := Problem{Prior: mechtest.Prior(0, 0), Support: s, Stands: []int{0, 1}}
	_, b, err := LeastShift(context.Background(), g, one, Options{})
	if err != nil || b.Shift.Sign() != 0 {
		t.Errorf("%v, %v", b.Shift, err)
	}
	w := func(_ int, row []float64) { clear(row) }
	if _, _, err := Largest(context.Background(), g, one, new(big.Rat), w, Options{}); err != nil {
		t.Error(err)
	}
	if _, err := LeastFactor(context.Background(), g, new(big.Rat), Options{}); err != nil {
		t.Error(err)
	}
	g.Support = mechanism.NewSupport(2, 2)
	g.Support.Allow(0, 0)
	var none *mechanism.NoOutputError
	if _, _, err := LeastShift(context.Background(), g, one, Options{}); !errors.As(err, &none) || none.Letter != 1 {
		t.Errorf("a letter without output: %v", err)
	}
}
