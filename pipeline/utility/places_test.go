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

func TestPlane(t *testing.T) {
	text := "name,x,note,label,y\nq,0,a,A,0\nr,3,b,B,4\ns,-3,c,C,4\n"
	r := build(t, "positions:f.csv", Input{Letters: letters("A", "B", "C"), ReadFile: file(text)})
	wantValues(t, r, []float64{0, -5, -5}, []float64{-5, 0, -6}, []float64{-5, -6, 0})
	if r.Basis != "minus the distance in x, y" || r.Ties != 1 {
		t.Error(r.Basis, r.Ties)
	}
	line := build(t, "positions:f.csv", Input{Letters: letters("A", "B"), ReadFile: file("a,x\nA,0.1\nB,0.4\n")})
	d := 0.4
	d -= 0.1
	wantValues(t, line, []float64{0, -d}, []float64{-d, 0})
}

func TestPositionRefusals(t *testing.T) {
	a := letters("A")
	for _, c := range []refusal{
		{"north of the pole", "positions:f.csv", "label,lat,lon\nA,91,0\n", a, []string{"f.csv line 2 column 2",
			"latitude 91"}},
		{"once round", "positions:f.csv", "label,latitude,longitude\nA,9,181\n", a,
			[]string{"line 2 column 3", "longitude 181"}},
		{"no number", "positions:f.csv", "label,lat,lon\nA,n,0\n", a, []string{"line 2 column 2", `"n"`}},
		{"nan", "positions:f.csv", "label,lat,lon\nA,nan,0\n", a, []string{"line 2 column 2"}},
		{"half a pair", "positions:f.csv", "label,latitude,x\nA,1,0\n", a, []string{"column 2", "no column longitude"}},
		{"only text", "positions:f.csv", "label,x\nA,b\n", a, []string{"no columns latitude and longitude",
			"no column of numbers"}}, {"slip", "positions:f.csv", "label,x\nA,b\nB,1\n", a, []string{"line 2 column 2", `"b"`}},
		{"twice", "positions:f.csv", "label,x\nA,1\nA,2\n", a, []string{"line 3 column 1"}},
		{"huge", "positions:f.csv", "label,x,y\nA,1e200,1\n", a, []string{"line 2 column 2", "too large"}},
		{"two latitudes", "positions:f.csv", "label,lat,lat,lon\nA,1,1,1\n", a, []string{"second column lat"}},
	} {
		c.run(t)
	}
}

func TestOrderedAndCircular(t *testing.T) {
	in := Input{Letters: letters("HI", "LO", "MID"), ReadFile: file("LO\r\n\"M,X\"\nMID\n\nHI")}
	r := build(t, "ordered:@f.txt", in)
	wantOutputs(t, r, letters("LO", "MID", "HI"))
	wantValues(t, r, []float64{-3, -1, 0}, []float64{0, -2, -3}, []float64{-2, 0, -1})
	if r.Extra != 1 || r.Describe(-1) != "at most 1 place away" || r.Describe(-2) != "at most 2 places away" ||
		r.Describe(0) != "the same value" {
		t.Error(r.Extra, r.Describe(-1), r.Describe(-2))
	}
	c := build(t, `circular:LO,"M,X",MID,HI`, in)
	wantValues(t, c, []float64{-1, -1, 0}, []float64{0, -2, -1}, []float64{-2, 0, -1})
	in.Outputs = []string{"HI", "M,X"}
	wantOutputs(t, build(t, "ordered:@f.txt", in), letters("M,X", "HI"))
	for _, c := range []refusal{
		{"twice", "ordered:A,B,A", "", letters("A"), []string{"column 3", `"A" appears twice`}},
		{"nothing", "ordered:", "", letters("A"), []string{"ordered"}},
		{"two columns", "circular:@f", "A,1\nB,2\n", letters("A"), []string{"line 1 column 2", "one label a line"}},
		{"stray quote", `ordered:A,B"`, "", letters("A"), []string{"quote"}},
	} {
		c.run(t)
	}
}

func TestNumeric(t *testing.T) {
	big := build(t, "numeric", Input{Letters: letters("0", "9007199254740993", "18446744073709551615"), Kind: Integer})
	wantValues(t, big, []float64{0, -9007199254740992, -18446744073709551616}, []float64{-9007199254740992, 0,
		-18437736874454810622}, []float64{-18446744073709551616, -18437736874454810622, 0})
	wide := build(t, "numeric", Input{Letters: letters("-9223372036854775808", "-1", "9223372036854775807"),
		Kind: Integer})
	if value, _ := table2(wide); value[0][2] != -18446744073709551616 || value[1][2] != -9223372036854775808 {
		t.Error(value)
	}
	// 0.3 - 0.2 and 0.2 - 0.1 differ as floats and tie as decimals.
	tenths := build(t, "numeric", Input{Letters: letters("0.1", "0.20", "0.3", "-1")})
	wantValues(t, tenths, []float64{0, -0.1, -0.2, -1.1}, []float64{-0.1, 0, -0.1, -1.2}, []float64{-0.2, -0.1, 0, -1.3},
		[]float64{-1.1, -1.2, -1.3, 0})
	dates := build(t, "numeric", Input{Letters: letters("1969-12-31", "1970-01-02", "2024-03-01"), Kind: Date,
		Outputs: []string{"2024-02-28", "1970-01-01"}})
	wantOutputs(t, dates, letters("1970-01-01", "2024-02-28"))
	wantValues(t, dates, []float64{-1, -19782}, []float64{-1, -19780}, []float64{-19783, -2})
	if dates.Unit != "days" || dates.Describe(-2) != "at most 2 days away" {
		t.Error(dates.Unit, dates.Describe(-2))
	}
	bools := build(t, "numeric", Input{Letters: letters("false", "true"), Kind: Boolean})
	wantValues(t, bools, []float64{0, -1}, []float64{-1, 0})
	for _, label := range []string{"one", "1e3", "", "1.", "NaN", "0x10", "1_0", "12345678901234567890.5",
		"1.23456789012345678901", "+", "1.-5", "--1"} {
		c := refusal{label, "numeric", "", letters("1", label), []string{"1 of 2 input values are not plain decimal"}}
		c.run(t)
	}
}
