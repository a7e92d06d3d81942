package count

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline/fault"
)

// fuzzed writes data where a reader of files finds them.
func fuzzed(t *testing.T, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "f.csv")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// refused fails unless err is a fault of one line with a hint.
func refused(t *testing.T, err error) {
	t.Helper()
	var f *fault.Fault
	if !errors.As(err, &f) || f.Hint == "" || strings.ContainsAny(f.What+f.Hint, "\r\n") {
		t.Errorf("%q", err)
	}
}

// FuzzCounts: any bytes give counts that are written and read again as they are, and
// twice of which are twice as many; or one line that tells no label.
func FuzzCounts(f *testing.F) {
	const head = `# {"format":"tacet.counts/v1","column":"x","type":"string"`
	for _, s := range []string{"", "label,count\n", "label,count\na,1\n", "label,count,null\na,1,0\n,2,1\n",
		"label,count\na,1\na,2\n", "label,count\na,-1\n", "label,count\n\"a\nb\",x\n", "label,count\na\n",
		"label,count\n007,1\n8,2\n", head + "}\nlabel,count\n", head + "}\nlabel,count\n\"a\r\nb\",3\n0xff,1\n",
		head + `,"strata":"w"}` + "\nlabel,count,null,stratum,stratum_null\na,1,,s,\na,2,,,1\n,3,1,s,\nb,0,,,\n",
		head + `,"more":1}` + "\nlabel,count\n", head, "label,count\na,9223372036854775807\nb,1\n",
		"label,count\nmark8,x\n", "label,count\nmark8,1\nmark8,1\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := ReadCounts(fuzzed(t, data))
		if err != nil {
			refused(t, err)
			if bytes.Contains(data, []byte("mark8")) && strings.Contains(err.Error(), "mark8") {
				t.Errorf("%q tells a label", err)
			}
			return
		}
		var b bytes.Buffer
		if err := c.WriteCounts(&b); err != nil {
			t.Fatal(err)
		}
		again, err := ReadCounts(fuzzed(t, b.Bytes()))
		if err != nil {
			t.Fatalf("%v: %s", err, b.Bytes())
		}
		same(t, again, c, 1)
		if c.counts.Total() <= math.MaxInt64/2 {
			twice, err := c.Plus(again)
			if err != nil {
				t.Fatal(err)
			}
			same(t, twice, c, 2)
		}
	})
}

// same holds a to factor times b.
func same(t *testing.T, a, b *Counted, factor int64) {
	t.Helper()
	if a.Alphabet.Type() != b.Alphabet.Type() || !slices.Equal(a.Alphabet.Values(), b.Alphabet.Values()) ||
		a.Alphabet.Null() != b.Alphabet.Null() || a.Strata != b.Strata || a.Column != b.Column {
		t.Fatalf("%+v is not %+v", a, b)
	}
	for x := range b.counts.Letters() {
		if a.counts.Count(x) != factor*b.counts.Count(x) {
			t.Errorf("value %d: %d records, not %d times %d", x, a.counts.Count(x), factor, b.counts.Count(x))
		}
	}
	if (a.Table == nil) != (b.Table == nil) || b.Table != nil && len(a.Table.Name) != len(b.Table.Name) {
		t.Fatalf("%+v is not %+v", a.Table, b.Table)
	}
	if b.Table == nil {
		return
	}
	for i, name := range b.Table.Name {
		for x, n := range b.Table.Count[i] {
			if got := a.Table.Count[a.Table.Place(name)][x]; got != factor*n {
				t.Errorf("value %d in stratum %v: %d records, not %d times %d", x, name, got, factor, n)
			}
		}
	}
}

// FuzzLaw: any bytes give probabilities that are not negative, or one line.
func FuzzLaw(f *testing.F) {
	for _, s := range []string{"", "label,probability\na,1/3\nb,2/3\n", "label,probability,null\na,0.5,0\n,0.5,1\n",
		"\ufefflabel,probability\na,1\n", "label,probability\na,1e-400\n", "label,probability\n\"a\nb\",x\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		law, err := ReadLaw(fuzzed(t, data))
		if err != nil {
			refused(t, err)
			return
		}
		for _, p := range law.Chance {
			if p.Sign() < 0 {
				t.Error("a probability is negative")
			}
		}
	})
}
