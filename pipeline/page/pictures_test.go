package page

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline/report"
)

// wellFormed returns the texts of a drawing, and fails where it is no XML or
// has no name for those who do not see it.
func wellFormed(t *testing.T, svg, id string) (text []string) {
	t.Helper()
	for _, want := range []string{`role="img"`, `aria-labelledby="` + id + `-title ` + id + `-desc"`,
		`<title id="` + id + `-title">`, `<desc id="` + id + `-desc">`} {
		if !strings.Contains(svg, want) {
			t.Errorf("%s: %s is missing", id, want)
		}
	}
	if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
		t.Errorf("%s: a number is not finite:\n%s", id, svg)
	}
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return text
		} else if err != nil {
			t.Fatalf("%s: no XML: %v", id, err)
		}
		if s, ok := token.(xml.CharData); ok && strings.TrimSpace(string(s)) != "" {
			text = append(text, string(s))
		}
	}
}

// pictures are one of each kind with these labels, by id.
func pictures(t *testing.T, label []string) map[string]string {
	t.Helper()
	var all []Share
	for _, s := range label {
		all = append(all, Share{report.Label{Text: s}, .1, .25})
	}
	f := &Frontier{Column: label[0], By: "rank", Of: 2, Floors: []Floor{{Floor: 1, Nothing: true},
		{Floor: 2, Safe: 2, Optimal: 1, Lower: .5, Unchanged: true}}, Chosen: &Point{2, 1}}
	curves := f.Chart().SVG("frontier")
	return map[string]string{"frontier": string(curves),
		"shares": string(drawShares(all, "shares", "records", "25 points"))}
}

// Pictures say what they leave out.
func TestPicturesOfManyLabels(t *testing.T) {
	var label []string
	for i := range 300 {
		label = append(label, fmt.Sprintf("letter %d with a name that has no room in the picture", i))
	}
	all := pictures(t, label)
	for id, svg := range all {
		wellFormed(t, svg, id)
	}
	if svg := all["shares"]; !strings.Contains(svg, "The first 12 of 300") || strings.Contains(svg, ">"+label[0]) ||
		!strings.Contains(svg, ">&#43;15.00<") {
		t.Errorf("the picture does not say what it leaves out:\n%s", svg)
	}
	if nats(.12341) != "0.1235" || natsDown(.12349) != "0.1234" || nats(math.NaN()) != "none" ||
		natsDown(math.Inf(1)) != "none" || figure(math.NaN()) != "none" || atMostPercent(.20902) != "21 %" ||
		atMostPercent(.0890001) != "8.91 %" || atMostPercent(.089) != "8.9 %" || atMostPercent(1) != "100 %" ||
		atMostPercent(.99999) != "100 %" || atMostPercent(0) != "0 %" {
		t.Error("a figure is rounded the wrong way")
	}
}

// A picture of nothing is empty.
func TestPicturesOfNothing(t *testing.T) {
	wellFormed(t, string((&Frontier{}).Chart().SVG("f")), "f")
	wellFormed(t, string(drawShares(nil, "s", "records", "0 points")), "s")
}

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{"": "(empty)", "a b": "a b", "a\tb": `a\tb`, "\u202e": `\u202e`,
		"\xff": `\xff`, "\ufffd": `\ufffd`, "é": "é", "\ufffe": `\ufffe`} {
		if got := Visible(in); got != want {
			t.Errorf("%q is shown as %q", in, got)
		}
	}
	if got := Cut("abcdefgh", 6); got != "abc..." {
		t.Errorf("cut to %q", got)
	}
	if got := Cut(strings.Repeat("é", 9000), 6); got != "ééé..." {
		t.Errorf("cut to %q", got)
	}
	if Cut("abcdef", 6) != "abcdef" {
		t.Error("a short label is cut")
	}
}

// TestSharesShown: values are those of records and of outputs, the commonest in
// either first; nothing is drawn where frequencies are of something else.
func TestSharesShown(t *testing.T) {
	label := func(s string) report.Label { return report.Label{Text: s} }
	r := &report.Report{Prior: report.Prior{Of: "this file"}, Shares: &report.Shares{Shift: "3/5"},
		Caps:    []report.Cap{{Label: label("a"), Share: .7}, {Label: label("b"), Share: .3}},
		Outputs: []report.Output{{Label: label("b"), Share: .2}, {Label: label("c"), Share: .8}}}
	want := []Share{{label("c"), 0, .8}, {label("a"), .7, 0}, {label("b"), .3, .2}}
	if got := sharesShown(r); !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
	if got := sharesTable(r)[0].Rows[0]; !slices.Equal(got, []string{"c", "0 %", "80 %", "+80.00"}) {
		t.Errorf("%q", got)
	}
	if r.Prior.Of = "declared prior"; sharesShown(r) != nil {
		t.Error("shares of a declared prior are drawn as those of records")
	}
	r.Prior.Of, r.Shares = "this file", nil
	if sharesTable(r) != nil {
		t.Error("shares are listed where some rows were not drawn anew")
	}
}

// TestExamples: a common value, a group and another value, whichever gains most.
func TestExamples(t *testing.T) {
	of := func(written ...float64) (out [][]string) {
		r := &report.Report{Prior: report.Prior{Of: "this file"}, Shares: &report.Shares{Shift: "1/10"}}
		for i, share := range []float64{.5, .3, .2, 0} {
			l := report.Label{Text: string(rune('a' + i))}
			r.Caps = append(r.Caps, report.Cap{Label: l, Share: share})
			r.Outputs = append(r.Outputs, report.Output{Label: l, Share: written[i]})
		}
		return examples(r).Rows
	}
	for _, c := range []struct {
		written []float64
		last    []string
	}{
		{[]float64{.4, .4, .1, .1}, []string{"b, most too common", "30", "40", "+10.00"}},
		{[]float64{.6, .3, .1, 0}, []string{"c, the rarest", "20", "10", "-10.00"}},
	} {
		rows := of(c.written...)
		if len(rows) != 3 || rows[0][0] != "a" || rows[1][0] != "the 3 commonest together" || !slices.Equal(rows[2], c.last) {
			t.Errorf("%v: %q, want the last to be %q", c.written, rows, c.last)
		}
	}
}

// TestWholeTicks: nothing is marked between levels.
func TestWholeTicks(t *testing.T) {
	for _, c := range []struct {
		last float64
		want int // ticks
	}{{3, 4}, {1, 2}, {2.5, 6}} {
		chart := newChart([]Series{{Points: []Point{{0, 0}, {c.last, 1}}}}, c.last != 2.5)
		if n := len(chart.XTicks); n != c.want {
			t.Errorf("0 to %v has %d ticks, want %d", c.last, n, c.want)
		}
	}
}
