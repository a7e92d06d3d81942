package browser

import (
	"bufio"
	"context"
	"fmt"
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
	tab, stop := context.WithTimeout(tab, 4*time.Minute)
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
	for end := time.Now().Add(40 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		var ok bool
		err := s.Script(`document.readyState === "complete" && !document.getElementById("task") && Boolean(`+expression+`)`, &ok)
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
	if !value[bool](s.t, s.Tab, `(e => e && !e.hidden ? (e.scrollIntoView({block: "center"}), e.click(), true) : false)(document.querySelector('`+selector+`'))`) {
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

var grade = strings.Fields("A A A A B B B C C D")

func TestStudioReleases(t *testing.T) {
	dir := t.TempDir()
	writeTable(t, filepath.Join(dir, "members.csv"), "district,grade", 3000, func(i int) string {
		return fmt.Sprintf("%d,%s", mixed(i)>>40%13, grade[mixed(i)%10])
	})
	s := openStudio(t, dir, views["wide light"], "members.csv", "--test-seed", "7")
	s.on("file")
	s.shot("1-file")
	s.press(`button[value="grade"]`)
	s.on("column")
	s.wait(`document.querySelectorAll("#values li[data-row]").length === 4`)
	s.shot("2-column")
	s.press("#order button:not([type])")
	s.wait(`document.querySelector("#try")`)
	s.press(`#try-values button`)
	s.wait(`document.querySelectorAll("#nearest tr").length === 4`)
	s.shot("2-try")
	s.press(`form[action=search] button`)
	s.on("choose")
	s.wait(`document.querySelector("#take [name=epsilon]").value`)
	s.shot("3-choose")
	s.press("#take button")
	s.wait(`document.querySelector("#columns")`)
	s.shot("3-columns")
	s.press("#columns button:not([type])")
	s.on("release")
	s.fill("owner", "Statistics & \"Co\"")
	s.fill("purpose", "Open data")
	s.shot("4-release")
	s.press("#release button")
	s.wait(`document.querySelector("#published")`)
	s.shot("4-done")
}
