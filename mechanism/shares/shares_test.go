package shares

import (
	"context"
	"encoding/csv"
	"errors"
	"math"
	"math/big"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/mechtest"
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
	Random []struct {
		Counts  []int64
		Outputs int
		Allowed [][]int
		Factor  float64
		Shift   float64
		Stands  []int `json:"stands_for"`
	}
}

// flights is the order of the origins of flights by distance, in km.
func (v vectors) flights(t *testing.T) (mechanism.Prior, mechanism.Order) {
	t.Helper()
	f, err := os.Open("../../testdata/tables/airports.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
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
			chord := math.Sqrt((p[0]-q[0])*(p[0]-q[0]) + (p[1]-q[1])*(p[1]-q[1]) + (p[2]-q[2])*(p[2]-q[2]))
			value[x] = append(value[x], -2*6371.0088*math.Asin(math.Min(1, chord/2)))
		}
	}
	return mechtest.Prior(t, v.Counts...), mechtest.Matrix(t, value)
}

func standing(n int) []int {
	s := make([]int, n)
	for y := range s {
		s[y] = y
	}
	return s
}

func TestFlights(t *testing.T) {
	var v vectors
	mechtest.JSON(t, "shares.json", &v)
	p, o := v.flights(t)
	for _, f := range v.Flights {
		g := Problem{p, mechanism.SupportOf(o, mechanism.RankFloor(f.Rank)), standing(p.Letters())}
		at := big.NewRat(f.Factor, 1)
		start := time.Now()
		m, b, err := Least(context.Background(), g, at, Options{})
		if err != nil {
			t.Fatal(err)
		}
		took := time.Since(start)
		start = time.Now()
		limit := new(big.Rat).SetFloat64(1e-6)
		limit.Add(limit, b.Shift)
		m, w, err := Largest(context.Background(), g, at, limit, mechanism.ValueWeights(o), Options{Near: m})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("factor %v rank %v: shift %v want %v gap %.2g in %v; mean %v want %v gap %.2g in %v, %d used", f.Factor, f.Rank, rounded(b.Shift), f.Shift,
			rounded(b.Shift)-rounded(b.Lower), took, -rounded(w.Value), f.Km, w.Gap, time.Since(start), m.Shares(p, g.Stands).Used)
	}
}

func TestVectors(t *testing.T) {
	var v vectors
	mechtest.JSON(t, "shares.json", &v)
	for i, c := range v.Random {
		s := mechanism.NewSupport(len(c.Counts), c.Outputs)
		for x, row := range c.Allowed {
			for _, y := range row {
				s.Allow(x, y)
			}
		}
		g := Problem{mechtest.Prior(t, c.Counts...), s, c.Stands}
		at := new(big.Rat).SetFloat64(c.Factor)
		_, b, err := Least(context.Background(), g, at, Options{})
		if err != nil {
			t.Errorf("%d: %v", i, err)
			continue
		}
		if d := rounded(b.Shift) - c.Shift; !(math.Abs(d) <= 1e-6) {
			t.Errorf("%d: shift %v, want %v", i, rounded(b.Shift), c.Shift)
		}
		if d := rounded(b.Shift) - rounded(b.Lower); !(d <= 1e-6 && d >= 0) {
			t.Errorf("%d: gap %v", i, d)
		}
		if err := b.Verify(g, at); err != nil {
			t.Error(err)
		}
	}
}
