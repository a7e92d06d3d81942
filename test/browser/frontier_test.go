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

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
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
	sound(t, "sound.html", "What is traded", "Choose", "All of these floors", "How to read this")
}

// The figures follow the slider, by its keys, and the number of epsilon.
func TestFrontierPageFollowsTheReader(t *testing.T) {
	writeFrontier(t, "follow", grades, "ordered:A,B,C,D,E")
	tab := open(t, "follow.html", views["wide light"])
	seen := func() string {
		return value[string](t, tab,
			`Array.from(document.querySelectorAll(".stop")).filter(s => s.offsetHeight > 0)`+
				`.map(s => s.querySelector("h3").textContent).join("|")`)
	}
	ring := func() string {
		return value[string](t, tab, `document.querySelector(".tp-chosen").getAttribute("transform")`)
	}
	press(t, tab, "#share", "none")
	press(t, tab, "#floor", kb.Home)
	first, place := seen(), ring()
	if first == "" || strings.Contains(first, "|") {
		t.Fatalf("at the start %q are shown", first)
	}
	press(t, tab, "#floor", kb.ArrowRight)
	if next := seen(); ring() == place {
		t.Errorf("after the arrow key %q is shown, the ring at %s", next, ring())
	}
	press(t, tab, "#floor", kb.End)
	if last := seen(); last != "rank 5 of 5: the same value" {
		t.Errorf("at the end %q is shown", last)
	}
	if said := value[string](t, tab,
		`document.getElementById("floor").getAttribute("aria-valuetext")`); !strings.Contains(said, "epsilon 4.61") {
		t.Errorf("the slider says %q", said)
	}
	// The best floor within 2.5 is the last but one.
	press(t, tab, "#epsilon", "2.5")
	if got := seen(); !strings.HasPrefix(got, "rank 4 of 5") {
		t.Errorf("epsilon 2.5 shows %q", got)
	}
	if said := value[string](t, tab, `document.getElementById("said").textContent`); !strings.Contains(said,
		"buys at least: rank 4 of 5") {
		t.Errorf("the page says %q", said)
	}
}

// press gives keys to an element, as a reader does who has tabbed to it.
func press(t *testing.T, tab *Tab, at, keys string) {
	t.Helper()
	value[bool](t, tab, `document.activeElement.blur(), true`)
	if err := chromedp.Run(tab.Context, chromedp.Focus(at, chromedp.ByQuery), chromedp.KeyEvent(keys)); err != nil {
		t.Fatal(err)
	}
}

// title is the head of the one card that is shown.
func title(t *testing.T, tab *Tab) string {
	t.Helper()
	return value[string](t, tab,
		`Array.from(document.querySelectorAll(".stop")).filter(s => s.offsetHeight > 0)`+
			`.map(s => s.querySelector("h3").textContent).join("|")`)
}

func said(t *testing.T, tab *Tab) string {
	t.Helper()
	return value[string](t, tab, `document.getElementById("said").textContent`)
}

// A box is where an element lies in the window.
type box struct{ Left, Top, Right, Bottom float64 }

func boxOf(t *testing.T, tab *Tab, selector string) box {
	t.Helper()
	return value[box](t, tab, `(r => ({Left: r.left, Top: r.top, Right: r.right, Bottom: r.bottom}))(`+
		`Array.from(document.querySelectorAll("`+selector+`")).filter(e => e.offsetHeight > 0 || e.clientHeight > 0)[0]`+
		`.getBoundingClientRect())`)
}

// Chart and card stand side by side in a wide window, with the command in sight, and one
// below the other in a narrow one.
func TestFrontierPageFits(t *testing.T) {
	writeFrontier(t, "fits", grades, "ordered:A,B,C,D,E")
	tab := open(t, "fits.html", views["wide light"])
	chart, card, command := boxOf(t, tab, ".chart svg"), boxOf(t, tab, ".stop"), boxOf(t, tab, ".stop pre")
	if !(chart.Right <= card.Left && chart.Bottom <= 900 && card.Top < chart.Bottom && command.Bottom <= 900) {
		t.Errorf("at 1280 by 900 the chart is at %+v, the card at %+v, the command at %+v", chart, card, command)
	}
	if over := value[float64](t, tab, `(e => e.scrollWidth - e.clientWidth)(`+
		`document.querySelector(".stop:not([hidden]) .outlook").parentElement)`); over > 0 {
		t.Errorf("at 1280 the table of what analysts get is cut off by %v", over)
	}
	tab = open(t, "fits.html", views["narrow light"])
	chart, card = boxOf(t, tab, ".chart svg"), boxOf(t, tab, ".stop")
	if !(chart.Bottom <= card.Top && card.Left < chart.Right && chart.Right <= 390 && card.Right <= 390) {
		t.Errorf("at 390 the chart is at %+v, the card at %+v", chart, card)
	}
}

