package page

import (
	"bytes"
	"math"
	"math/big"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

var badPage = []string{"<script>alert(1)</script>", "</script><b>", "a\u202eb\x07", "", "שלום",
	strings.Repeat("long ", 2000), "`${1}`"}

// small is a page of two floors whose labels try to be more than text.
func small() *Page {
	p := &Page{Version: "1", Source: badPage[0], Column: badPage[1], Records: 1234567, Inputs: 7, Outputs: 7, Guess: .25,
		Asked: -1, Curves: Frontier{By: "rank", Of: 7, Floors: []Floor{{Floor: 1},
			{Floor: 2, Safe: 2, Optimal: 1, Lower: 1}}}}
	p.Stops = []Stop{
		{At: 1, Short: "rank 1", Name: "rank 1 of 7 or better", Words: "anything", Least: 7, Most: 7,
			Ask: "0.01", Asked: .01, Command: "tacet run --input " + badPage[0]},
		{At: 2, Short: "rank 2", Name: "rank 2 of 7 or better", Words: "near", Least: 1, Most: 3, Safe: 2.00001,
			Optimal: 1.00001, Lower: .99999, Open: true, Ask: "1.01", Asked: 1.01, Command: "tacet run",
			Merge: &Merge{Letter: badPage[1], Into: badPage[2], From: 5.5, To: 3.1, Helps: true}}}
	return p
}

func written(t *testing.T, p *Page) string {
	t.Helper()
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var tags, spaces = regexp.MustCompile(`<[^>]*>`), regexp.MustCompile(`\s+`)

func TestPageEscapesLabels(t *testing.T) {
	s := written(t, small())
	if strings.Count(s, "<script") != 2 || strings.Count(s, "</script>") != 2 || strings.Contains(s, "<b>") ||
		strings.ContainsAny(s, "\u202e\x07") {
		t.Error("a label is more than text")
	}
	// No resource is named, and the policy admits the page's script alone.
	if m := regexp.MustCompile(`(src|href|url\()[^>]*`).FindString(tags.FindString(s)); m != "" ||
		regexp.MustCompile(`<(link|img|iframe|object|base)|https?://[^w]`).MatchString(s) {
		t.Error("the page asks for something")
	}
	if !strings.Contains(s,
		`content="default-src &#39;none&#39;; style-src &#39;unsafe-inline&#39;; script-src &#39;sha256-`) {
		t.Error("there is no policy")
	}
}

func TestPageWithoutFloors(t *testing.T) {
	var b bytes.Buffer
	if err := (&Page{}).Write(&b); err == nil || b.Len() > 0 {
		t.Errorf("%v, %d bytes", err, b.Len())
	}
}

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
