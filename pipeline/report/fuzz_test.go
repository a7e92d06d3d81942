package report

import (
	"strings"
	"testing"
)

// FuzzRead: any bytes give a report, or one line that quotes nothing of them.
func FuzzRead(f *testing.F) {
	for _, s := range []string{"", "{}", `{"schema":"` + Schema + `"}`, `{"schema":"` + PublicSchema + `","claims":[]}`,
		`{"schema":1}`, `{"schema":"tacet.report/v0"}`, `{"schema":"` + Schema + `","rows":"secret"}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, p, err := Read(data)
		switch {
		case err == nil && (r == nil) == (p == nil):
			t.Error("neither one report nor an error")
		case err != nil && strings.ContainsAny(err.Error(), "\r\n"):
			t.Errorf("%q", err)
		}
	})
}
