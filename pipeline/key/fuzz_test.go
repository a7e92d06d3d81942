package key

import (
	"bytes"
	"testing"
)

// FuzzParse: what is read as a key is written again as it was, but for the
// first line of a signing key.
func FuzzParse(f *testing.F) {
	for _, typ := range Types() {
		k, err := New(typ, day)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(k.Text())
		f.Add([]byte(k.Public()))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		k, err := parse(data)
		if err != nil {
			return
		}
		again, err := parse(k.Text())
		if err != nil || again.ID() != k.ID() || !bytes.Equal(again.Text(), k.Text()) {
			t.Errorf("%v is not what it was: %v", k, err)
		}
		if k.Type() == Draw && !bytes.Equal(bytes.TrimRight(data, "\n"), bytes.TrimRight(k.Text(), "\n")) {
			t.Error("a draw key has two texts")
		}
	})
}
