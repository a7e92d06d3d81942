package count

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline/fault"
)

// fuzzed writes data where a reader of files finds them.
func fuzzed(t *testing.T, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "f.csv")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// refused fails unless err is a fault of one line with a hint.
func refused(t *testing.T, err error) {
	t.Helper()
	var f *fault.Fault
	if !errors.As(err, &f) || f.Hint == "" || strings.ContainsAny(f.What+f.Hint, "\r\n") {
		t.Errorf("%q", err)
	}
}

// FuzzCounts: any bytes give counts that are not negative, no label twice, or
// one line.
func FuzzCounts(f *testing.F) {
	for _, s := range []string{"", "label,count\n", "label,count\na,1\n", "label,count,null\na,1,0\n,2,1\n",
		"label,count\na,1\na,2\n", "label,count\na,-1\n", "label,count\n\"a\nb\",x\n", "label,count\na\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		rows, err := ReadCounts(fuzzed(t, data))
		if err != nil {
			refused(t, err)
			return
		}
		seen := map[Row]bool{}
		for _, r := range rows {
			if r.Count < 0 || seen[Row{Label: r.Label, Null: r.Null}] {
				t.Errorf("%+v", r)
			}
			seen[Row{Label: r.Label, Null: r.Null}] = true
		}
	})
}

// FuzzLaw: any bytes give probabilities that are not negative, or one line.
func FuzzLaw(f *testing.F) {
	for _, s := range []string{"", "label,probability\na,1/3\nb,2/3\n", "label,probability,null\na,0.5,0\n,0.5,1\n",
		"\ufefflabel,probability\na,1\n", "label,probability\na,1e-400\n", "label,probability\n\"a\nb\",x\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		law, err := ReadLaw(fuzzed(t, data))
		if err != nil {
			refused(t, err)
			return
		}
		for _, p := range law.Chance {
			if p.Sign() < 0 {
				t.Error("a probability is negative")
			}
		}
	})
}
