package page

import (
	"bytes"
	"strings"
	"testing"
)

// TestIntervalsInPlace: every share stands where the common axis has it, whatever its name
// says, and what has no room is counted.
func TestIntervalsInPlace(t *testing.T) {
	p := &Intervals{Name: "What analysts would get of x", Records: 100, Designs: []IntervalsOf{
		{"factor 4, no limit of the shift", "rank 3 of 4, shares off by up to 10 points", []Interval{
			{"a", .5, .2, .4, true, .45, .55}, {"b", .1, -.2, .25, false, 0, 0}}},
		{"factor 4, shift at most 5%", "no design was found", nil}}}
	draw := func() string {
		var b bytes.Buffer
		if err := p.WriteSVG(&b); err != nil {
			t.Fatal(err)
		}
		wellFormed(t, b.String(), "intervals-picture")
		return b.String()
	}
	s := draw()
	// 0 to 55 percent over 132..544: 7.4909 for each.
	for _, want := range []string{`d="M506.5 92l5.5 5.5`, `x="281.8" y="90" width="149.8"`, `d="M469.1 92v11m0 -5.5H544m0`,
		`d="M206.9 118l5.5 5.5`, `x="132" y="116" width="187.3"`, ">no design was found</text>",
		"Shares of 2 values or groups among 100 records, for 2 designs"} {
		if !strings.Contains(s, want) {
			t.Errorf("%s is missing in\n%s", want, s)
		}
	}
	if n := strings.Count(s, "v11m0 -5.5H"); n != 1 {
		t.Errorf("%d shares are drawn as recovered", n)
	}
	for _, label := range hostile {
		p.Name, p.Designs[0].Shares[0].Name, p.Designs[0].Words, p.Designs[1].Head = label, label, label, label
		draw()
	}
	for range 9 {
		p.Designs = append(p.Designs, p.Designs[0])
	}
	for range 20 {
		p.Designs[0].Shares = append(p.Designs[0].Shares, p.Designs[0].Shares[0])
	}
	if s := draw(); !strings.Contains(s, "The first 8 of 11 designs") ||
		strings.Count(s, "<rect class=\"tp-pale\"") != 12+6*2+1 {
		t.Errorf("what has no room is drawn, or not counted:\n%s", s)
	}
	p.Designs = nil
	draw()
}
