package plan

import (
	"errors"
	"strings"
	"testing"
)

// FuzzDecode: any bytes give a plan or one line, and no panic.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{"", "{}", `{"schema":"` + Schema + `"}`, `{"schema":"tacet.plan/v0","plan_sha256":""}`,
		`{"schema":"` + Schema + `","inputs":["a",null],"outputs":[1],"plan_sha256":"00"}`} {
		f.Add([]byte(s))
	}
	none := errors.New("is not there")
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Decode(data, func(string) ([]byte, error) { return nil, none })
		if (p == nil) == (err == nil) || err != nil && strings.ContainsAny(err.Error(), "\r\n") {
			t.Errorf("%v, %q", p, err)
		}
	})
}
