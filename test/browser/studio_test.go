package browser

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// A studio is a running one, with the tab that it let in.
type studio struct {
	*Tab
	t       *testing.T
	address string // without the token
	dir     string
	ended   chan error
	process *exec.Cmd
}

// openStudio starts one in a folder and opens its page.
func openStudio(t *testing.T, dir string, v View, args ...string) *studio {
	t.Helper()
	c := exec.Command(program, append([]string{"studio", "--no-browser"}, args...)...)
	c.Dir = dir
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	address := strings.TrimSpace(strings.TrimPrefix(line, "open:"))
	s := &studio{t: t, dir: dir, ended: make(chan error, 1), process: c}
	s.address, _, _ = strings.Cut(address, "?")
	go func() { s.ended <- c.Wait() }()
	tab, end := chromedp.NewContext(chromium)
	tab, stop := context.WithTimeout(tab, 8*time.Minute)
	s.Tab = &Tab{Context: tab, address: s.address}
	t.Cleanup(func() {
		stop()
		end()
		select {
		case <-s.ended:
		case <-time.After(20 * time.Second):
			t.Error("the studio goes on without its page")
			c.Process.Kill()
		}
	})
	if err := chromedp.Run(tab, v.Show(), chromedp.Navigate(address)); err != nil {
		t.Fatal(err)
	}
	s.wait(`location.search === "" && document.querySelector("h1") !== null`)
	return s
}

// wait waits until an expression is true, and no work goes on.
func (s *studio) wait(expression string) {
	s.t.Helper()
	for end := time.Now().Add(150 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		var ok bool
		err := s.Script(`document.readyState === "complete" && !document.getElementById("task") && `+
			`Boolean(`+expression+`)`, &ok)
		if ok {
			return
		}
		if time.Now().After(end) {
			s.shot("stuck")
			s.t.Fatalf("%s never came true (%v); the page has:\n%s", expression, err, s.text("body"))
		}
	}
}

// on waits for the page of a step.
func (s *studio) on(step string) {
	s.t.Helper()
	s.wait(`document.body.dataset.step === "` + step + `"`)
}

func (s *studio) text(selector string) string {
	s.t.Helper()
	return value[string](s.t, s.Tab, `(e => e ? e.innerText : "")(document.querySelector('`+selector+`'))`)
}

// press clicks what a selector finds.
func (s *studio) press(selector string) {
	s.t.Helper()
	s.wait(`document.querySelector('` + selector + `')`)
	if !value[bool](s.t, s.Tab, `(e => e && !e.hidden ? (e.scrollIntoView({block: "center"}), e.click(), true) : false)(`+
		`document.querySelector('`+selector+`'))`) {
		s.t.Fatalf("there is no %s on the page:\n%s", selector, s.text("main"))
	}
}

// fill writes into a field.
func (s *studio) fill(id, text string) {
	s.t.Helper()
	if err := chromedp.Run(s.Context, chromedp.SetValue("#"+id, text, chromedp.ByQuery)); err != nil {
		s.t.Fatal(err)
	}
}

// shot takes a picture where TACET_SHOTS names a folder.
func (s *studio) shot(name string) {
	dir := os.Getenv("TACET_SHOTS")
	if dir == "" {
		return
	}
	var data []byte
	err := chromedp.Run(s.Context, chromedp.ActionFunc(func(ctx context.Context) (err error) {
		data, err = page.CaptureScreenshot().WithCaptureBeyondViewport(true).Do(ctx)
		return err
	}))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+".png"), data, 0o600)
	}
	if err != nil {
		s.t.Log(err)
	}
}

