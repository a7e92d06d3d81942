package recover

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline/fault"
)

// FuzzGroups: any bytes are groups of values or one line with a hint, and each group that
// is named has a value.
func FuzzGroups(f *testing.F) {
	for _, s := range []string{"", "label,group\n", "label,group\na,x\nb,x\n", "\ufefflabel,group\na,x", "label,group\na\n",
		"label,group\n\"a\nb\",x\n", "label,group\n\"a", "group,label\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "g.csv")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		names, members, err := readGroups(path)
		if err != nil {
			if e := fault.As(err); e.Hint == "" || strings.ContainsAny(e.What, "\r\n") {
				t.Errorf("%q", err)
			}
			return
		}
		for _, n := range names {
			if len(members[n]) == 0 {
				t.Errorf("the group %q is empty", n)
			}
		}
		if len(names) != len(members) {
			t.Errorf("%d groups are named of %d", len(names), len(members))
		}
	})
}
