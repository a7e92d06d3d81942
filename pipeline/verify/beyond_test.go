package verify

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestBeyondInDocs: docs/verify.md lists what no check looks at, and nothing else.
func TestBeyondInDocs(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "docs", "verify.md"))
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	_, table, _ := strings.Cut(text, "| name | in `report.json` | why |\n|---|---|---|\n")
	table, rest, _ := strings.Cut(table, "\n\n")
	var listed, internal, public []string
	for _, row := range strings.Split(table, "\n") {
		name, _, _ := strings.Cut(strings.TrimPrefix(row, "| "), " |")
		listed = append(listed, name)
	}
	for _, b := range beyond {
		internal = append(internal, b.name)
	}
	for _, b := range beyondPublic {
		public = append(public, b.name)
	}
	if !slices.Equal(listed, internal) {
		t.Errorf("the table lists %q, verify %q", listed, internal)
	}
	said := strings.Join(strings.Fields(rest), " ")
	if want := "In a public report no check looks at: " + strings.Join(public, ", ") +
		"."; !strings.HasPrefix(said, want) {
		t.Errorf("%q does not begin with %q", said[:min(len(said), len(want))], want)
	}
}
