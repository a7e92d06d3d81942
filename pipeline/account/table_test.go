package account

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestTableOfTheDocs holds docs/report.md to the table of sentences and figures;
// with TACET_UPDATE=1 it writes it there.
func TestTableOfTheDocs(t *testing.T) {
	const path = "../../docs/report.md"
	head := "| key | head | where | public |\n|---|---|---|---|\n"
	table, seen := head, map[string]bool{}
	for _, row := range Rows {
		if seen[row.Key] {
			t.Errorf("%s is there twice", row.Key)
		}
		seen[row.Key] = true
		public := ""
		if row.Public {
			public = "yes"
		}
		table += fmt.Sprintf("| `%s` | %s | %s | %s |\n", row.Key, row.Head, row.Section, public)
	}
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(page), head)
	_, after, end := strings.Cut("\n"+rest, "\n\n")
	if !ok || !end {
		t.Fatalf("%s has no table of rows", path)
	}
	want := before + table + "\n" + after
	if os.Getenv("TACET_UPDATE") == "1" {
		if err := os.WriteFile(path, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(page) != want {
		t.Errorf("%s has another table; TACET_UPDATE=1 go test -run TestTableOfTheDocs ./pipeline/account writes it", path)
	}
}
