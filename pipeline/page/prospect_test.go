package page

import (
	"math"
	"math/big"
	"strings"
	"testing"
	"unicode"
)

// prospects are stops with their epsilon, mean and shift.
func prospects(of ...[3]float64) *Page {
	p := &Page{Asked: -1, Limits: []Limit{{}, {Asked: "5%"}}, Curves: Frontier{By: "rank", Of: 9}}
	for i, v := range of {
		s := Stop{At: float64(i + 1), Name: "rank", Asked: v[0], Mean: v[1], Designed: true}
		if !math.IsNaN(v[2]) {
			s.Shift = new(big.Rat).SetFloat64(v[2])
		}
		p.Stops = append(p.Stops, s)
	}
	return p
}

// What is suggested gains most for its epsilon among what can be counted and hides, and
// is no end, nothing refused, and nothing open.
func TestSuggest(t *testing.T) {
	none := math.NaN()
	for _, c := range []struct {
		name  string
		stops [][3]float64 // the first tells nothing, the last is unchanged
		alter func(p *Page)
		want  int
		words string
	}{
		{"the largest gain", [][3]float64{{0, -10, .04}, {1, -8, .04}, {2, -2, .04}, {2.2, -1.9, .04}, {9, 0, 0}}, nil, 2,
			"80\u00a0% of the gain in the mean for 22\u00a0% of the epsilon"},
		{"counted first", [][3]float64{{0, -10, .9}, {1, -2, .6}, {2, -4, .04}, {9, 0, 0}}, nil, 2,
			"within 10 times and 5 points"},
		{"hidden before counted", [][3]float64{{0, -10, .9}, {2, -6, .6}, {3, -1, .01}, {9, 0, 0}}, nil, 1,
			"within 10 times"},
		{"not above ten", [][3]float64{{0, -10, .9}, {3, -6, none}, {4, -1, .01}, {9, 0, 0}}, nil, -1, ""},
		{"ten itself", [][3]float64{{0, -10, .9}, {math.Log(10), -1, .01}, {9, 0, 0}}, nil, 1, "within 10 times"},
		{"refused", [][3]float64{{0, -10, .9}, {1, -1, .01}, {2, -2, .01}, {9, 0, 0}},
			func(p *Page) { p.Stops[1].Refused = "no" }, 2, ""},
		{"open", [][3]float64{{0, -10, .9}, {1, -1, .01}, {2, -2, .01}, {9, 0, 0}},
			func(p *Page) { p.Stops[1].Open = true }, 2, ""},
		{"of the limit that was asked for", [][3]float64{{0, -10, .9}, {1, -1, .01}, {2, -2, .01}, {9, 0, 0}},
			func(p *Page) { p.Limit, p.Stops[2].Limit = 1, 1 }, 2, ""},
		{"no mean", [][3]float64{{0, -10, .9}, {1, none, .01}, {9, 0, 0}}, nil, -1, ""},
		{"ends alone", [][3]float64{{0, -10, .9}, {9, 0, 0}}, nil, -1, ""},
	} {
		p := prospects(c.stops...)
		p.Stops[0].Nothing, p.Stops[len(p.Stops)-1].Unchanged = true, true
		if c.alter != nil {
			c.alter(p)
		}
		p.Suggest()
		if p.Suggested != c.want || !strings.Contains(p.Why, c.words) || c.want >= 0 && p.Start != c.want ||
			p.Start < 0 || p.Start >= len(p.Stops) || len(strings.FieldsFunc(p.Why, unicode.IsSpace)) > 25 {
			t.Errorf("%s: stop %d, start %d: %s", c.name, p.Suggested, p.Start, p.Why)
		}
	}
}

func TestLikely(t *testing.T) {
	for nats, want := range map[float64]string{0: "1", math.Log(4): "4", math.Nextafter(math.Log(4), 2): "4", 1.39: "4.02", 2.13: "8.42", 5: "149",
		11.52: "100,710"} {
		if got := likely(nats); got != want {
			t.Errorf("e^%v is %s, want %s", nats, got, want)
		}
	}
	for nats, want := range map[float64]string{1.39: "5 in 100 times becomes right at most 20.1 in 100",
		3.26: "1 in 100 times becomes right at most 26.1 in 100", 6: "1 in 1,000 times becomes right at most 40.4 in 100"} {
		if got := guess(nats); !strings.HasSuffix(got, want) {
			t.Errorf("e^%v: %s, want %s", nats, got, want)
		}
	}
	if got := guess(7); got != "" {
		t.Errorf("of a factor above 1,000 the page says %s", got)
	}
}
