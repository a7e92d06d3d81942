package main

import (
	"fmt"
	"html"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/test/torture"
)

// pasted are job files in the folder of a table of colours, amounts, towns and regions.
var pasted = map[string]struct {
	job   string
	flags []string
	want  []string // stand in the report
}{
	"drop":    {"drop: [region]\nutility: ordered:red,orange,yellow,green\n", nil, nil},
	"keep":    {"keep: [n]\nutility: ordered:red,orange,yellow,green\n", nil, nil},
	"nothing": {"utility: ordered:red,orange,yellow,green\n", []string{"--keep", ""}, nil},
	"about": {"drop: [region]\nutility: ordered:red,orange,yellow,green\nabout:\n  owner: The colour office\n", nil,
		[]string{"The colour office"}},
	"design": {"drop: [region]\nutility: ordered:red,orange,yellow,green\ndesign: safe\n", nil,
		[]string{`"kind": "safe"`}},
	"bound": {"drop: [region]\nutility: ordered:red,orange,yellow,green\nmax-factor: 2\nfloor-rank: 2\nmax-shift: 5%\n",
		nil,
		nil},
	"room": {"drop: [region]\nutility: ordered:red,orange,yellow,green\nheadroom: 10%\n", nil, nil},
	"places": {"drop: [region]\noutput: out/o.parquet\nreport: out/r\n", []string{"--utility", "matrix:it's an order.csv"},
		nil},
	"level":  {"drop: [region]\nutility: hierarchy:levels.csv\n", nil, nil},
	"strata": {"keep: [n]\nutility: ordered:red,orange,yellow,green\nstrata: region\nprefer: unchanged\n", nil, nil},
	"given": {"drop: [region]\nutility: ordered:red,orange,yellow,green\n", []string{"--strata", "region",
		"--given-only"}, []string{`"given_only": true`}},
	"over": {"input: no.parquet\ndrop: [n]\n", []string{"--input", "in.parquet", "--utility",
		"ordered:green,yellow,orange,red", "--drop", "region"}, nil},
	"prior": {"drop: [region]\nutility: ordered:red,orange,yellow,green\nsmooth: \"0.5\"\n", nil, nil},
}

var commandOf = regexp.MustCompile(`(?s)<pre[^>]*><code>(.*?)</code></pre>`)

// The command of a point of the page runs as it is pasted, carries what the page was made of, and
// reaches the floor and the figures that the page shows: of every job that of two points and of a
// third of the others, with TACET_TORTURE of all.
func TestPageCommandsRunAsPasted(t *testing.T) {
	var rows strings.Builder
	rows.WriteString("colour:string,n:int64,region:string\n")
	for i := range 400 {
		colour := [2][]string{{"red", "red", "red", "red", "orange", "orange", "orange", "yellow", "yellow", "green"},
			{"red", "orange", "yellow", "yellow", "yellow", "yellow", "yellow", "green", "green", "green"}}[i/200][i*7%10]
		fmt.Fprintf(&rows, "%s,%d,%s\n", colour, i%3, []string{"north", "south"}[i/200])
	}
	for name, c := range pasted {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write := func(name, text string) {
				t.Helper()
				must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
			}
			write("it's an order.csv", "letter,red,orange,yellow,green\nred,0,-1,-2,-3\norange,-1,0,-1,-2\n"+
				"yellow,-2,-1,0,-1\ngreen,-3,-2,-1,0\n")
			write("levels.csv", "red;warm;*\norange;warm;*\nyellow;warm;*\ngreen;cold;*\n")
			must(t, os.Mkdir(filepath.Join(dir, "out"), 0o700))
			tableFile(t, rows.String(), filepath.Join(dir, "in.parquet"))
			job := c.job
			if !strings.Contains(job, "input:") {
				job = "input: in.parquet\n" + job
			}
			write("my job.yaml", "column: colour\n"+job)
			run := func(cmd *exec.Cmd) {
				t.Helper()
				cmd.Dir = dir
				cmd.Env = append(os.Environ(), "TACET_AUDIT=off")
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
				}
			}
			run(exec.Command("tacet", append([]string{"frontier", "--config", "my job.yaml", "--html", "page.html"},
				c.flags...)...))
			data := readFile(t, filepath.Join(dir, "page.html"))
			ran := 0
			for i, card := range strings.Split(string(data), `<article class="stop"`)[1:] {
				if ran > 1 && (i+len(name))%3 > 0 && !torture.Long() {
					continue
				}
				command := html.UnescapeString(commandOf.FindStringSubmatch(card)[1])
				if strings.Contains(card, "would be refused") || strings.Contains(card, "published as they are, up to") {
					continue
				}
				ran++
				run(exec.Command("bash", "-c", command))
				checkPasted(t, dir, card, command, c.want)
			}
			if ran < 2 {
				t.Errorf("%d commands were run", ran)
			}
		})
	}
}

// checkPasted compares a card of the page with the report of its command, and takes the
// release away.
func checkPasted(t *testing.T, dir, card, command string, want []string) {
	t.Helper()
	folder := filepath.Join(dir, "report")
	if _, err := os.Stat(folder); err != nil {
		folder = filepath.Join(dir, "out", "r")
	}
	data, err := os.ReadFile(filepath.Join(folder, "report.json"))
	if err != nil {
		t.Fatalf("%v after\n%s", err, command)
	}
	r, _, err := report.Read(data)
	must(t, err)
	place := fmt.Sprintf(">%s: %s</h3>", r.Floor.Place(), r.Floor.InWords)
	if !strings.Contains(html.UnescapeString(card), place) {
		t.Errorf("the report says %s of\n%s\nthe page says\n%.300s", place, command, card)
	}
	if s := r.Shares; s != nil {
		off := fmt.Sprintf("<dt>shares off by up to</dt><dd>%s points</dd>", pointsOf(t, s.Shift))
		if !strings.Contains(card, off) {
			t.Errorf("the report says that shares are off by %s of\n%s\nthe page says\n%.3000s", s.Shift, command, card)
		}
	}
	for _, w := range want {
		if !strings.Contains(string(data), w) {
			t.Errorf("the report of\n%s\ndoes not say %s", command, w)
		}
	}
	for _, f := range []string{folder, filepath.Join(dir, "in.private.parquet"), filepath.Join(dir, "out", "o.parquet")} {
		must(t, os.RemoveAll(f))
	}
}

// pointsOf is a fraction in points of all records, rounded up to hundredths.
func pointsOf(t *testing.T, fraction string) string {
	t.Helper()
	f, ok := new(big.Rat).SetString(fraction)
	if !ok {
		t.Fatalf("%q is no fraction", fraction)
	}
	f.Mul(f, big.NewRat(10_000, 1))
	up := new(big.Int).Quo(new(big.Int).Add(f.Num(), new(big.Int).Sub(f.Denom(), big.NewInt(1))), f.Denom())
	return strings.TrimSuffix(strings.TrimRight(new(big.Rat).SetFrac(up, big.NewInt(100)).FloatString(2), "0"), ".")
}
