package oracle_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline"
)

// An audited is a release that the auditor's own program is to look at.
type audited struct {
	Report string `json:"report"`
	Output string `json:"output"`
	Input  string `json:"input,omitempty"`
}

// TestAuditor runs docs/verify.py, which was written from the pages about files alone, on
// 50 random releases of the matrix, as their publisher can and as everybody can: all are
// what they claim. It needs python3 with pyarrow; with TACET_PYTHON=required it fails
// where there is none.
func TestAuditor(t *testing.T) {
	t.Parallel()
	needsPython(t)
	var all []audited
	r := rand.New(rand.NewPCG(27, 4))
	formats := map[string]int{}
	for n := 0; len(all) < 2*50; n++ {
		s := next(r, nil)
		for i, d := range dimensions {
			if d.name == "format" {
				s[i] = n % len(d.values)
			}
		}
		for _, of := range releasesOf(t, s, r.Uint64()) {
			all = append(all, of, audited{Report: filepath.Join(of.Report, "public"), Output: of.Output})
			formats[s.of("format")]++
		}
	}
	for i, told := range audit(t, all) {
		if code, words, _ := strings.Cut(told, " "); code != "0" {
			t.Errorf("release %d, %s: exit %s: %s", i, all[i].Report, code, words)
		}
	}
	if len(formats) < 3 {
		t.Errorf("releases by format: %v", formats)
	}
}

// TestAuditorRefuses: of releases that were forged, with all hashes made to fit, the
// program names what is not as claimed.
func TestAuditorRefuses(t *testing.T) {
	t.Parallel()
	needsPython(t)
	var all []audited
	var want []string
	for _, f := range forgeries {
		for seed := uint64(1); ; seed++ {
			if seed == 100 {
				t.Fatalf("no release can be forged: %s", f.name)
			}
			of := releasesOf(t, named{"design": "optimal", "format": "csv", "epsilon": "large"}.scenario(), seed)
			if len(of) == 0 {
				continue
			}
			if c := open(t, of[0]); f.alter(c) {
				c.close(t, f.unstated)
				all, want = append(all, of[0]), append(want, f.wrong)
				break
			}
		}
	}
	for i, told := range audit(t, all) {
		code, words, _ := strings.Cut(told, " ")
		if code != "1" || !strings.Contains(", "+words+",", ", "+want[i]+",") {
			t.Errorf("%s: exit %s: %s, want %s", forgeries[i].name, code, words, want[i])
		}
	}
}

// releasesOf runs a scenario and lists what it released, with hashes of all files.
func releasesOf(t *testing.T, s scenario, seed uint64) (all []audited) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 3))
	dir := t.TempDir()
	w := newWorld(r, s.of("null") != "none", 2)
	j := &job{t: t, s: s, r: r, w: w, dir: dir, seen: map[string]int{}, matrix: w.matrix(t, dir), hash: "sha256"}
	j.told = func(o pipeline.Options, _, _ string, _ []record) {
		of := audited{o.Report, o.Output, o.Input}
		if len(all) == 0 || all[len(all)-1] != of { // of several columns once
			all = append(all, of)
		}
	}
	j.run()
	return all
}

// needsPython skips a test where no python3 has pyarrow.
func needsPython(t *testing.T) {
	t.Helper()
	if err := exec.Command("python3", "-c", "import pyarrow").Run(); err != nil {
		if os.Getenv("TACET_PYTHON") == "required" {
			t.Fatal("no python3 with pyarrow, which TACET_PYTHON requires")
		}
		t.Skip("no python3 with pyarrow")
	}
}

// audit gives a list to one process of the auditor's program, and returns a line for
// each: its exit code, and what is not as claimed.
func audit(t *testing.T, all []audited) []string {
	t.Helper()
	var list, out bytes.Buffer
	to := json.NewEncoder(&list)
	for _, a := range all {
		must(t, to.Encode(a))
	}
	c := exec.Command("python3", filepath.Join("..", "..", "docs", "verify.py"), "--list", "-")
	c.Stdin, c.Stdout, c.Stderr = &list, &out, os.Stderr
	err := c.Run()
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(lines) != len(all) {
		t.Fatalf("%d lines for %d releases: %v", len(lines), len(all), err)
	}
	return lines
}

// TestAuditorPage: what docs/verify.md says of where a line of mathematics is checked is there.
func TestAuditorPage(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	page := string(bytesOf(t, filepath.Join(root, "docs", "verify.md")))
	program := string(bytesOf(t, filepath.Join(root, "docs", "verify.py")))
	if n := strings.Count(program, "\n"); n > 300 {
		t.Errorf("verify.py has %d lines", n)
	}
	kernel := map[string]string{}
	rows := 0
	for _, line := range strings.Split(page, "\n") {
		cells := strings.Split(strings.ReplaceAll(line, `\|`, ""), "|")
		if len(cells) != 6 || !strings.Contains(cells[3], ".go`") {
			continue
		}
		rows++
		file := ""
		for i, name := range strings.Split(cells[3], "`") {
			switch {
			case i%2 == 0:
			case strings.HasSuffix(name, ".go"):
				file = name
				kernel[file] = string(bytesOf(t, filepath.Join(root, "pipeline", "verify", "kernel", name)))
			case !strings.Contains(kernel[file], " "+name+"("):
				t.Errorf("%s has no function %s", file, name)
			}
		}
		if name := strings.Trim(cells[4], " `"); name != "" && !strings.Contains(program, "def "+name+"(") {
			t.Errorf("verify.py has no function %s", name)
		}
	}
	if rows != 12 {
		t.Errorf("the page has %d lines of mathematics", rows)
	}
}
