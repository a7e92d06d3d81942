package utility

import (
	"math"
	"testing"
)

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
