package utility

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
)

// TestNearbyRows: the best outputs, one rank, one value and what is within a floor are what a
// whole row says, on spheres, lines and in the plane, where many places coincide or lie
// equally far away.
func TestNearbyRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	const letters = 60
	for name, o := range map[string]*points{
		"sphere": {dim: 3, sphere: true}, "solid": {dim: 3}, "plane": {dim: 2}, "line": {dim: 1}, "four": {dim: 4},
	} {
		for range letters {
			place := make([]float64, o.dim)
			for i := range place {
				place[i] = float64(rng.IntN(4)) * []float64{1, 1e-160}[rng.IntN(2)]
			}
			if o.sphere {
				a, b := float64(rng.IntN(8))*math.Pi/4, float64(rng.IntN(5)-2)*math.Pi/4
				place = []float64{math.Cos(b) * math.Cos(a), math.Cos(b) * math.Sin(a), math.Sin(b)}
			}
			o.in, o.out = append(o.in, place...), append(o.out, place...)
		}
		o.out = append(o.out, o.in[:5*o.dim]...)
		rowsAgree(t, name, o, func([]float64) {})
	}
}

// rowsAgree holds what an order says of one output, of the best and of those within a floor to
// its rows, which see is shown.
func rowsAgree(t *testing.T, name string, o mechanism.Nearby, see func(value []float64)) {
	t.Helper()
	m := o.Outputs()
	rank, value, by := make([]uint16, m), make([]float64, m), make([]uint16, m)
	for x := range o.Inputs() {
		o.Row(x, rank, value)
		see(value)
		for y, r := range rank {
			by[m-int(r)] = uint16(y)
			if o.Rank(x, y) != int(r) || o.Value(x, y) != value[y] {
				t.Fatalf("%s: output %d of %d has rank %d and value %v, and %d and %v alone", name, y, x, r, value[y],
					o.Rank(x, y), o.Value(x, y))
			}
		}
		if worst := o.Worst(x, by); worst != int(by[m-1]) {
			t.Fatalf("%s: the worst output of %d is %d, and not %d", name, x, worst, by[m-1])
		}
		for k := range m + 2 {
			if best := o.Best(x, k); !slices.Equal(best, by[:min(k, m)]) {
				t.Fatalf("%s: the best %d of %d are %v, and not %v", name, k, x, best, by[:min(k, m)])
			}
		}
		some := value[by[m/2]]
		for _, floor := range []float64{value[by[0]], some, value[by[m-1]], math.Nextafter(some, 0), 1} {
			var want []uint16
			for y, v := range value {
				if v >= floor {
					want = append(want, uint16(y))
				}
			}
			if got := o.Within(x, floor); !slices.Equal(got, want) {
				t.Fatalf("%s: within %v of %d are %v, and not %v", name, floor, x, got, want)
			}
		}
	}
}

// TestNearbySupports: floors and what a mechanism keeps are those of the table.
func TestNearbySupports(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	o := &points{dim: 2}
	for range 2 * 40 {
		v := float64(rng.IntN(12))
		o.in, o.out = append(o.in, v), append(o.out, v)
	}
	table := mechanism.Tabulate(o)
	for _, f := range []mechanism.Floor{mechanism.RankFloor(33), mechanism.RankFloor(1), mechanism.ValueFloor(-3)} {
		near, whole := mechanism.SupportOf(o, f), mechanism.SupportOf(table, f)
		for x := range 40 {
			if a, b := near.AppendRow(nil, x), whole.AppendRow(nil, x); !slices.Equal(a, b) {
				t.Fatalf("%v allows %d %v, and not %v", f, x, a, b)
			}
		}
		m, err := mechanism.Uniform(near, f)
		if err != nil {
			t.Fatal(err)
		}
		rank, value := m.Floor(o)
		if r, v := m.Floor(table); r != rank || v != value {
			t.Errorf("%v keeps rank %d and value %v, and not %d and %v", f, rank, value, r, v)
		}
	}
}

