package verify

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline/report"
)

// FuzzDecision: any bytes are a decision, which can be written, or none; and any line is a
// public key or none.
func FuzzDecision(f *testing.F) {
	sum := strings.Repeat("0", 64)
	f.Add([]byte("{\n  \"schema\": \"" + report.DecisionSchema + "\",\n  \"decision\": \"approve\",\n  \"by\": \"a\",\n  \"date\": " +
		"\"2026-11-23T00:00:00Z\",\n  \"report_sha256\": \"" + sum + "\",\n  \"statement_sha256\": \"" + sum + "\"\n}\n"))
	f.Add([]byte("{}"))
	f.Add([]byte("RWQ" + strings.Repeat("A", 53)))
	f.Fuzz(func(t *testing.T, data []byte) {
		if d, ok := readDecision(data); ok {
			if written, err := d.Encode(); err != nil || !json.Valid(written) {
				t.Errorf("a decision cannot be written: %q", data)
			}
		}
		if k := parseKey(string(data)); k != nil && parseKey(k.String()) == nil {
			t.Errorf("a key is written in two ways: %q", data)
		}
	})
}
