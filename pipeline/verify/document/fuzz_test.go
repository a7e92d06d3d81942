package document

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
)

// FuzzDecode: any bytes give a report, a public report, a joint report and a
// plan, or one line with a hint.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{"", "{}", `{"schema":"tacet.report/v1"}`, `{"schema":"tacet.plan/v2","inputs":["a",null]}`,
		`{"schema":"tacet.plan/v0"}`, `{"schema":"tacet.joint/v1","schema":"tacet.joint/v1"}`, `{"Schema":1}`, "[1]"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		_, report := ReadReport(data, "f.json")
		for _, err := range []error{report, Decode(data, "f.json", &Plan{})} {
			var e *Error
			if err != nil && (!errors.As(err, &e) || e.Hint == "" || strings.ContainsAny(e.What+e.Hint, "\r\n")) {
				t.Errorf("%q", err)
			}
		}
	})
}

// FuzzParse: a document is read as the library reads it, and refused where the
// library refuses it.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"", " {} ", "[]", "[1, -2.5e+3\n,null ,true,false]", `{"a":{"b":[{}, [] ,"c"]},"d_1":"e\\"}`,
		`["\u0061\"\\", "\ud800", "\u00fc` + "\xff" + `"]`, `{"a":1,"a":2}`, `{"\u0061":1,"a":2}`, `{"A":1}`, `{"a":1}{}`, "nul",
		`"a`, "1\r\n", strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000)} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		n, what := parse(data)
		d := json.NewDecoder(bytes.NewReader(data))
		d.UseNumber()
		var want any
		if err := d.Decode(&want); err != nil || d.More() || !json.Valid(data) {
			if what != "is not a JSON document" {
				t.Errorf("%q: %q", data, what)
			}
			return
		}
		if !reflect.DeepEqual(n.value, want) {
			t.Errorf("%q is read as %v, not %v", data, n.value, want)
		}
		if schema, bare := Members(data); bare != what || what == "" && schema != n.Text("schema") {
			t.Errorf("%q: %q, %q, not %q", data, schema, bare, what)
		}
	})
}

// TestMembers: names that readers take in several ways are refused, at any depth.
func TestMembers(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":1,"b":{"a":2}}`: "", `[{"a":1,"a":2}]`: "has a member twice", `{"\u0061":1,"a":2}`: "has a member twice",
		`{"a":[{"B":1}]}`: "has a member that is not known", `{"a b":1}`: "has a member that is not known",
		`{"a":1} x`: "is not a JSON document", `{"schema":"x","a":{"schema":"y"}}`: "",
	} {
		if _, what := parse([]byte(text)); what != want {
			t.Errorf("%s: %q, not %q", text, what, want)
		}
		if schema, what := Members([]byte(text)); what != want || strings.Contains(text, `"x"`) && schema != "x" {
			t.Errorf("%s: %q, %q, not %q", text, schema, what, want)
		}
	}
}
