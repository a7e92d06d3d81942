package browser

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// The pages under test, and the browser.
var (
	chromium context.Context
	folder   string
	program  string
)

// TestMain runs nothing where there is no browser, unless TACET_BROWSER says
// that one is required.
func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	fail := func(err error) int {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	found := Find()
	if _, err := os.Stat(Axe); found == "" || err != nil {
		if os.Getenv("TACET_BROWSER") == "required" {
			return fail(fmt.Errorf("the tests need chromium (found: %q) and the checker that make axe fetches (%v)", found, err))
		}
		fmt.Println("no chromium, or make axe was not run: the pages are not tested in a browser")
		return 0
	}
	var err error
	if folder, err = os.MkdirTemp("", "tacet-pages-"); err != nil {
		return fail(err)
	}
	defer os.RemoveAll(folder)
	if program, err = Tacet(folder); err != nil {
		return fail(err)
	}
	ctx, end, err := Start(found)
	if err != nil {
		return fail(err)
	}
	defer end()
	chromium = ctx
	return m.Run()
}

// tacet runs the program in the folder of the pages.
func tacet(t *testing.T, args ...string) {
	t.Helper()
	c := exec.Command(program, args...)
	c.Dir = folder
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("tacet %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// open opens a page, and fails the test if it complains or asks for anything
// by the time the test ends.
func open(t *testing.T, file string, v View) *Tab {
	t.Helper()
	tab, end, err := Open(chromium, filepath.Join(folder, file), v)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, f := range tab.Faults() {
			t.Errorf("%s: %s", file, f)
		}
		end()
	})
	return tab
}

// value is what an expression gives.
func value[T any](t *testing.T, tab *Tab, expression string) T {
	t.Helper()
	var v T
	if err := tab.Script(expression, &v); err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// views are those in which every page is checked.
var views = map[string]View{
	"wide light":   {Width: 1280, Height: 900},
	"wide dark":    {Width: 1280, Height: 900, Dark: true},
	"narrow light": {Width: 390, Height: 844},
	"narrow dark":  {Width: 390, Height: 844, Dark: true},
	"print":        {Width: 794, Height: 1123, Print: true},
	"print, dark":  {Width: 794, Height: 1123, Print: true, Dark: true},
	"no script":    {Width: 1280, Height: 900, NoScript: true},
}

// sound checks what holds of every page in every view: the accessibility
// checker finds nothing, every section is there, and the page is no wider than
// the window.
func sound(t *testing.T, file string, sections ...string) {
	for name, v := range views {
		t.Run(name, func(t *testing.T) {
			tab := open(t, file, v)
			shown := value[[]string](t, tab,
				`Array.from(document.querySelectorAll("h2")).filter(h => h.offsetHeight > 0).map(h => h.textContent.trim())`)
			for _, s := range sections {
				if !strings.Contains("\n"+strings.Join(shown, "\n")+"\n", "\n"+s+"\n") {
					t.Errorf("the section %q is not shown; there are %q", s, shown)
				}
			}
			if wide := value[int64](t, tab, `document.scrollingElement.scrollWidth`); wide > v.Width && !v.Print {
				t.Errorf("the page is %d wide in a window of %d", wide, v.Width)
			}
			// The checker is a script: it looks at what the page is without its own.
			if err := chromedp.Run(tab.Context, emulation.SetScriptExecutionDisabled(false)); err != nil {
				t.Fatal(err)
			}
			found, err := tab.Violations()
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range found {
				t.Errorf("%s: %s\n%s", f.Rule, f.Help, strings.Join(f.Where, "\n"))
			}
		})
	}
}
