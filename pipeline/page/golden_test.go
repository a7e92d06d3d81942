package page

import (
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline/report"
)

// sketches are pictures by what they show: numbers in place and zones, labels that are more than text,
// and points that are not finite.
func sketches() map[string]*Frontier {
	none := math.NaN()
	return map[string]*Frontier{
		"steps": {By: "level", Of: 3, Floors: []Floor{{Floor: 0, Nothing: true}, {Floor: 1, Safe: 5, Optimal: 2, Lower: 1},
			{Floor: 2, Safe: 10, Optimal: 4, Lower: 4}, {Floor: 3, Safe: 10, Optimal: 10, Lower: 10, Unchanged: true}},
			Asked: &Point{1, 2}, Chosen: &Point{2, 4}},
		"names": {Column: strings.Repeat("long ", 40), By: "value", Unit: `"><b>`, LimitedName: "<script>",
			Limited: []Series{{Points: []Point{{1, 1}, {7, 2}}}}},
		"finite": {By: "rank", Of: 2, Floors: []Floor{{Floor: 0, Safe: math.Inf(-1), Optimal: none, Lower: none},
			{Floor: none, Safe: 1, Optimal: 1, Lower: 1}, {Floor: 1, Safe: 2, Optimal: 2, Lower: 2}},
			Chosen: &Point{math.Inf(1), 0}},
	}
}

// TestGoldens holds documents, the page to choose on and pictures to testdata, which
// TACET_UPDATE=1 writes.
func TestGoldens(t *testing.T) {
	judged := sample()
	judged.Beside = report.Beside{State: "measured", Records: 10, Of: 10, Runs: &report.Runs{},
		Columns: []report.Told{{Names: []string{"rare"}, Why: "it has too few rows to judge", Verdict: "not judged"}},
		Place:   &report.Told{Judged: true, Verdict: "clear", GainMost: .05}}
	p := small()
	p.Stops[1].Shares = []Share{{report.Label{Text: "a"}, 0, .5}, {report.Label{Text: "l"}, .11, 0}}
	p.Stops[1].Points = "50"
	texts := map[string]string{"report.txt": shown(t, Internal(sample()), "text"),
		"public.txt":  shown(t, Public(sample().Publish()), "text"),
		"public.html": shown(t, Public(sample().Publish()), "html"),
		"judged.html": shown(t, Internal(judged), "html"), "frontier.html": written(t, p)}
	for name, d := range sketches() {
		texts[name+".svg"] = string(d.Chart().SVG("chart"))
	}
	fixed := regexp.MustCompile(`(?s)<style>.*?</style>|<script>.*?</script>|sha256-[^&]*`) // files of their own
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		got, path := fixed.ReplaceAllString(texts[name], ""), filepath.Join("testdata", name)
		if strings.HasSuffix(name, ".svg") {
			if id := regexp.MustCompile(`title id="(.*?)-title`).FindStringSubmatch(got); id != nil {
				wellFormed(t, got, id[1])
			}
		}
		if os.Getenv("TACET_UPDATE") == "1" {
			if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if want, err := os.ReadFile(path); err != nil || string(want) != got {
			t.Errorf("%s is another (%v); TACET_UPDATE=1 go test -run TestGoldens ./pipeline/page writes it, and git diff shows "+
				"what changed", path, err)
		}
	}
}
