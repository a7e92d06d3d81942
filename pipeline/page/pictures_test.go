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
)

// wellFormed returns the texts of a drawing, and fails where it is no XML or
// has no name for those who do not see it.
func wellFormed(t *testing.T, p Picture) (svg string, text []string) {
	t.Helper()
	out, err := p.SVG("id-7")
	if err != nil {
		t.Fatal(err)
	}
	svg = string(out)
	for _, want := range []string{`role="img"`, `aria-labelledby="id-7-title id-7-desc"`, `<title id="id-7-title">`,
		`<desc id="id-7-desc">`} {
		if !strings.Contains(svg, want) {
			t.Errorf("%s: %s is missing", p.Title(), want)
		}
	}
	if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
		t.Errorf("%s: a number is not finite:\n%s", p.Title(), svg)
	}
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return svg, text
		} else if err != nil {
			t.Fatalf("%s: no XML: %v", p.Title(), err)
		}
		if s, ok := token.(xml.CharData); ok && strings.TrimSpace(string(s)) != "" {
			text = append(text, string(s))
		}
	}
}

// bad are labels that try to be more than text.
var bad = []string{"<script>alert(1)</script>", `"><b>`, "a\u202eb\x00\x07", "\xff\xfe", "", "=cmd", "שלום",
	strings.Repeat("ä<", 5000), "\ufffe"}

// pictures are one of each kind with these labels.
func pictures(label []string) []Picture {
	l, c, m := &Leakage{Target: 1}, &Caps{}, &Places{From: Place{Label: label[0]}, Degrees: true, Unit: "km"}
	for i, s := range label {
		l.Outputs = append(l.Outputs, Output{s, .9 - float64(i)/1000, "5/2", 3, .01})
		c.Values = append(c.Values, Cap{s, .1, .25, .2})
		m.To = append(m.To, Destination{Place{s, float64(i), float64(-i)}, 1 / float64(len(label)), float64(i)})
	}
	f := &Frontier{Column: label[0], By: "rank", Of: 2, Floors: []Floor{{1, "w", 0, math.NaN(), 0, 0, -1, -1, false, true},
		{2, "w", 2, 2, 1, .5, 0, 0, true, false}}, Chosen: &Point{2, 1}, ChosenName: label[0]}
	return []Picture{f, l, c, m}
}

func TestPicturesOfBadLabels(t *testing.T) {
	for i := range bad {
		label := append(slices.Clone(bad[i:]), bad[:i]...)
		for _, p := range pictures(label) {
			svg, text := wellFormed(t, p)
			if strings.Contains(svg, "<script") || strings.Contains(svg, "<b>") ||
				strings.ContainsAny(svg, "\u202e\x00\x07\ufffe") {
				t.Errorf("%s: a label is more than text", p.Title())
			}
			if len(svg) > 20_000 {
				t.Errorf("%s: %d bytes", p.Title(), len(svg))
			}
			if len(text) < 4 {
				t.Errorf("%s: only %q is said", p.Title(), text)
			}
		}
	}
}

// Tables have every row, whole labels and rounded-up leakages.
func TestTables(t *testing.T) {
	var label []string
	for i := range 300 {
		label = append(label, fmt.Sprintf("letter %d with a name that has no room in the picture", i))
	}
	for _, p := range pictures(label) {
		svg, _ := wellFormed(t, p)
		table := p.Table()
		for _, row := range table.Rows {
			if len(row) != len(table.Head) {
				t.Errorf("%s: %d cells under %d heads", p.Title(), len(row), len(table.Head))
			}
		}
		switch p.(type) {
		case *Leakage:
			if r := table.Rows[299]; len(table.Rows) != 300 || r[0] != label[299] || r[1] != "0.601" || r[2] != "5/2" ||
				r[3] != "3" || r[4] != "1 %" {
				t.Errorf("the last output is %q", r)
			}
			if !strings.Contains(svg, "The 24 that tell most of 300") || strings.Contains(svg, ">"+label[0]) {
				t.Error("the picture does not say what it leaves out")
			}
		case *Caps:
			if r := table.Rows[0]; r[1] != "10 %" || r[2] != "25 %" || r[3] != "20 %" {
				t.Errorf("the first value is %q", r)
			}
		case *Places:
			if r := table.Rows[299]; r[2] != "299 km" {
				t.Errorf("the farthest is %q", r)
			}
		case *Frontier:
			if r := table.Rows[1]; r[0] != "rank 2" || r[2] != "2" || r[5] != "0.5" || table.Rows[0][3] != "none" {
				t.Errorf("the frontier is %q", table.Rows)
			}
		}
	}
	if natsLabel(.12341) != "0.1235" || natsDown(.12349) != "0.1234" || natsLabel(math.NaN()) != "none" ||
		percentLabel(math.NaN()) != "none" || percentLabel(1e-9) != "below 0.0001 %" || atMostLabel(.20902) != "21 %" ||
		atMostLabel(.0890001) != "8.91 %" || atMostLabel(.089) != "8.9 %" || atMostLabel(1) != "100 %" ||
		atMostLabel(.99999) != "100 %" || atMostLabel(0) != "0 %" {
		t.Error("a figure is rounded the wrong way")
	}
}

// Across the date line the neighbour is near, and nothing divides by zero.
func TestPlacesOnTheSphere(t *testing.T) {
	m := &Places{From: Place{"a", 179, 10}, Degrees: true, To: []Destination{{Place{"b", -179, 10}, 1, 222}},
		Others: []Place{{"c", 0, 0}}}
	d := &places{frame: frame{Height: 420}}
	at, unit := m.projection(d)
	if a, b := at(m.From), at(m.To[0].Place); !(b.X > a.X) || !(math.Abs((b.X-a.X)*unit-219) <= 2) {
		t.Errorf("%v and %v at %v a unit", a, b, unit)
	}
	alone := &Places{From: Place{"a", 1, 1}, To: []Destination{{Place{"a", 1, 1}, 1, 0}}}
	wellFormed(t, alone)
	wellFormed(t, &Places{})
	wellFormed(t, &Leakage{Target: math.NaN()})
	wellFormed(t, &Caps{})
	wellFormed(t, &Frontier{})
}

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{"": "(empty)", "a b": "a b", "a\tb": `a\u0009b`, "\u202e": `\u202e`,
		"\xff": `\xff`, "\ufffd": "\ufffd", "é": "é", "\ufffe": `\ufffe`} {
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
