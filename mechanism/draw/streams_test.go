package draw

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

func first(s *Source, n int) []uint16 {
	w := make([]uint16, n)
	for i := range w {
		w[i] = s.Word()
	}
	return w
}

// TestKeyDoesNotPrint looks for the key in decimal and hexadecimal, alone and
// inside structs, under every verb.
func TestKeyDoesNotPrint(t *testing.T) {
	var secret [32]byte
	for i := range secret {
		secret[i] = 0xab
	}
	k := KeyOf(secret)
	type nest struct{ k Key }
	source := NewStreams(k).Unit(0, 0)
	source.Word()
	for _, v := range []any{k, &k, nest{k}, &nest{k}, []Key{k}, map[string]Key{"": k}, NewStreams(k), source} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d"} {
			out := fmt.Sprintf(verb, v)
			if strings.Contains(strings.ToLower(out), "abab") || strings.Contains(out, "171") &&
				strings.Contains(out, "171 171") || len(out) > 400 {
				t.Errorf("%s of %T prints the secret", verb, v)
			}
		}
	}
	if text, err := k.MarshalText(); err != nil || bytes.Contains(text, secret[:1]) {
		t.Errorf("text %q, %v", text, err)
	}
	if k.String() != redacted || k.GoString() != redacted {
		t.Error("the key has a text")
	}
	if NewKey().secret() == NewKey().secret() {
		t.Error("two new keys are one")
	}
}

func TestZeroKeyPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	NewStreams(Key{})
}
