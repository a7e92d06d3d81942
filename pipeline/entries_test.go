package pipeline_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// entries are the functions that take all options: those of the commands, and the first look at what is asked.
// What they call is given the settings that it needs, as a type of package request.
var entries = []string{"Apply", "Check", "Design", "Estimate", "Finish", "OpenOrder", "Run", "Shard", "Simulate", "Stream",
	"count/Check", "floors/New", "recover/Run"}

// steps are the types that a release goes through, and mostFiles those over which their
// methods may lie.
var steps = []string{"release", "counted", "decided", "drawn", "checked", "told"}

const mostFiles = 3

// TestOptionsEndAtTheEntries reads the code of the packages.
func TestOptionsEndAtTheEntries(t *testing.T) {
	var taking, files []string
	here, _ := filepath.Glob("*.go")
	below, _ := filepath.Glob("*/*.go")
	for _, path := range slices.Concat(here, below) {
		room := filepath.ToSlash(filepath.Dir(path))
		if strings.HasSuffix(path, "_test.go") || room == "request" {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		must(t, err)
		of := func(e ast.Expr) string { return strings.TrimPrefix(types.ExprString(e), "*") }
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if room == "." && f.Recv != nil && slices.Contains(steps, of(f.Recv.List[0].Type)) &&
				!slices.Contains(files, path) {
				files = append(files, path)
			}
			for _, p := range f.Type.Params.List {
				if taken := of(p.Type); taken == "request.Options" || room == "." && taken == "Options" {
					taking = append(taking, strings.TrimPrefix(room+"/"+f.Name.Name, "./"))
				}
			}
		}
	}
	if slices.Sort(taking); !slices.Equal(taking, entries) {
		t.Errorf("all options are taken by %q, want %q", taking, entries)
	}
	if len(files) == 0 || len(files) > mostFiles {
		t.Errorf("the methods of a release lie over %q, want at most %d files", files, mostFiles)
	}
}
