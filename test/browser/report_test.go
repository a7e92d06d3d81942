package browser

import (
	"os/exec"
	"path/filepath"
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
		"--utility", "positions:"+filepath.Join(data, "tables/airports.csv"), "--max-factor", "4", "--drop",
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
			if len(all) < 8 {
				t.Fatalf("the report has only the sections %q", all)
			}
			sound(t, file, all...)
		})
	}
}

func TestReportPrints(t *testing.T) {
	if err := release(); err != nil {
		t.Fatal(err)
	}
	tab := open(t, "report/report.html", views["wide light"])
	err := chromedp.Run(tab.Context, chromedp.ActionFunc(func(ctx context.Context) error {
		pdf, _, err := page.PrintToPDF().Do(ctx)
		if err == nil && (len(pdf) < 10_000 || string(pdf[:5]) != "%PDF-") {
			t.Errorf("%d bytes are printed", len(pdf))
		}
		return err
	}))
	if err != nil {
		t.Fatal(err)
	}
}