// What is typed is read as it is meant, or the page says what is wrong with it.
func TestFrontierPageReadsText(t *testing.T) {
	writeFrontier(t, "typed", grades, "ordered:A,B,C,D,E")
	tab := open(t, "typed.html", views["wide light"])
	press(t, tab, "#share", "none")
	for _, c := range []struct{ text, title, said string }{
		{"1,4", "rank 4 of 5", "Epsilon 1.4 buys at least: rank 4"},
		{"1.4", "rank 4 of 5", "Epsilon 1.4 buys at least: rank 4"},
		{"log(4)", "rank 4 of 5", "Epsilon 1.3863 buys: rank 4"},
		{"ln( 10/3 )", "rank 3 of 5", "Epsilon 1.204 buys at least: rank 3"}, // rank 4 is asked for with 1.21
		{"0", "rank 3 of 5", "Epsilon 0 buys"},
		{"14", "rank 5 of 5", "Epsilon 14, 1,202,605 times: the data stays as it is. Less than 4.6052 changes something."},
		{"abc", "rank 5 of 5", "\u201cabc\u201d is no epsilon: type a number such as 1.4 or 1,4, or log(4)."},
		{"1.2.3", "rank 5 of 5", "is no epsilon"},
		{"log(1/2)", "rank 5 of 5", "is negative"},
		{"log(1/0)", "rank 5 of 5", "is negative"},
		{"-1", "rank 5 of 5", "never below 0"},
		{"5 %", "rank 5 of 5", "Epsilon is no share of records"},
	} {
		press(t, tab, "#epsilon", c.text)
		wrong := value[bool](t, tab, `document.getElementById("epsilon").getAttribute("aria-invalid") === "true"`)
		if got := title(t, tab); !strings.HasPrefix(got, c.title) || !strings.Contains(said(t, tab), c.said) ||
			wrong == strings.HasPrefix(c.said, "Epsilon") && !strings.Contains(c.said, "share") {
			t.Errorf("%q shows %q and says %q (wrong: %v), want %q and %q", c.text, got, said(t, tab), wrong, c.title, c.said)
		}
	}
	press(t, tab, "#epsilon", "1.4")
	if note := value[string](t, tab,
		`document.getElementById("epsilon-note").textContent`); note != "at most 4.06 times as likely" {
		t.Errorf("beside 1.4 stands %q", note)
	}
	limit := func() string {
		return value[string](t, tab, `document.getElementById("shift").getAttribute("aria-valuetext")`)
	}
	for _, c := range []struct{ text, limit, said string }{
		{"5 %", "at most 5% of all records", ""}, {"5%", "at most 5% of all records", ""},
		{"0,02", "at most 2% of all records", ""}, {"1/10", "at most 5% of all records", ""},
		{"7 %", "at most 5% of all records", ""}, {"none", "no limit", ""},
		{"5", "no limit", "type \u201c5 %\u201d if that is meant"}, {"abc", "no limit", "\u201cabc\u201d is no share"},
		{"200 %", "no limit", "at most 100 %"}, {"0.1 %", "at most 0% of all records", ""}, {"none", "no limit", ""},
		{"-5 %", "no limit", "is no share"},
	} {
		press(t, tab, "#share", c.text)
		wrong := value[bool](t, tab, `document.getElementById("share").getAttribute("aria-invalid") === "true"`)
		if limit() != c.limit || !strings.Contains(said(t, tab), c.said) || wrong != (c.said != "") {
			t.Errorf("%q sets %q and says %q (wrong: %v), want %q and %q", c.text, limit(), said(t, tab), wrong, c.limit, c.said)
		}
	}
}

