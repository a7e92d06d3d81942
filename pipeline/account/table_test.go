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
	const begin, end = "<!-- generated -->\n", "<!-- end -->"
	list, seen := "", map[string]bool{}
	for i, row := range Rows {
		if seen[row.Key] {
			t.Errorf("%s is there twice", row.Key)
		}
		seen[row.Key] = true
		public := ""
		if row.Public {
			public = "\\*"
		}
		if i == 0 || row.Section != Rows[i-1].Section {
			list += fmt.Sprintf("\n- %s:", row.Section)
		} else {
			list += ","
		}
		list += fmt.Sprintf(" `%s`%s %s", row.Key, public, row.Head)
	}
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(page), begin)
	_, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("%s has no list of rows", path)
	}
	want := before + begin + strings.TrimPrefix(list, "\n") + "\n" + end + after
	if os.Getenv("TACET_UPDATE") == "1" {
		if err := os.WriteFile(path, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(page) != want {
		t.Errorf("%s has another list; TACET_UPDATE=1 go test -run TestTableOfTheDocs ./pipeline/account writes it", path)
	}
}
