package document

import (
	"errors"
	"strings"
	"testing"
)

// FuzzDecode: any bytes give a report, a public report, a joint report and a
// plan, or one line with a hint.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{"", "{}", `{"schema":"tacet.report/v2"}`, `{"schema":"tacet.plan/v2","inputs":["a",null]}`,
		`{"schema":"tacet.plan/v0"}`, `{"schema":"tacet.joint/v2","schema":"tacet.joint/v2"}`, `{"Schema":1}`, "[1]"} {
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
