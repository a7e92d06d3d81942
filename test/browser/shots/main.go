// Command shots takes the pictures of the demo's pages that the documents
// show: wide and narrow, light and dark, and as they print.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	browser "github.com/tacet-privacy/tacet/test/browser"
)

var data = []string{"--input", "testdata/tables/flights.parquet", "--column", "origin", "--utility",
	"positions:testdata/tables/airports.csv"}

// demo is what make demo runs.
var demo = []string{"run", "--input", "testdata/tables/flights.parquet", "--column", "delay",
	"--bins=-inf,-15,-5,5,30,inf", "--max-factor", "3", "--floor-value=-1", "--max-shift", "0%"}

// A view of a page, by the end of the picture's name.
type view struct {
	name string
	browser.View
	at string // what the page is scrolled to
}

// whole are what is taken of a page that is shown as a whole.
var whole = []view{
	{"light", browser.View{Width: 1280, Height: 1500}, "body"},
	{"dark", browser.View{Width: 1280, Height: 1500, Dark: true}, "body"},
	{"narrow-light", browser.View{Width: 390, Height: 1400}, "body"},
	{"narrow-dark", browser.View{Width: 390, Height: 1400, Dark: true}, "body"},
	{"print", browser.View{Width: 794, Height: 1123, Print: true}, "body"},
	{"below", browser.View{Width: 1280, Height: 1500}, "#all, #promise"},
}

// shares is the picture that README begins with.
var shares = view{"shares", browser.View{Width: 480, Height: 240}, "#shares-picture-title"}

func main() {
	root := flag.String("root", ".", "the project's folder, with tacet built in it")
	only := flag.String("only", "", "frontier, report or studio; empty for all")
	flag.Parse()
	if err := run(*root, *only); err != nil {
		fmt.Fprintln(os.Stderr, "shots:", err)
		os.Exit(1)
	}
}

func run(root, only string) error {
	dir, err := os.MkdirTemp("", "tacet-shots-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	ctx, end, err := browser.Start(browser.Find())
	if err != nil {
		return err
	}
	defer end()
	program, err := filepath.Abs(filepath.Join(root, "tacet"))
	if err != nil {
		return err
	}
	for _, p := range []struct {
		name, file string
		views      []view
		command    []string
	}{
		{"frontier", "frontier.html", whole, append([]string{"frontier", "--drop", "destination,distance", "--solve-time",
			"10m", "--html", filepath.Join(dir, "frontier.html")}, data...)},
		{"report", "report/report.html", append(whole, shares), append(demo, "--output", filepath.Join(dir, "out.parquet"),
			"--report", filepath.Join(dir, "report"))},
	} {
		if only != "" && p.name != only {
			continue
		}
		c := exec.Command(program, p.command...)
		c.Dir = root
		if out, err := c.CombinedOutput(); err != nil {
			return fmt.Errorf("tacet %s: %w\n%s", p.command[0], err, out)
		}
		for _, v := range p.views {
			to := filepath.Join(root, "docs", "pictures", p.name+"-"+v.name+".png")
			if err := shoot(ctx, filepath.Join(dir, p.file), v.View, v.at, to); err != nil {
				return err
			}
		}
	}
	if only != "" && only != "studio" {
		return nil
	}
	return studio(ctx, program, filepath.Join(root, "testdata/tables"), filepath.Join(root, "docs/pictures/studio.png"))
}

// shoot takes a page from what is at onward.
func shoot(ctx context.Context, file string, v browser.View, at, to string) error {
	tab, end, err := browser.Open(ctx, file, v)
	if err != nil {
		return err
	}
	defer end()
	if err := tab.Script(`(e => (e.closest("section, figure, body") || e).scrollIntoView())(document.querySelector("`+at+
		`"))`, nil); err != nil {
		return fmt.Errorf("%s: looking for %s: %w", file, at, err)
	}
	return capture(tab, to)
}

// capture writes what a tab shows.
func capture(tab *browser.Tab, to string) error {
	var shot []byte
	err := chromedp.Run(tab.Context, chromedp.ActionFunc(func(ctx context.Context) (err error) {
		if err = emulation.SetDefaultBackgroundColorOverride().Do(ctx); err == nil {
			shot, err = page.CaptureScreenshot().Do(ctx)
		}
		return err
	}))
	if err != nil {
		return fmt.Errorf("taking %s: %w", to, err)
	}
	if shot, err = smaller(shot); err != nil {
		return err
	}
	return errors.Join(os.MkdirAll(filepath.Dir(to), 0o777), os.WriteFile(to, shot, 0o666))
}

// smaller encodes a PNG with a palette: pages have few colours.
func smaller(data []byte) ([]byte, error) {
	in, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	p := image.NewPaletted(in.Bounds(), colours(in))
	paint(p, in)
	var b bytes.Buffer
	err = (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, p)
	return b.Bytes(), err
}
