package main

import (
	"go/parser"
	gotoken "go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Packages are named in running text, and in the table of mechanism/doc.go.
var (
	inText  = regexp.MustCompile(`\bpackages? ([a-z][a-z/]+)\b(?:,? and ([a-z][a-z/]+)\b)?`)
	inTable = regexp.MustCompile(`(?m)^\t([a-z]+(?:, [a-z]+)*)  +[A-Z a-z]`)
)

// notNames are words that follow "package" in a sentence.
var notNames = map[string]bool{"that": true, "has": true, "is": true,
	"and": true, "below": true, "of": true, "for": true,
	"alone": true, "which": true, "in": true, "may": true, "knows": true, "itself": true, "says": true, "imports": true,
	"the": true, "with": true, "holds": true, "makes": true, "by": true, "here": true, "are": true, "to": true,
	"outside": true, "do": true, "above": true, "learns": true, "sees": true, "computes": true, "draws": true,
	"reads": true, "writes": true, "each": true, "as": true, "name": true, "names": true}

// TestPackagesNamed holds the comments on packages to the packages there are, here and in
// the standard library.
func TestPackagesNamed(t *testing.T) {
	there, docs := map[string]bool{}, map[string]string{}
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".") && d.Name() != ".." || d.Name() == "testdata"):
			return fs.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		f, err := parser.ParseFile(gotoken.NewFileSet(), path, nil, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			return err
		}
		there[f.Name.Name], there[filepath.Base(filepath.Dir(path))] = true, true
		if f.Doc != nil {
			docs[path] = f.Doc.Text()
		}
		return nil
	})
	must(t, err)
	std := filepath.Join(goroot(t), "src")
	exists := func(name string) bool {
		if there[filepath.Base(name)] {
			return true
		}
		_, err := os.Stat(filepath.Join(std, name))
		return err == nil
	}
	seen := 0
	for path, doc := range docs {
		var names []string
		for _, m := range inText.FindAllStringSubmatch(doc, -1) {
			names = append(names, m[1:]...)
		}
		if table, _, ok := strings.Cut(doc, "# Notation"); ok {
			for _, m := range inTable.FindAllStringSubmatch(table, -1) {
				names = append(names, strings.Split(m[1], ", ")...)
			}
		}
		for _, name := range names {
			if name == "" || notNames[name] {
				continue
			}
			if seen++; !exists(name) {
				t.Errorf("the comment of %s names a package %s, which is not there", strings.TrimPrefix(path, "../../"), name)
			}
		}
	}
	if seen < 20 {
		t.Errorf("only %d packages are named", seen)
	}
}

// goroot is where the standard library is.
func goroot(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	must(t, err)
	return strings.TrimSpace(string(out))
}