// TestAlong: what a line or a circle says of one output, of the best, and of those within a
// floor is what its rows say, where places coincide, lie equally far away, or so far that
// differences round alike.
func TestAlong(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 18))
	rounded, looked, copied := 0, 0, 0
	for range 600 {
		far := []uint64{4, 30, 1000, 1 << 61}[rng.IntN(4)]
		next := far == 4 && rng.IntN(2) == 0 // each behind the other
		places := func(n int) (list []uint64) {
			for i := range n {
				list = append(list, 1<<61+rng.Uint64N(far))
				if next {
					list[i] = 1<<61 + uint64(i)
				}
				if far > 1000 && rng.IntN(2) == 0 { // differences that round alike
					list[len(list)-1] = 1<<61 + rng.Uint64N(3)*far/3 + rng.Uint64N(9)
				}
			}
			return list
		}
		in, out := places(1+rng.IntN(9)), places(1+rng.IntN(14))
		around := uint64(0)
		if rng.IntN(2) == 0 {
			all := slices.Concat(in, out)
			around = slices.Max(all) - slices.Min(all) + 1 + rng.Uint64N(3)
		}
		o := newLine(in, out, around, math.Pow10(rng.IntN(3)))
		rowsAgree(t, fmt.Sprintf("%v to %v on %d", in, out, around), o, func(value []float64) {
			for y, v := range value {
				for z := range value {
					if out[y] != out[z] && v == value[z] && far > 1000 {
						rounded++
					}
				}
			}
		})
		if o.worth != nil { // rows are looked up
			looked++
			if o.dense {
				copied++
			}
		}
	}
	if rounded < 100 || looked < 50 || looked > 550 || copied < 50 || copied == looked {
		t.Errorf("control: %d values round alike, %d orders are looked up, %d copied", rounded, looked, copied)
	}
}

func inf() float64 { return math.Inf(-1) }

const cities = `iata,name,latitude,longitude,runways
JFK,"Kennedy, New York",40.639751,-73.778925,4
LHR,Heathrow,51.4775,-0.461389,2
SYD,Sydney,-33.946111,151.177222,3
QQQ,nowhere,,,0
`

func TestGreatCircle(t *testing.T) {
	r := build(t, "positions:f.csv", Input{Letters: letters("JFK", "LHR", "SYD"), ReadFile: file(cities)})
	value, _ := table2(r)
	for x := range value {
		for y := range value {
			if value[x][y] != value[y][x] {
				t.Errorf("u'(%d,%d) = %v, u'(%d,%d) = %v", x, y, value[x][y], y, x, value[y][x])
			}
		}
	}
	// Haversine written out, with the same radius.
	hav := func(a, b, c, d float64) float64 {
		const k = math.Pi / 180
		s := math.Pow(math.Sin((c-a)*k/2), 2) + math.Cos(a*k)*math.Cos(c*k)*math.Pow(math.Sin((d-b)*k/2), 2)
		return 2 * 6371.0088 * math.Asin(math.Sqrt(s))
	}
	for _, c := range []struct {
		x, y int
		km   float64
	}{{0, 1, hav(40.639751, -73.778925, 51.4775, -0.461389)}, {1, 2, hav(51.4775, -0.461389, -33.946111, 151.177222)},
		{0, 0, 0}} {
		if d := math.Abs(value[c.x][c.y] + c.km); !(d <= 1e-7) {
			t.Errorf("distance %v, haversine %v", -value[c.x][c.y], c.km)
		}
	}
	if d := math.Abs(value[0][1] + 5540); !(d <= 10) { // published distance JFK - LHR, km
		t.Errorf("JFK - LHR %v km", -value[0][1])
	}
	if r.Unit != "km" || r.Extra != 1 || r.Describe(-412.31) != "at most 412.4 km away" ||
		r.Describe(0) != "at the same place" || r.Describe(inf()) != "no limit" {
		t.Error(r.Unit, r.Extra, r.Describe(-412.31), r.Describe(0))
	}
}

func TestPoles(t *testing.T) {
	text := "label,lat,lon\nN,90,0\nS,-90,17\nE,0,180\nW,0,-180\n"
	r := build(t, "positions:f.csv", Input{Letters: letters("E", "N", "S", "W"), ReadFile: file(text)})
	value, _ := table2(r)
	if half := math.Pi * earthKm; !(math.Abs(value[1][2]+half) <= 1e-6) || !(math.Abs(value[0][3]) <= 1e-6) ||
		!(math.Abs(value[0][1]+half/2) <= 1e-6) {
		t.Errorf("%v", value)
	}
}
