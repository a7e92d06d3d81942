package files

import (
	"math"
	"slices"
	"testing"
)

// TestPlaces: distances of known places, and the order of a row with ties.
func TestPlaces(t *testing.T) {
	labels := []Label{{Text: "pole"}, {Text: "a,b"}, {Text: "west"}}
	sphere := "label,name,lat,lon\npole,x,90,0\n\"a,b\",y,0,0\nwest,z,0,-90\r\nmore,w,1,1\n"
	p, why := ReadPlaces([]byte(sphere), labels, labels)
	if why != "" {
		t.Fatal(why)
	}
	quarter, row := -math.Pi/2*6371.0088, make([]float64, 3)
	for x := range labels {
		p.Row(x, row)
		for y, u := range row {
			if want := map[bool]float64{true: 0, false: quarter}[x == y]; !(math.Abs(u-want) < 1e-9) {
				t.Errorf("%d to %d is %v, and not %v", x, y, u, want)
			}
		}
	}
	plane := "name,x,y\npole,0,0\n\"a,b\",3,4\nwest,-3,4\n"
	if p, why = ReadPlaces([]byte(plane), labels, labels); why != "" {
		t.Fatal(why)
	}
	if p.Row(1, row); !slices.Equal(row, []float64{-5, 0, -6}) {
		t.Errorf("in the plane the distances are %v", row)
	}
	for _, bad := range []string{"", "label,lat,lon\npole,90,0\n", "label,lat,lon\npole,90,0\na,b\n",
		"label,lat,lon\npole,x,0\n"} {
		if _, why := ReadPlaces([]byte(bad), labels, labels); why == "" {
			t.Errorf("%q is read", bad)
		}
	}
	value := []float64{-2, -1, -2, 0, -1, -3}
	rank, copied := []int{2, 4, 3, 6, 5, 1}, make([]float64, len(value))
	for y, want := range rank {
		if got := Rank(value, y); got != want {
			t.Errorf("output %d has rank %d, want %d", y, got, want)
		}
	}
	for k, want := range []float64{0, -1, -1, -2, -2, -3} {
		if got := Nearest(value, copied, k+1); got != want {
			t.Errorf("best %d is worth %v, want %v", k+1, got, want)
		}
	}
}