// Every sentence about an epsilon and a limit that are typed is what tacet design does with
// both: of what the grid has exactly that, else at least that.
func TestFrontierPageSaysWhatDesignDoes(t *testing.T) {
	writeFrontier(t, "design", grades, "ordered:A,B,C,D,E", "--max-shift", "5%", "--max-factor", "4")
	tab, plans := open(t, "design.html", views["wide light"]), t.TempDir()
	if got := value[string](t, tab, `document.getElementById("epsilon").value + " " + `+
		`document.getElementById("share").value`); got != "log(4) 5%" {
		t.Errorf("the page starts at %s", got)
	}
	for _, limit := range []string{"none", "5%", "2%", "1%", "0%"} {
		press(t, tab, "#share", limit)
		for _, epsilon := range []string{"log(1.5)", "log(2)", "log(4)", "0.5", "1.25", "log(10)"} {
			press(t, tab, "#epsilon", epsilon)
			c := exec.Command("./tacet", "design", "--counts", "design.csv", "--column", "c", "--utility", "ordered:A,B,C,D,E",
				"--epsilon", epsilon, "--max-shift", limit, "--write-plan", filepath.Join(plans, "plan.json"), "--overwrite")
			c.Dir = folder
			out, err := c.CombinedOutput()
			if !strings.Contains(epsilon, "log") && strings.Contains(string(out), "tells nothing") {
				continue // of which the page says nothing: it knows a design for less
			}
			if err != nil {
				t.Fatalf("%v: %v\n%s", c.Args, err, out)
			}
			var rank int
			_, after, _ := strings.Cut(string(out), "floor:")
			fmt.Sscanf(strings.TrimSpace(after), "rank %d", &rank)
			told, searched := 0, strings.Contains(epsilon, "log")
			_, after, found := strings.Cut(said(t, tab), "rank ")
			fmt.Sscanf(after, "%d", &told)
			if exact := strings.Contains(said(t, tab), "buys: "); !found || rank == 0 || told > rank ||
				exact && told != rank || searched && !exact && limit != "none" {
				t.Errorf("within %s at %s design gives rank %d, the page says %q", limit, epsilon, rank, said(t, tab))
			}
		}
		press(t, tab, "#epsilon", "0.0001")
		if got := said(t, tab); limit != "none" && !strings.HasPrefix(got, "Of what was searched, nothing costs so little") {
			t.Errorf("of epsilon 0.0001 within %s the page says %q", limit, got)
		}
	}
}

// Every control is reached by the keyboard, in the order of the page, and works; the
// chart, the slider and the buttons work with the mouse.
func TestFrontierPageByKeyboardAndMouse(t *testing.T) {
	writeFrontier(t, "hands", grades, "ordered:A,B,C,D,E")
	tab := open(t, "hands.html", views["wide light"])
	var order []string
	for range 9 {
		if err := chromedp.Run(tab.Context, chromedp.KeyEvent(kb.Tab)); err != nil {
			t.Fatal(err)
		}
		order = append(order, value[string](t, tab, `(e => e.id || e.className || e.tagName)(document.activeElement)`))
	}
	if got := strings.Join(order, " "); got != "floor epsilon shift share wide suggested wide copy wide" {
		t.Errorf("the tabulator goes to %s", got)
	}
	limit := func() string { return value[string](t, tab, `document.getElementById("share").value`) }
	press(t, tab, "#shift", kb.Home)
	if limit() != "none" || !strings.Contains(said(t, tab), "no limit") {
		t.Errorf("Home sets the limit %q and says %q", limit(), said(t, tab))
	}
	press(t, tab, "#shift", kb.End)
	if limit() != "0%" {
		t.Errorf("End sets the limit %q", limit())
	}
	// Enter on the button goes to what is suggested, and the address with it.
	press(t, tab, "#suggested", kb.Enter)
	suggested := value[string](t, tab, `document.querySelector(".suggested strong").textContent`)
	if at, _, _ := strings.Cut(title(t, tab), ":"); !strings.Contains(suggested, at) {
		t.Errorf("%q leads to %q", suggested, title(t, tab))
	}
	click := func(x, y float64) {
		t.Helper()
		if err := chromedp.Run(tab.Context, chromedp.MouseClickXY(x, y)); err != nil {
			t.Fatal(err)
		}
	}
	// A click near each point of the chart shows it.
	stops := value[int](t, tab, `JSON.parse(document.getElementById("data").textContent).stops.length`)
	for i := range stops {
		p := value[box](t, tab, fmt.Sprintf(`(s => (p => ({Left: p.x, Top: p.y}))(new DOMPoint(s.x, s.y).matrixTransform(`+
			`document.querySelector(".chart svg").getScreenCTM())))(`+
			`JSON.parse(document.getElementById("data").textContent).stops[%d])`, i))
		click(p.Left, p.Top)
		far := value[float64](t, tab, fmt.Sprintf(`(s => { `+
			`const m = document.querySelector(".tp-chosen").transform.baseVal[0].matrix; `+
			`return Math.hypot(m.e - s.x, m.f - s.y) })(JSON.parse(document.getElementById("data").textContent).stops[%d])`, i))
		if !(far <= 2) {
			t.Errorf("a click on stop %d moves the ring to %v from it", i, far)
		}
	}
	press(t, tab, "#share", "none")
	slider := boxOf(t, tab, "#floor")
	click(slider.Right-3, (slider.Top+slider.Bottom)/2)
	if got := title(t, tab); !strings.HasPrefix(got, "rank 5 of 5") {
		t.Errorf("a click at the end of the slider shows %q", got)
	}
}