// writeTable writes a CSV file.
func writeTable(t *testing.T, path, head string, rows int, row func(i int) string) {
	t.Helper()
	var b strings.Builder
	b.WriteString(head + "\n")
	for i := range rows {
		b.WriteString(row(i) + "\n")
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}

// mixed is a number that nothing tells from the place of its row.
func mixed(i int) uint64 {
	x := uint64(i+1) * 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// sound checks the page in every view: the accessibility checker finds nothing, and the page is
// no wider than the window.
func (s *studio) sound(what string) {
	s.t.Helper()
	for name, v := range views {
		if v.NoScript {
			continue // the studio is a program: it says that it needs scripts
		}
		if err := chromedp.Run(s.Context, v.Show(), chromedp.Sleep(100*time.Millisecond)); err != nil {
			s.t.Fatal(err)
		}
		if wide := value[int64](s.t, s.Tab, `document.scrollingElement.scrollWidth`); wide > v.Width && !v.Print {
			s.t.Errorf("%s, %s: the page is %d wide in a window of %d", what, name, wide, v.Width)
		}
		found, err := s.Violations()
		if err != nil {
			s.t.Fatal(err)
		}
		for _, f := range found {
			s.t.Errorf("%s, %s: %s: %s\n%s", what, name, f.Rule, f.Help, strings.Join(f.Where, "\n"))
		}
		s.shot(what + ", " + name)
	}
	if err := chromedp.Run(s.Context, views["wide light"].Show()); err != nil {
		s.t.Fatal(err)
	}
}

// keeps fails where the browser keeps anything of the studio but its session.
func (s *studio) keeps() {
	s.t.Helper()
	kept := value[string](s.t, s.Tab, `indexedDB.databases().then(d => caches.keys().then(c => JSON.stringify([d, c, `+
		`Object.keys(localStorage), Object.keys(sessionStorage), document.cookie, location.search])))`)
	if kept != `[[],[],[],[],"",""]` {
		s.t.Errorf("the browser keeps %s", kept)
	}
}

// names are the values of a list as it shows them.
func (s *studio) names() string {
	return value[string](s.t, s.Tab, `Array.from(document.querySelectorAll("#values li[data-row] .label"))`+
		`.map(e => e.textContent.trim()).join(" ")`)
}

// From a CSV with nulls to a release, by keys where keys do it, in every view; the command that
// the page shows makes the same bytes.
func TestStudioReleases(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	grade := strings.Fields("A A A B B C - D")
	writeTable(t, filepath.Join(dir, "members.csv"), "district,grade", 4000, func(i int) string {
		return fmt.Sprintf("%d,%s", mixed(i)>>40%13, strings.Trim(grade[mixed(i)%8], "-"))
	})
	s := openStudio(t, dir, views["wide light"], "members.csv", "--test-seed", "7")
	s.on("file")
	s.sound("1 file")
	s.press(`button[value="grade"]`)
	s.on("column")
	s.wait(`document.querySelectorAll("#values li[data-row]").length === 4`)
	s.sound("2 column")
	if err := chromedp.Run(s.Context, chromedp.Focus(`[aria-label="Move D up"]`, chromedp.ByQuery),
		chromedp.KeyEvent("\r"), chromedp.KeyEvent("\r")); err != nil {
		t.Fatal(err)
	}
	if got := s.names(); got != "A D B C" {
		t.Errorf("after two keys on an arrow the list is %s", got)
	}
	value[bool](t, s.Tab, `(() => {
		const li = (n) => document.querySelectorAll("#values li[data-row]")[n], d = new DataTransfer();
		for (const [e, at] of [["dragstart", 1], ["dragover", 3], ["drop", 3]])
			li(at).dispatchEvent(new DragEvent(e, {dataTransfer: d, bubbles: true, cancelable: true}));
		return true;
	})()`)
	if got := s.names(); got != "A B C D" {
		t.Errorf("after it was dragged back the list is %s", got)
	}
	s.press("#order button:not([type])")
	s.wait(`document.querySelector("#try")`)
	s.press(`#try-values button`)
	s.wait(`document.querySelectorAll("#nearest tr").length === 5`)
	s.sound("2 column, tried")
	s.press(`form[action=search] button`)
	s.on("choose")
	s.wait(`document.querySelector("#take [name=epsilon]").value`)
	// A reader who types 1,2 in the page of the frontier gets the point within it.
	value[bool](t, s.Tab, `(d => { const e = d.getElementById("epsilon"); e.focus(); e.value = "1,2"; `+
		`e.dispatchEvent(new Event("input")); return true })(document.getElementById("frontier").contentDocument)`)
	s.wait(`document.querySelector("#take [name=epsilon]").value === "log(3)" && ` +
		`document.getElementById("worth").textContent.includes("One right in 20 of 100 becomes right in at most 60.")`)
	s.sound("3 choose")
	s.press("#take button")
	s.wait(`document.querySelector("#columns")`)
	s.wait(`document.querySelector("#take [name=epsilon]").value === "log(3)"`)
	s.sound("3 choose, columns")
	s.press("#columns button:not([type])")
	s.on("release")
	s.fill("about-owner", "Statistics & \"Co\"")
	s.sound("4 release")
	s.press("#release button")
	s.wait(`document.querySelector("#published")`)
	if !strings.Contains(s.text("#published + p"), "Verified: all ") {
		t.Errorf("the page says %s", s.text("main"))
	}
	s.sound("4 release, done")
	s.keeps()

	command := value[string](t, s.Tab, `document.querySelector(".typed pre").textContent`)
	made := filepath.Join(dir, "members.release")
	first, err := os.ReadFile(filepath.Join(made, "published.csv"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"published.csv", "published.report"} {
		if err := os.Rename(filepath.Join(made, name), filepath.Join(made, "first."+name)); err != nil {
			t.Fatal(err)
		}
	}
	run := exec.Command("sh", "-c", command)
	run.Dir = dir
	run.Env = append(os.Environ(), "PATH="+filepath.Dir(program)+":"+os.Getenv("PATH"))
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
	again, err := os.ReadFile(filepath.Join(made, "published.csv"))
	if err != nil || string(again) != string(first) {
		t.Errorf("%s makes another file, %v", command, err)
	}
	same := exec.Command("diff", "-r", filepath.Join(made, "first.published.report"),
		filepath.Join(made, "published.report"))
	if out, err := same.CombinedOutput(); err != nil &&
		strings.Contains(strings.ReplaceAll(string(out), "minisig", ""), "diff ") {
		t.Errorf("%s makes another report:\n%.2000s", command, out)
	}
}

// Flights: places on a map, columns that give the airport away, a release that is signed and
// signed off with a key of somebody else.
func TestStudioFlights(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"flights.parquet", "airports.csv"} {
		data, err := os.ReadFile(filepath.Join("../../testdata/tables", name))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	s := openStudio(t, dir, views["wide light"])
	s.on("file")
	s.press(`button[value="flights.parquet"]`)
	s.wait(`document.querySelector('button[value="origin"]')`)
	s.press(`button[value="origin"]`)
	s.on("column")
	s.press(`[name=how][value=places]`)
	if err := chromedp.Run(s.Context, chromedp.SetUploadFiles("#upload", []string{filepath.Join(dir, "airports.csv")},
		chromedp.ByQuery)); err != nil {
		t.Fatal(err)
	}
	s.press("#order button:not([type])")
	s.wait(`document.querySelector("#map") && document.querySelector("#try-values button")`)
	s.fill("try-find", "ATL")
	value[bool](t, s.Tab, `document.getElementById("try-find").dispatchEvent(new Event("input"))`)
	s.press(`#try-values button`)
	s.wait(`document.querySelectorAll("#nearest tr").length === 10 && ` +
		`document.querySelector("#map .picked").getAttribute("d")`)
	s.sound("2 column, map")
	s.press(`form[action=search] button`)
	s.on("choose")
	s.wait(`document.querySelector("#take [name=epsilon]").value`)
	s.press("#take button")
	s.wait(`document.querySelector("#columns")`)
	if verdict := s.text("#verdict"); verdict != "A release with these would be refused." {
		t.Errorf("of all columns the page says %q", verdict)
	}
	s.sound("3 choose, refused")
	s.press("#leave")
	if verdict := s.text("#verdict"); verdict != "Of these columns nothing would be refused." {
		t.Errorf("without what is refused the page says %q", verdict)
	}
	s.press("#columns button:not([type])")
	s.on("release")
	s.press("#release button")
	s.wait(`document.querySelector("#published")`)
	s.fill("by", "A. Approver")
	s.press(`[name=decision][value=approve]`)
	s.wait(`document.querySelector("#sign-off strong")`)
	if said := s.text("#sign-off strong"); !strings.HasPrefix(said, "Approved by A. Approver") {
		t.Errorf("the page says %q", said)
	}
	check := exec.Command(program, "verify", "--report", "flights.release/published.report", "--input", "flights.parquet",
		"--output", "flights.release/published.parquet")
	check.Dir = dir
	if out, err := check.CombinedOutput(); err != nil {
		t.Errorf("tacet verify: %v\n%s", err, out)
	}
}

// Nothing freezes with the values of all zip codes; a search is cancelled; a release that is
// refused says what to drop, and one click makes it.
func TestStudioManyValues(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	places := rand.New(rand.NewPCG(1, 2)).Perm(3 * 42_049)
	writeTable(t, filepath.Join(dir, "visits.csv"), "id,zip,year", len(places), func(i int) string {
		zip := 501 + places[i]/3*2
		return fmt.Sprintf("%05d-%d,%05d,%d", zip, i, zip, 1990+mixed(i)%30)
	})
	s := openStudio(t, dir, views["wide light"], "visits.csv")
	s.on("file")
	s.press(`button[value="zip"]`)
	s.on("column")
	s.wait(`document.getElementById("found").textContent.endsWith("of 42,049")`)
	s.press(`[name=how][value=list]`)
	value[bool](t, s.Tab, `document.getElementById("values").scrollTop = 1e6, true`)
	if took := value[float64](t, s.Tab, `(() => {
		const find = document.getElementById("find"), begun = performance.now();
		for (const text of ["5", "50", "505"]) { find.value = text; find.dispatchEvent(new Event("input")); }
		return performance.now() - begun;
	})()`); took > 1000 {
		t.Errorf("three keys take %.0f ms", took)
	}
	if rows := value[int](t, s.Tab, `document.querySelectorAll("#values li").length`); rows < 5 || rows > 60 {
		t.Errorf("the page holds %d rows", rows)
	}
	s.press(`[name=how][value=suggested]`)
	s.press("#order button:not([type])")
	s.wait(`document.querySelector("#try")`)
	s.wait(`document.querySelector("#try-values button")`)
	s.press(`#try-values button`)
	s.wait(`document.querySelectorAll("#nearest tr").length === 10`)
	s.fill("time", "5m")
	s.press(`form[action=search] button`)
	const busy = `Boolean(document.querySelector("#task") && document.querySelector("#phase").textContent)`
	for end := time.Now().Add(20 * time.Second); !value[bool](t, s.Tab, busy); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("no progress is shown")
		}
	}
	s.sound("3 choose, searching")
	value[bool](t, s.Tab, `document.querySelector("#task button").click(), true`)
	s.wait(`document.querySelector("[role=alert]").textContent.includes("cancelled")`)
	value[bool](t, s.Tab, `(location.href = "column", true)`)
	s.on("column")
	s.wait(`document.querySelector("#time")`)
	s.press(`form[action=search] button`)
	s.on("choose")
	s.wait(`document.querySelector("#take [name=epsilon]").value`)
	s.press("#take button")
	s.wait(`document.querySelector("#columns")`)
	s.press("#columns button:not([type])")
	s.on("release")
	s.press("#release button")
	s.wait(`document.querySelector("[name=remedy]")`)
	s.sound("4 release, refused")
	if said := s.text("[name=remedy]"); said != "Leave out id and release" {
		t.Errorf("the page offers to %q", said)
	}
	if _, err := os.Stat(filepath.Join(dir, "visits.release", "published.csv")); err == nil {
		t.Error("a refused release is there")
	}
	s.press("[name=remedy]")
	s.wait(`document.querySelector("#published")`)
}
