package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/rogpeppe/go-internal/txtar"
)

// additions are what CONTRIBUTING.md says how to add, and how many files of
// the product each of them adds or changes. Tests, docs pages and generated
// files are not counted.
var additions = map[string]int{
	"command": 2, // its file; the registry
	"order":   2, // its file; the registry
	"design":  2, // its file; the registry
	"flag":    2, // the table of options; where the flag acts
	"claim":   2, // its sentence; its row with its value
	"figure":  2, // its mathematics; its row
	"format":  3, // its room; the table of formats; the reader of the kernel
}

// TestSlowMaps builds the program with one addition of each kind, which the files
// of testdata/maps hold, and runs what was added. A section of such a file is a
// new file, or lines that follow the one line that "after: " quotes.
func TestSlowMaps(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("../..")
	must(t, err)
	page := contributing(t, root)
	changed := map[string]string{} // text by path below root
	for name, want := range additions {
		archive, err := txtar.ParseFile(filepath.Join("testdata/maps", name+".txtar"))
		must(t, err)
		touched := map[string]bool{}
		for _, f := range archive.Files {
			touched[f.Name] = true
			changed[f.Name] = added(t, root, changed[f.Name], f)
			_, err := os.Stat(filepath.Join(root, f.Name))
			if err == nil && !strings.Contains(page, "`"+f.Name+"`") {
				t.Errorf("CONTRIBUTING.md does not say that a new %s changes %s", name, f.Name)
			}
		}
		if len(touched) != want {
			t.Errorf("a new %s takes %d files, want %d: %v", name, len(touched), want, touched)
		}
	}
	program := overlaid(t, root, changed)
	testscript.Run(t, testscript.Params{
		Dir: "testdata/maps/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv("CHANGED", program)
			e.Setenv("TACET_AUDIT", "off")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"table": table},
	})
}

// added is the text of a file with one section more; before is "" where no
// section came before it.
func added(t *testing.T, root, before string, f txtar.File) string {
	t.Helper()
	first, lines, _ := strings.Cut(string(f.Data), "\n")
	anchor, insertion := strings.CutPrefix(first, "after: ")
	data, err := os.ReadFile(filepath.Join(root, f.Name))
	switch {
	case !insertion && (err == nil || before != ""):
		t.Fatalf("%s is there already, and so is not new", f.Name)
	case !insertion:
		return string(f.Data)
	case err != nil:
		t.Fatal(err)
	case before == "":
		before = string(data)
	}
	if n := strings.Count("\n"+before, "\n"+anchor+"\n"); n != 1 {
		t.Fatalf("%s has %d lines %q, and one is wanted", f.Name, n, anchor)
	}
	return strings.TrimPrefix(strings.Replace("\n"+before, "\n"+anchor+"\n", "\n"+anchor+"\n"+lines, 1), "\n")
}

// overlaid is the program built as if these files stood below root.
func overlaid(t *testing.T, root string, text map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	replace := map[string]string{}
	for name, text := range text {
		to := filepath.Join(dir, strings.ReplaceAll(name, "/", "_"))
		replace[filepath.Join(root, name)] = writeFile(t, to, []byte(text))
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	must(t, err)
	program := filepath.Join(dir, "changed")
	// What runs for a second is not worth the time that it takes to make it fast.
	out, err := exec.Command("go", "build", "-overlay", writeFile(t, filepath.Join(dir, "overlay.json"), overlay),
		"-gcflags=github.com/tacet-privacy/tacet/...=-N -l -dwarf=false", "-ldflags=-s -w", "-o", program,
		".").CombinedOutput()
	if err != nil {
		t.Fatalf("building: %v\n%s", err, out)
	}
	return program
}

// contributing is CONTRIBUTING.md, in which every file that is named exists.
func contributing(t *testing.T, root string) string {
	t.Helper()
	page := readFile(t, filepath.Join(root, "CONTRIBUTING.md"))
	named := 0
	for _, m := range regexp.MustCompile("`([A-Za-z0-9_.*-]+/[A-Za-z0-9_./*-]*|[A-Za-z0-9_-]+\\.(?:go|md))`").
		FindAllStringSubmatch(string(page), -1) {
		named++
		if found, err := filepath.Glob(filepath.Join(root, m[1])); err != nil || len(found) == 0 {
			t.Errorf("CONTRIBUTING.md names %s, which is not there", m[1])
		}
	}
	if named < 30 {
		t.Errorf("CONTRIBUTING.md names %d files", named)
	}
	return string(page)
}
