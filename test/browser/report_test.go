package browser

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"context"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// release makes the demo's release once, with its internal and its public
// report.
var release = sync.OnceValue(func() error {
	data, err := filepath.Abs("../../testdata")
	if err != nil {
		return err
	}
	c := exec.Command(program, "run", "--input", filepath.Join(data, "tables/flights.parquet"), "--column", "origin",
		"--utility", "positions:"+filepath.Join(data, "tables/airports.csv"), "--max-factor", "4", "--max-shift", "5%",
		"--drop",
		"destination,distance",
		"--output", "out.parquet", "--report", "report", "--test-seed", "1")
	c.Dir = folder
	return c.Run()
})

func TestReportsAreSound(t *testing.T) {
	if err := release(); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"report/report.html", "report/public/report.html"} {
		t.Run(strings.ReplaceAll(file, "/", " "), func(t *testing.T) {
			all := value[[]string](t, open(t, file, views["wide light"]),
				`Array.from(document.querySelectorAll("h2")).map(h => h.textContent.trim())`)
			if len(all) < 6 {
				t.Fatalf("the report has only the sections %q", all)
			}
			sound(t, file, all...)
		})
	}
}

// TestReportIsReadFromTheTop: the table of risks is on the first screen, the first picture
// on the second, and what a reviewer reads is no longer than a few.
func TestReportIsReadFromTheTop(t *testing.T) {
	if err := release(); err != nil {
		t.Fatal(err)
	}
	tab := open(t, "report/report.html", views["wide light"])
	at := func(what string) int64 {
		return value[int64](t, tab, `Math.ceil(document.querySelector("`+what+`").getBoundingClientRect().top + scrollY)`)
	}
	if y := at("#sheet table"); y <= 0 || y > 900-200 {
		t.Errorf("the table of risks begins at %d", y)
	}
	if y := at("svg"); y <= 0 || y > 1200 {
		t.Errorf("the first picture begins at %d", y)
	}
	if y := at("#annex"); y <= 1000 || y > 6000 {
		t.Errorf("the annex begins at %d: %v", y, value[map[string]float64](t, tab, `Object.fromEntries(
			Array.from(document.querySelectorAll("section")).map(s => [s.id, s.getBoundingClientRect().height]))`))
	}
	if tall := value[int64](t, tab, `document.scrollingElement.scrollHeight`); tall > 8000 {
		t.Errorf("the page is %d tall with its annex folded", tall)
	}
}

// papers are sheets in inches.
var papers = map[string][2]float64{"A4": {210 / 25.4, 297 / 25.4}, "Letter": {8.5, 11}}

// printed is a page on paper, and the number of its sheets.
func printed(t *testing.T, tab *Tab, paper [2]float64) (pdf []byte, sheets int) {
	t.Helper()
	err := chromedp.Run(tab.Context, chromedp.ActionFunc(func(ctx context.Context) (err error) {
		pdf, _, err = page.PrintToPDF().WithPaperWidth(paper[0]).WithPaperHeight(paper[1]).Do(ctx)
		return err
	}))
	if err != nil {
		t.Fatal(err)
	}
	return pdf, len(sheet.FindAll(pdf, -1))
}

var sheet = regexp.MustCompile(`/Type\s*/Page\b`)

func TestReportPrints(t *testing.T) {
	if err := release(); err != nil {
		t.Fatal(err)
	}
	for name, paper := range papers {
		t.Run(name, func(t *testing.T) {
			tab := open(t, "report/report.html", views["print"])
			pdf, all := printed(t, tab, paper)
			if len(pdf) < 10_000 || string(pdf[:5]) != "%PDF-" || all < 4 {
				t.Errorf("%d bytes, %d sheets", len(pdf), all)
			}
			value[bool](t, tab, `document.querySelectorAll("#sheet ~ *").forEach(e => e.remove()),
				document.querySelector("#sheet").style.breakAfter = "auto", true`)
			if _, first := printed(t, tab, paper); first != 1 {
				t.Errorf("page one takes %d sheets", first)
			}
		})
	}
}

// TestPrintHasAll: nothing is folded on paper, and nothing is wider than it.
func TestPrintHasAll(t *testing.T) {
	if err := release(); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"report/report.html", "report/public/report.html"} {
		tab := open(t, file, View{Width: 687, Height: 1000, Print: true}) // A4 within its margins
		folded := value[[]string](t, tab, `Array.from(document.querySelectorAll("#annex > details"))
			.filter(d => Array.from(d.children).some(c => c.tagName != "SUMMARY" && c.getBoundingClientRect().height == 0))
			.map(d => d.id)`)
		if len(folded) > 0 || value[int](t, tab, `document.querySelectorAll("#annex > details").length`) < 2 {
			t.Errorf("%s: %q are folded", file, folded)
		}
		wide := value[[]string](t, tab, `Array.from(document.querySelectorAll("main *"))
			.filter(e => e.getBoundingClientRect().right > 688).map(e => e.tagName + " " + e.textContent.slice(0, 60))`)
		if len(wide) > 0 {
			t.Errorf("%s: cut at the right: %q", file, wide[:min(len(wide), 5)])
		}
	}
}
