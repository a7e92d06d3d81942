package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	browser "github.com/tacet-privacy/tacet/test/browser"
)

// steps are what a reader does up to the third page of the studio: what must be there, and
// what is done with it.
var steps = [][2]string{
	{`button[value="origin"]`, `e.click()`},
	{`[name=how][value=places]`, `e.click()`},
	{`#path option[value="airports.csv"]`, `e.selected = true`},
	{`#order button:not([type])`, `e.click()`},
	{`#time option:nth-child(2)`, `e.selected = true`}, // a minute
	{`form[action=search] button`, `e.click()`},
	{`#take [name=epsilon][value]`, `e.form.requestSubmit()`},
	{`#columns`, `scrollTo(0, 0)`},
}

// studio takes the third page of tacet studio.
func studio(ctx context.Context, program, tables, to string) error {
	dir, err := os.MkdirTemp("", "tacet-studio-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := os.CopyFS(dir, os.DirFS(tables)); err != nil {
		return err
	}
	c := exec.Command(program, "studio", "--no-browser", "flights.parquet")
	c.Dir = dir
	out, err := c.StdoutPipe()
	if err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		return err
	}
	defer c.Wait()
	defer c.Process.Signal(os.Interrupt)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return err
	}
	address := strings.TrimSpace(strings.TrimPrefix(line, "open:"))
	tab, end, err := browser.OpenAt(ctx, address, browser.View{Width: 1280, Height: 1400})
	if err != nil {
		return err
	}
	defer end()
	for _, s := range steps {
		script := fmt.Sprintf(`(e => e && !document.getElementById("task") ? (%s, true) : false)(document.querySelector(%q))`,
			s[1], s[0])
		for begun, done := time.Now(), false; !done; time.Sleep(100 * time.Millisecond) {
			tab.Script(script, &done) // which fails while a page is loaded
			if tab.Context.Err() != nil || time.Since(begun) > 4*time.Minute {
				return fmt.Errorf("the studio has no %s", s[0])
			}
		}
	}
	return capture(tab, to)
}
