package request

import (
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline/fault"
)

// FuzzParse: any bytes give a file or one line that says where.
func FuzzParse(f *testing.F) {
	for _, s := range []string{complete, "a: 1\na: 2\n", "about: {owner: &x a, row: *x}\n", "- a", "? [a]\n: b\n",
		"input: !!binary x\n", "{\"epsilon\": 1}", "a: |\n  b\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := Parse("job.yaml", data, keys)
		e, ok := err.(*fault.Fault)
		switch {
		case err == nil && got == nil:
			t.Error("neither file nor error")
		case err != nil && (!ok || e.Hint == "" || strings.ContainsAny(e.What+e.Hint, "\n\r")):
			t.Errorf("%v", err)
		}
	})
}
