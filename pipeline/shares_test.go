package pipeline_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/decide"
)

// A plan that says of shares what its rows and proofs do not give is not loaded,
// even where its hashes fit.
func TestForgedSharesAreNotLoaded(t *testing.T) {
	dir := t.TempDir()
	counts, path := filepath.Join(dir, "counts.csv"), filepath.Join(dir, "plan.json")
	if err := os.WriteFile(counts, []byte("label,count\nA,4000\nB,3000\nC,2000\nD,900\nE,100\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, _, err := pipeline.Design(context.Background(), pipeline.Options{Counts: []string{counts}, Column: "v",
		Epsilon: "1.2",
		Utility: "ordered:A,B,C,D,E", MaxShift: "5%", WritePlan: path})
	if err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	load := func(t *testing.T, edit func(shares map[string]any)) error {
		t.Helper()
		lines := strings.SplitAfter(string(whole), "\n")
		for i, line := range lines {
			text, ok := strings.CutPrefix(line, `"shares": `)
			if !ok {
				continue
			}
			shares := map[string]any{}
			if err := json.Unmarshal([]byte(strings.TrimSuffix(text, ",\n")), &shares); err != nil {
				t.Fatal(err)
			}
			edit(shares)
			data, err := json.Marshal(shares)
			if err != nil {
				t.Fatal(err)
			}
			lines[i] = `"shares": ` + string(data) + ",\n"
		}
		data := []byte(strings.Join(lines, ""))
		end := bytes.LastIndex(data, []byte(`"plan_sha256"`))
		data = fmt.Appendf(data[:end:end], "\"plan_sha256\": \"%x\"\n}\n", sha256.Sum256(data[:end]))
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := decide.LoadPlan(path)
		return err
	}
	if err := load(t, func(map[string]any) {}); err != nil {
		t.Fatalf("as it was made: %v", err)
	}
	member := func(of, name string) func(m map[string]any, v any) any {
		return func(m map[string]any, v any) any {
			if of != "" {
				m = m[of].(map[string]any)
			}
			old := m[name]
			if v != nil {
				m[name] = v
			}
			return old
		}
	}
	times := func(text any, by *big.Rat) string {
		v, _ := new(big.Rat).SetString(text.(string))
		return v.Mul(v, by).RatString()
	}
	more, less := big.NewRat(1_000_001, 1_000_000), big.NewRat(999_999, 1_000_000)
	for name, c := range map[string]struct {
		of, member string
		value      func(old any) any
		want       string
	}{
		"a smaller shift":   {"", "shift", func(old any) any { return times(old, less) }, "do not have the shift"},
		"a smaller limit":   {"", "limit", func(any) any { return "1/1000" }, "above its own limit"},
		"no factor":         {"", "factor", func(any) any { return "" }, "hold for no factor"},
		"a smaller factor":  {"", "factor", func(old any) any { return times(old, less) }, "all that is within its epsilon"},
		"another shift":     {"", "within", func(old any) any { return times(old, more) }, "for another shift"},
		"a better mean":     {"worth", "value", func(old any) any { return times(old, more) }, "what is preferred"},
		"a refusal by more": {"refused", "value", func(old any) any { return times(old, more) }, "refused floor"},
		"a refusal of what may be": {"refused", "value", func(any) any { return "1/100" },
			"may be within its limit"},
		"its own floor refused": {"", "refused_at", func(any) any { return 1 }, "not better than its own"},
		"no prices": {"worth", "price", func(any) any { return []string{} },
			"what is preferred"},
		"a fraction that is not in lowest terms": {"", "shift", func(any) any { return "2/4" }, "in lowest terms"},
	} {
		t.Run(name, func(t *testing.T) {
			err := load(t, func(shares map[string]any) {
				at := member(c.of, c.member)
				at(shares, c.value(at(shares, nil)))
			})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}
