package mechanism

import (
	"strings"
	"testing"
)

// FuzzEpsilon: a text is an epsilon, or a factor, or one line; what is read is written so
// that it is read as the same again.
func FuzzEpsilon(f *testing.F) {
	for _, s := range []string{"", "0.85", "log(7/3)", "7/3", "1e400", "log(0)", "-1", "log(1/3)", "0/0", "00.50", "32"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, parse := range []func(string) (Epsilon, error){ParseEpsilon, ParseFactor} {
			e, err := parse(text)
			if err != nil {
				if strings.ContainsAny(err.Error(), "\r\n") {
					t.Errorf("%q", err)
				}
				continue
			}
			again, err := ParseEpsilon(e.String())
			if err != nil || again.String() != e.String() || !(e.FactorUp() >= 1) || !(again.FactorUp() == e.FactorUp()) {
				t.Errorf("%q is %q, and that is %q: %v", text, e, again, err)
			}
		}
	})
}
