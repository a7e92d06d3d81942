package page

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
)

func draw(t *testing.T, c Chart) string {
	t.Helper()
	var b bytes.Buffer
	if err := c.WriteSVG(&b); err != nil {
		t.Fatal(err)
	}
	for d := xml.NewDecoder(bytes.NewReader(b.Bytes())); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return b.String()
		} else if err != nil {
			t.Fatalf("no XML: %v\n%s", err, b.String())
		}
	}
}

func TestChartHasItsNumbersInPlace(t *testing.T) {
	s := draw(t, Chart{Name: "T", Description: "D", X: "x", Y: "y",
		Series: []Series{{Name: "line", Step: true, Points: []Point{{0, 0}, {5, 10}, {10, 5}}}}})
	// 0..10 over 58..544 and 322..44.
	for _, want := range []string{`d="M58 322V44H301V183H544M`, "<title id=\"chart-title\">T</title>",
		"<desc id=\"chart-desc\">D</desc>", ">line</text>"} {
		if !strings.Contains(s, want) {
			t.Errorf("%s is missing in\n%s", want, s)
		}
	}
}

func TestBoundHoldsUntilTheNextPoint(t *testing.T) {
	s := draw(t, Chart{Name: "T", X: "x", Y: "y", Series: []Series{{Name: "bound", Hold: true,
		Points: []Point{{0, 0}, {5, 5}, {10, 10}}}}})
	if want := `d="M58 322H301V183H544V44M`; !strings.Contains(s, want) {
		t.Errorf("%s is missing in\n%s", want, s)
	}
}

func TestChartDrawsTheFirstSeriesAboveTheOthers(t *testing.T) {
	s := draw(t, Chart{Name: strings.Repeat("long ", 40), Series: []Series{{Name: "one", Points: []Point{{1, 1}, {7, 2}}},
		{Name: "two", Points: []Point{{1, 2}, {7, 1}}}}})
	if strings.Index(s, ">one</text>") < strings.Index(s, ">two</text>") {
		t.Errorf("the first series lies below:\n%s", s)
	}
	// The axis of x ends where the points do; the long title is cut, whole in
	// the title element.
	if !strings.Contains(s, `d="M58 322L544 44M`) || !strings.Contains(s, "long long...</text>") ||
		!strings.Contains(s, strings.Repeat("long ", 40)+"</title>") {
		t.Errorf("got\n%s", s)
	}
}

func TestChartEscapesLabels(t *testing.T) {
	s := draw(t, Chart{Name: "<script>alert(1)</script>", Series: []Series{{Name: `"><b>`, Points: []Point{{1, 1}}}},
		Mark: &Point{1, 1}, MarkName: "<i>"})
	for _, bad := range []string{"<script", "<b>", "<i>"} {
		if strings.Contains(s, bad) {
			t.Errorf("%s stands in\n%s", bad, s)
		}
	}
}

func TestChartLeavesOutWhatIsNotFinite(t *testing.T) {
	s := draw(t, Chart{Series: []Series{{Points: []Point{{0, math.Inf(-1)}, {math.NaN(), 1}, {1, 2}}}, {}},
		Mark: &Point{math.Inf(1), 0}})
	if strings.Contains(s, "NaN") || strings.Contains(s, "Inf") || strings.Contains(s, "r=\"8\"") {
		t.Errorf("an infinite point is drawn:\n%s", s)
	}
}

// TestWholeTicks: nothing is marked between levels.
func TestWholeTicks(t *testing.T) {
	for _, c := range []struct {
		last float64
		want int // ticks
	}{{3, 4}, {1, 2}, {2.5, 6}} {
		chart := &Chart{Series: []Series{{Points: []Point{{0, 0}, {c.last, 1}}}}}
		if _, _, ticks, _ := chart.scales(); len(ticks) != c.want {
			t.Errorf("0 to %v has %d ticks, want %d", c.last, len(ticks), c.want)
		}
	}
}
