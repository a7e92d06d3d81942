package main

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/tacet-privacy/tacet/"

// importRules is testdata/imports.txt: what each part of the module may import directly, and why.
// The longest prefix decides. Packages of the standard library are named one by one where a
// package is pure, and else by "std"; those of the module begin with "./". What ends in "$" is
// that package alone, without those below it.
func importRules(t *testing.T) (rules []importRule) {
	t.Helper()
	for _, lines := range strings.Split(string(readFile(t, "testdata/imports.txt")), "\n\n") {
		head, names, _ := strings.Cut(lines, "\n")
		prefix, why, _ := strings.Cut(strings.TrimSpace(head), ": ")
		allowed := strings.Fields(names)
		for i, name := range allowed {
			if below, ok := strings.CutPrefix(name, "./"); ok {
				allowed[i] = module + below
			}
		}
		rules = append(rules, importRule{prefix, why, allowed})
	}
	return rules
}

type importRule struct {
	prefix, why string
	allowed     []string
}

// A stranger keeps so many packages apart, and follows imports so deep.
const (
	mostRooms = 50
	mostDeep  = 8
)

func TestImports(t *testing.T) {
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", module+"...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	rules, imports := importRules(t), map[string][]string{}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		part := strings.TrimPrefix(p.ImportPath, module)
		imports[p.ImportPath] = p.Imports
		allowed, why := allowedIn(rules, part)
		if why == "" {
			t.Errorf("%s has no rule: name it in testdata/imports.txt, with a reason", p.ImportPath)
		}
		for _, i := range p.Imports {
			if !isAllowed(i, allowed) {
				t.Errorf("%s imports %s; %s", part, i, why)
			}
		}
	}
	if len(imports) < 10 || len(imports) > mostRooms {
		t.Errorf("%d packages, and at most %d are wanted", len(imports), mostRooms)
	}
	for path := range imports {
		if n := deep(imports, path); n > mostDeep && strings.HasPrefix(path, module+"pipeline") {
			t.Errorf("%s begins a chain of %d imports within pipeline", path, n)
		}
	}
}

// TestTopLevel: a folder at the top is a word of CONTRIBUTING.md; others are hidden, or
// made by make.
func TestTopLevel(t *testing.T) {
	all, err := os.ReadDir("../..")
	must(t, err)
	known := []string{"cmd", "docs", "estimate", "io", "mechanism", "out", "pipeline", "python", "tacetbeam", "test",
		"testdata"}
	for _, f := range all {
		if f.IsDir() && !strings.HasPrefix(f.Name(), ".") && !slices.Contains(known, f.Name()) {
			t.Errorf("the folder %s stands at the top: put it below one of %v", f.Name(), known)
		}
	}
}

// deep is the number of packages of the pipeline on the longest chain of imports.
func deep(imports map[string][]string, path string) int {
	longest := 0
	for _, i := range imports[path] {
		if strings.HasPrefix(i, module+"pipeline/") {
			longest = max(longest, deep(imports, i))
		}
	}
	return 1 + longest
}

func allowedIn(rules []importRule, part string) (allowed []string, why string) {
	longest := -1
	for _, r := range rules {
		if (part == r.prefix || strings.HasPrefix(part, r.prefix+"/")) && len(r.prefix) > longest {
			longest, allowed, why = len(r.prefix), r.allowed, r.why
		}
	}
	return allowed, why
}

func isAllowed(path string, allowed []string) bool {
	standard := !strings.Contains(strings.Split(path, "/")[0], ".")
	for _, a := range allowed {
		if only, alone := strings.CutSuffix(a, "$"); alone {
			if path == only {
				return true
			}
			continue
		}
		if a == "std" && standard || path == a || strings.HasPrefix(path, strings.TrimSuffix(a, "/")+"/") &&
			strings.Contains(a, ".") {
			return true
		}
	}
	return false
}