// The address holds what is shown, without a label of the data, and brings it back.
func TestFrontierPageAddress(t *testing.T) {
	writeFrontier(t, "address", grades, "ordered:A,B,C,D,E")
	tab := open(t, "address.html", views["wide light"])
	hash := func() string { return value[string](t, tab, `location.hash`) }
	press(t, tab, "#share", "5 %")
	press(t, tab, "#floor", kb.End)
	if hash() != "#epsilon=log%2850%29&shares=5%25" {
		t.Errorf("the address is %q", hash())
	}
	press(t, tab, "#floor", kb.ArrowLeft)
	shown, at := title(t, tab), hash()
	if err := chromedp.Run(tab.Context, chromedp.Reload()); err != nil {
		t.Fatal(err)
	}
	if title(t, tab) != shown || hash() != at {
		t.Errorf("loaded again, %s shows %q, not %q", hash(), title(t, tab), shown)
	}
	value[string](t, tab, `new Promise(done => { addEventListener("hashchange", () => setTimeout(done, 0, "")); `+
		`location.hash = "#floor=5" })`)
	if got := title(t, tab); !strings.HasPrefix(got, "rank 5 of 5") || hash() != "#floor=5" {
		t.Errorf("the address #floor=5 shows %q at %q", got, hash())
	}
	value[string](t, tab, `new Promise(done => { addEventListener("hashchange", () => setTimeout(done, 0, "")); `+
		`location.hash = "#floor=<b>&shares=no" })`)
	if got := title(t, tab); got == "" || strings.Contains(got, "|") {
		t.Errorf("an address of nothing shows %q", got)
	}
}

// The button copies the command as it stands there.
func TestFrontierPageCopies(t *testing.T) {
	writeFrontier(t, "copied", grades, "ordered:A,B,C,D,E")
	tab := open(t, "copied.html", views["wide light"])
	allow := chromedp.ActionFunc(func(ctx context.Context) error {
		return browser.GrantPermissions([]browser.PermissionType{browser.PermissionTypeClipboardReadWrite,
			browser.PermissionTypeClipboardSanitizedWrite}).Do(cdp.WithExecutor(ctx, chromedp.FromContext(ctx).Browser))
	})
	if err := chromedp.Run(tab.Context, allow, chromedp.Click(".stop:not([hidden]) .copy", chromedp.ByQuery)); err != nil {
		t.Fatal(err)
	}
	done := value[string](t, tab, `new Promise(done => setTimeout(() => `+
		`done(document.querySelector(".stop:not([hidden]) .copied").textContent), 500))`)
	want := value[string](t, tab, `document.querySelector(".stop:not([hidden]) pre").textContent`)
	if got := value[string](t, tab, `navigator.clipboard.readText()`); done != "Copied." || got != want {
		t.Errorf("%q: the clipboard holds %q, not %q", done, got, want)
	}
	// Where the browser refuses the clipboard, the command is selected and copied the older way.
	value[bool](t, tab, `navigator.clipboard.writeText = () => Promise.reject(new Error("no")), true`)
	press(t, tab, ".stop:not([hidden]) .copy", kb.Enter)
	if got := value[string](t, tab,
		`new Promise(done => setTimeout(() => done(String(getSelection())), 500))`); got != want {
		t.Errorf("%q is selected", got)
	}
}

// Without a script every floor stands there with its command.
func TestFrontierPageWithoutScript(t *testing.T) {
	writeFrontier(t, "plain", grades, "ordered:A,B,C,D,E")
	tab := open(t, "plain.html", views["no script"])
	stops := value[int](t, tab,
		`Array.from(document.querySelectorAll(".stop pre")).filter(s => s.offsetHeight > 0).length`)
	rows := value[int](t, tab, `document.querySelectorAll("tr[id^=row-]").length`)
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
		if plan.Epsilon.Nats > want+.0102 || strings.Contains(command, "--floor-rank ") &&
			!strings.Contains(command, fmt.Sprintf("--floor-rank %d ", plan.Floor.Rank)) {
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
	sound(t, "bad.html", "Choose", "All of these floors")
	tab := open(t, "bad.html", views["wide light"])
	for i := range value[int](t, tab, `document.querySelectorAll(".stop").length`) {
		press(t, tab, "#floor", kb.ArrowRight)
		if value[bool](t, tab, `window.broken !== undefined || document.querySelector("img, main b") !== null`) {
			t.Fatalf("a label of stop %d is read as markup", i)
		}
	}
	text := value[string](t, tab, `document.body.innerText`)
	for _, r := range "\u202e\u0007" {
		if strings.ContainsRune(text, r) {
			t.Errorf("%U stands in the page", r)
		}
	}
}
