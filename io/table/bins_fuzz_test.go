package table

import (
	"strings"
	"testing"
)

// FuzzBins: a rule is one of bins, written in the one way that plans have it, or one line.
func FuzzBins(f *testing.F) {
	for _, s := range []string{"", "0,10,20,inf", "width:10", "width:6h", "decade", "month", "-inf,0,1e9",
		"2020-01-01,2021-01-01", "2020-01-01T06:00:00,2021-01-01", "width:0", "1,1", "width:1e-400", "0,,1", "width::"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		spec, err := ParseBins(text)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\r\n") {
				t.Errorf("%q", err)
			}
			return
		}
		if again, err := ParseBins(spec); err != nil || again != spec {
			t.Errorf("%q is %q, and that is %q: %v", text, spec, again, err)
		}
	})
}
