package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

const grades = "label,count\nA,4000\nB,3000\nC,2000\nD,900\nE,100\n"

// writeFrontier makes the page once.
func writeFrontier(t *testing.T, name, counts, spec string, more ...string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(folder, name+".csv"), []byte(counts), 0o600); err != nil {
		t.Fatal(err)
	}
	tacet(t, append([]string{"frontier", "--counts", name + ".csv", "--utility", spec, "--html", name + ".html",
		"--overwrite"}, more...)...)
}

func TestFrontierPageIsSound(t *testing.T) {
	writeFrontier(t, "sound", grades, "ordered:A,B,C,D,E")
	sound(t, "sound.html", "What is traded", "Choose", "All of these floors", "The tree trap", "How to read this")
}

// The figures follow the slider, by its keys, and the number of epsilon.
func TestFrontierPageFollowsTheReader(t *testing.T) {
	writeFrontier(t, "follow", grades, "ordered:A,B,C,D,E")
	tab := open(t, "follow.html", views["wide light"])
	seen := func() string {
		return value[string](t, tab,
			`Array.from(document.querySelectorAll(".stop")).filter(s => s.offsetHeight > 0).map(s => s.querySelector("h3").textContent).join("|")`)
	}
	ring := func() string {
		return value[string](t, tab, `document.querySelector(".tp-chosen").getAttribute("transform")`)
	}
	press := func(at, keys string) {
		t.Helper()
		if err := chromedp.Run(tab.Context, chromedp.Focus(at, chromedp.ByQuery), chromedp.KeyEvent(keys)); err != nil {
			t.Fatal(err)
		}
	}
	press("#floor", kb.Home)
	first, place := seen(), ring()
	if first == "" || strings.Contains(first, "|") {
		t.Fatalf("at the start %q are shown", first)
	}
	press("#floor", kb.ArrowRight)
	if next := seen(); next == first || ring() == place {
		t.Errorf("after the arrow key %q is shown, the ring at %s", next, ring())
	}
	press("#floor", kb.End)
	if last := seen(); last != "rank 5 of 5: the same letter" {
		t.Errorf("at the end %q is shown", last)
	}
	if said := value[string](t, tab,
		`document.getElementById("floor").getAttribute("aria-valuetext")`); !strings.Contains(said, "epsilon 4.61") {
		t.Errorf("the slider says %q", said)
	}
	press("#letter", "E")
	if said := value[string](t, tab,
		`document.getElementById("outputs").textContent`); said != "E may become 1 value: E." {
		t.Errorf("of E the page says %q", said)
	}
	// The best floor within 2.5 is the last but one.
	press("#epsilon", "2.5")
	if got := seen(); !strings.HasPrefix(got, "rank 4 of 5") {
		t.Errorf("epsilon 2.5 shows %q", got)
	}
	if said := value[string](t, tab, `document.getElementById("said").textContent`); !strings.Contains(said,
		"buys: rank 4 of 5") {
		t.Errorf("the page says %q", said)
	}
	if said := value[string](t, tab, `document.getElementById("outputs").textContent`); !strings.HasPrefix(said,
		"E may become 2 values") {
		t.Errorf("of E the page says %q", said)
	}
}

// Without a script every floor stands there with its command.
func TestFrontierPageWithoutScript(t *testing.T) {
	writeFrontier(t, "plain", grades, "ordered:A,B,C,D,E")
	tab := open(t, "plain.html", views["no script"])
	stops := value[int](t, tab,
		`Array.from(document.querySelectorAll(".stop pre")).filter(s => s.offsetHeight > 0).length`)
	rows := value[int](t, tab, `document.querySelectorAll("tbody tr").length`)
	if stops < 3 || stops != rows {
		t.Errorf("%d commands and %d rows are shown", stops, rows)
	}
	if value[bool](t, tab, `document.getElementById("controls").offsetHeight > 0`) {
		t.Error("the slider is shown, and nothing moves it")
	}
}

// Every command does what its floor shows.
func TestFrontierPageCommands(t *testing.T) {
	writeFrontier(t, "it's", grades, "ordered:A,B,C,D,E")
	tab := open(t, "it's.html", views["no script"])
	for i, command := range value[[]string](t, tab,
		`Array.from(document.querySelectorAll(".stop pre")).map(p => p.textContent)`) {
		want := value[float64](t, tab,
			fmt.Sprintf(`JSON.parse(document.getElementById("data").textContent).stops[%d].epsilon`, i))
		c := exec.Command("sh", "-c", command)
		c.Dir, c.Env = folder, append(os.Environ(), "PATH="+folder+":"+os.Getenv("PATH"))
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%s\n%v\n%s", command, err, out)
		}
		var plan struct {
			Epsilon struct{ Nats float64 }
			Floor   struct{ Rank int }
		}
		data, err := os.ReadFile(filepath.Join(folder, "plan.json"))
		if err == nil {
			err = json.Unmarshal(data, &plan)
		}
		if err != nil {
			t.Fatal(err)
		}
		if plan.Epsilon.Nats > want+.0102 || !strings.Contains(command, fmt.Sprintf("--floor-rank %d ", plan.Floor.Rank)) {
			t.Errorf("%s\ngives rank %d at epsilon %v, the page shows %v", command, plan.Floor.Rank, plan.Epsilon.Nats, want)
		}
		for _, f := range []string{"plan.json", "order.csv"} {
			if err := os.Remove(filepath.Join(folder, f)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// The browser prints the page whole.
func TestFrontierPagePrints(t *testing.T) {
	writeFrontier(t, "print", grades, "ordered:A,B,C,D,E")
	tab := open(t, "print.html", views["wide light"])
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

// Labels that are markup, that turn text round or that are very long harm
// nothing.
func TestFrontierPageOfBadLabels(t *testing.T) {
	bad := []string{`<script>window.broken = 1</script>`, `"><img src=x onerror="window.broken = 1">`, `</script><b>`,
		"a\u202eb\u0007c", "שלום عليكم", "=cmd|' /C calc'!A0", strings.Repeat("long ", 2000), "`${window.broken = 1}`"}
	var counts, list strings.Builder
	counts.WriteString("label,count\n")
	for _, l := range append(bad, "") {
		quoted := `"` + strings.ReplaceAll(l, `"`, `""`) + `"`
		counts.WriteString(quoted + ",100\n")
		list.WriteString(quoted + "\n")
	}
	if err := os.WriteFile(filepath.Join(folder, "list.txt"), []byte(list.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	writeFrontier(t, "bad", counts.String(), "ordered:@list.txt")
	sound(t, "bad.html", "Choose", "All of these floors", "Labels that are cut above")
	tab := open(t, "bad.html", views["wide light"])
	for i := range bad {
		if err := chromedp.Run(tab.Context, chromedp.Focus("#letter", chromedp.ByQuery),
			chromedp.KeyEvent(kb.ArrowDown)); err != nil {
			t.Fatal(err)
		}
		if value[bool](t, tab, `window.broken !== undefined || document.querySelector("img, main b") !== null`) {
			t.Fatalf("label %d is read as markup", i)
		}
	}
	text := value[string](t, tab, `document.body.innerText`)
	for _, r := range "\u202e\u0007" {
		if strings.ContainsRune(text, r) {
			t.Errorf("%U stands in the page", r)
		}
	}
	if !strings.Contains(text, `a\u202eb\ac`) || !strings.Contains(text, "(empty)") ||
		!strings.Contains(text, strings.Repeat("long ", 1990)) {
		t.Error("a label is not shown")
	}
}
