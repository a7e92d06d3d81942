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

// TestStreamsDiffer compares 64 words of streams that differ in one thing:
// seed, key, context, group, mechanism. Two equal ones have probability
// 2^-1024 a pair.
func TestStreamsDiffer(t *testing.T) {
	seen := map[string]string{}
	add := func(name string, s Streams) {
		for _, u := range [][2]int{{0, 0}, {1, 0}, {0, 1}, {1, 1}, {1 << 40, 0}} {
			words := fmt.Sprint(first(s.Unit(u[0], u[1]), 64))
			if words != fmt.Sprint(first(s.Unit(u[0], u[1]), 64)) {
				t.Errorf("%s, unit %d: two streams", name, u)
			}
			id := fmt.Sprint(name, u)
			if other, ok := seen[words]; ok {
				t.Errorf("%s and %s are one stream", id, other)
			}
			seen[words] = id
		}
	}
	k := NewKey()
	add("seed 0", TestStreams(0))
	add("seed 1", TestStreams(1))
	add("seed 1, context a", TestStreams(1, "a"))
	add("new key", NewStreams(NewKey()))
	add("key", NewStreams(k))
	add("key, context a", NewStreams(k, "a"))
	add("key, context a and nothing", NewStreams(k, "a", ""))
	add("key, context nothing and a", NewStreams(k, "", "a"))
	add("key, context a and eight zeros", NewStreams(k, "a"+string(make([]byte, 8))))
}

func TestScriptedComesFirst(t *testing.T) {
	script := []uint16{0, 0xffff, 1, 0x1234, 7}
	got, then := first(Scripted(script, TestStreams(1).Unit(0, 0)), 5000), first(TestStreams(1).Unit(0, 0), 4995)
	if fmt.Sprint(got) != fmt.Sprint(append(script, then...)) {
		t.Error("the script is not followed by the generator's first words")
	}
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
}

func TestZeroKeyPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	NewStreams(Key{})
}
