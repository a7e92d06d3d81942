package verify

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/verify/kernel"
)

// FuzzStatement: a statement is read or refused, whatever its bytes are. One that is
// read is written in just one way, and all that is asked of it can be answered.
func FuzzStatement(f *testing.F) {
	output := report.SubjectOf("out.parquet", []byte("rows"))
	inside := report.NewStatement("v1", "", output, report.SubjectOf("in.parquet", nil), []report.Subject{
		report.SubjectOf("plan.json", nil), report.SubjectOf("8/public/report.json", nil)})
	outside := inside.Open()
	outside.Commit([]byte("statement"), []byte("key"))
	for _, s := range []*report.Statement{inside, outside} {
		data, err := s.Encode()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, s == outside)
		f.Add(data[:len(data)/2], s == outside)
		f.Add(bytes.Replace(data, []byte("{"), []byte(`{"_type": "x",`), 1), s == outside)
	}
	f.Fuzz(func(t *testing.T, data []byte, public bool) {
		kind, other := report.InternalStatement, report.PublicStatement
		if public {
			kind, other = other, kind
		}
		s, ok := report.ReadStatement(data, kind)
		if !ok {
			return
		}
		if !json.Valid(data) || (s.PredicateType == report.PublicStatement) != public {
			t.Errorf("a statement that is none, or of the other kind, is read: %q", data)
		}
		if _, both := report.ReadStatement(data, other); both {
			t.Errorf("one statement is of both kinds: %q", data)
		}
		if _, longer := report.ReadStatement(append(bytes.Clone(data), '\n'), kind); longer {
			t.Errorf("a statement is written in two ways: %q", data)
		}
		var w kernel.Faults
		holdsReport(&w, s, "report.json", data)
	})
}

// FuzzDecision: any bytes are a decision, which can be written, or none; and any line is a
// public key or none.
func FuzzDecision(f *testing.F) {
	sum := strings.Repeat("0", 64)
	f.Add([]byte("{\n  \"schema\": \"" + report.DecisionSchema + "\",\n  \"decision\": \"approve\",\n  \"by\": \"a\",\n" +
		"  \"date\": \"2026-11-23T00:00:00Z\",\n  \"report_sha256\": \"" + sum + "\",\n" +
		"  \"statement_sha256\": \"" + sum + "\"\n}\n"))
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
