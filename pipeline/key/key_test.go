package key

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const day = "2026-01-31T12:00:00Z"

func newKey(t *testing.T, typ Type) (*Key, []byte) {
	t.Helper()
	k, err := New(typ, day)
	if err != nil {
		t.Fatal(err)
	}
	return k, k.Text()
}

func write(t *testing.T, text []byte, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestRoundTrip(t *testing.T) {
	for _, typ := range Types() {
		k, text := newKey(t, typ)
		for _, want := range []Type{typ, ""} {
			got, err := Read(write(t, text, 0o400), want, "--key")
			if err != nil {
				t.Fatal(err)
			}
			if got.ID() != k.ID() || !bytes.Equal(got.Text(), k.Text()) || got.Type() != typ || got.Public() != k.Public() {
				t.Errorf("%v reads back as %v", k, got)
			}
		}
		if other, _ := newKey(t, typ); other.ID() == k.ID() {
			t.Errorf("two %s keys have one id", typ)
		}
	}
}

// TestDrawID holds the id to its definition: HMAC-SHA-256 of the label, as
// another implementation gives it.
func TestDrawID(t *testing.T) {
	secret := make([]byte, size)
	for i := range secret {
		secret[i] = byte(i)
	}
	k := newDraw(Draw, secret, day)
	if got, want := k.ID(), "8cae3e578d6f0da4ecdefceb531ff86f"; got != want {
		t.Errorf("id %s, want %s", got, want)
	}
	if !bytes.Equal(k.Secret(), secret) {
		t.Error("the secret is another")
	}
}

// TestNothingLeaks prints keys in every way and looks for their secrets.
func TestNothingLeaks(t *testing.T) {
	for _, typ := range Types() {
		k, text := newKey(t, typ)
		secret := k.secret()
		if typ == Signing {
			raw := rawSigning(t, secret)
			secret = raw[seedAt : seedAt+ed25519.SeedSize]
		}
		data, err := json.Marshal(k)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range []any{k, *k, []*Key{k}, struct{ K *Key }{k}, struct{ k Key }{*k}} {
			said := string(data) + k.Public()
			for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%x", "%q", "%d"} {
				said += fmt.Sprintf(verb, p)
			}
			for _, part := range []string{string(text[len(text)-30 : len(text)-5]),
				base64.StdEncoding.EncodeToString(secret)[:20], fmt.Sprintf("%x", secret[:8]),
				strings.Trim(fmt.Sprint(secret[:8]), "[]"), strings.Trim(fmt.Sprintf("%#v", secret[:4])[7:], "{}"),
				string(secret[:8])} {
				if strings.Contains(said, part) {
					t.Errorf("%T of a %s key prints its secret: %q", p, typ, said)
				}
			}
		}
	}
}

// seedAt is where the seed stands in a minisign secret key, before its public half.
const seedAt = 62

// rawSigning is the bytes of a minisign secret key.
func rawSigning(t *testing.T, text []byte) []byte {
	t.Helper()
	raw, err := base64.StdEncoding.DecodeString(strings.TrimSpace(strings.SplitN(string(text), "\n", 2)[1]))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestRefused(t *testing.T) {
	_, draw := newKey(t, Draw)
	_, signing := newKey(t, Signing)
	lines := strings.SplitAfter(string(draw), "\n")
	swap := bytes.Clone(signing) // the public half of another seed
	raw := rawSigning(t, signing)
	raw[seedAt+ed25519.SeedSize] ^= 1
	swap = append(swap[:bytes.IndexByte(swap, '\n')+1], base64.StdEncoding.EncodeToString(raw)...)
	raw[seedAt+ed25519.SeedSize] ^= 1
	copy(raw[2:], "Sc")
	locked := signingHead + " x\n" + base64.StdEncoding.EncodeToString(raw)
	other, _ := New(Draw, day)
	for name, c := range map[string]struct {
		text, want string
		typ        Type
	}{
		"nothing":         {"", "is not a whole key", Draw},
		"first line cut":  {"tacet-k", "is not a whole key", Draw},
		"half a draw key": {string(draw[:len(draw)/2]), "is not a whole key", Draw},
		"short secret":    {string(draw[:len(draw)-10]), "is not a whole key", Draw},
		"secret of 31 bytes": {strings.Join(lines[:4], "") + "secret: " +
			base64.StdEncoding.EncodeToString(make([]byte, 30)) + "\n", "is not a whole key", Draw},
		"secret of 33 bytes": {strings.Join(lines[:4], "") + "secret: " +
			base64.StdEncoding.EncodeToString(make([]byte, 33)) + "\n", "is not a whole key", Draw},
		"no base64": {strings.Join(lines[:4], "") + "secret: " + strings.Repeat("!", 44) + "\n", "is not a whole key",
			Draw},
		"id of another key":  {strings.Replace(string(draw), lines[2], "id: "+other.ID()+"\n", 1), "is damaged", Draw},
		"line more":          {string(draw) + "secret: x\n", "is not a whole key", Draw},
		"line twice":         {lines[0] + lines[1] + strings.Join(lines[1:], ""), "is not a whole key", Draw},
		"unknown type":       {strings.Replace(string(draw), "type: draw", "type: drow", 1), "is not a whole key", Draw},
		"no date":            {strings.Replace(string(draw), day, "today", 1), "is not a whole key", Draw},
		"prose":              {"Dear diary,\n", "is not a whole key", Draw},
		"4 KiB and more":     {string(draw) + strings.Repeat("\n", maxFile), "is not a whole key", Draw},
		"half a signing key": {string(signing[:150]), "is not a whole key", Signing},
		"a public key": {"untrusted comment: minisign public key: " +
			"1\nRWQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n", "is a public key", Signing},
		"halves do not match":   {string(swap), "is not a whole key", Signing},
		"password":              {locked, "is protected by a password", Signing},
		"signing key for draws": {string(signing), "is a signing key, and --key takes a draw key", Draw},
		"draw key for signing":  {string(draw), "is a draw key, and --key takes a signing key", Signing},
	} {
		_, err := Read(write(t, []byte(c.text), 0o600), c.typ, "--key")
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(e.What, c.want) || e.Exposed || e.Hint == "" {
			t.Errorf("%s: %v, want one that %s", name, err, c.want)
		}
	}
}

func TestExposed(t *testing.T) {
	_, text := newKey(t, Draw)
	for _, mode := range []os.FileMode{0o640, 0o604, 0o620, 0o644, 0o610} {
		_, err := Read(write(t, text, mode), Draw, "--key")
		var e *Error
		if !errors.As(err, &e) || !e.Exposed {
			t.Errorf("mode %o: %v", mode, err)
		}
	}
	// What is no secret is told for what it is.
	signing, _ := newKey(t, Signing)
	var e *Error
	if _, err := Read(write(t, []byte(signing.Public()), 0o644), Signing, "--key"); !errors.As(err, &e) || e.Exposed {
		t.Errorf("a public key: %v", err)
	}
}

// TestPlaces opens what is no file, and never repeats what was given.
func TestPlaces(t *testing.T) {
	_, text := newKey(t, Draw)
	dir := t.TempDir()
	for _, place := range []string{dir, "/dev/null", filepath.Join(dir, "absent"), string(text), "fd:", "fd:-1", "fd:999",
		"fd:x", "fd:99999999999999"} {
		_, err := Read(place, Draw, "--key")
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%q: %v", place, err)
			continue
		}
		if place == string(text) && strings.Contains(e.What+e.Hint, "secret") {
			t.Errorf("a key given as a path is repeated: %s", e.What)
		}
	}
}

func TestDescriptor(t *testing.T) {
	k, text := newKey(t, Draw)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	w.Write(text)
	w.Close()
	got, err := Read(fmt.Sprintf("fd:%d", r.Fd()), Draw, "--key")
	if err != nil || got.ID() != k.ID() {
		t.Errorf("from a pipe: %v, %v", got, err)
	}
	if err := r.Close(); err != nil {
		t.Errorf("the caller's descriptor was closed: %v", err)
	}
	open, err := os.Open(write(t, text, 0o644))
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	var e *Error
	if _, err := Read(fmt.Sprintf("fd:%d", open.Fd()), Draw, "--key"); !errors.As(err, &e) || !e.Exposed {
		t.Errorf("a descriptor of a file that others may read: %v", err)
	}
}

func TestWriteAndRotate(t *testing.T) {
	for _, typ := range Types() {
		k, text := newKey(t, typ)
		path := filepath.Join(t.TempDir(), "k")
		if err := Write(path, k); err != nil {
			t.Fatal(err)
		}
		if err := Write(path, k); err == nil {
			t.Error("a key was written over")
		}
		st, err := os.Stat(path)
		if err != nil || st.Mode() != 0o600 {
			t.Errorf("mode %v, %v", st.Mode(), err)
		}
		old, fresh, kept, err := Rotate(path, day)
		if err != nil || old.ID() != k.ID() || fresh.ID() == k.ID() || fresh.Type() != typ {
			t.Fatalf("%v, %v, %v", old, fresh, err)
		}
		now, err := os.ReadFile(path)
		before, errKept := os.ReadFile(kept)
		if err != nil || errKept != nil || !bytes.Equal(now, fresh.Text()) || !bytes.Equal(before, text) {
			t.Errorf("the files hold other keys: %v, %v", err, errKept)
		}
		if st, err := os.Stat(kept); err != nil || st.Mode() != 0o600 {
			t.Errorf("mode of the kept key %v, %v", st, err)
		}
		// A name that is taken changes nothing.
		if err := os.WriteFile(path+"."+fresh.ID(), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, _, err := Rotate(path, day); err == nil {
			t.Error("a kept key was written over")
		}
		if still, err := os.ReadFile(path); err != nil || !bytes.Equal(still, now) {
			t.Errorf("a rotation that failed changed the key: %v", err)
		}
	}
}

// TestHistoryOutlivesRotation: records keep their names, whatever key draws.
func TestHistoryOutlivesRotation(t *testing.T) {
	k, text := newKey(t, Draw)
	path := write(t, text, 0o600)
	if bytes.Equal(k.History(), k.Secret()) {
		t.Error("the history key is the draw key")
	}
	for range 3 {
		_, fresh, _, err := Rotate(path, day)
		if err != nil {
			t.Fatal(err)
		}
		read, err := Read(path, Draw, "--key")
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(read.History(), k.History()) || read.HistoryID() != k.HistoryID() {
			t.Error("a rotation changed the history key")
		}
		if read.ID() != fresh.ID() || read.ID() == k.ID() || !bytes.Equal(read.Text(), fresh.Text()) {
			t.Error("a rotation did not change the draw key, or it reads back as another")
		}
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Read(write(t, whole[:len(whole)-5], 0o600), Draw, "--key"); err == nil {
		t.Error("a history key that is not a whole key is taken")
	}
	if _, err := Read(write(t, append(whole, whole[len(whole)-60:]...), 0o600), Draw, "--key"); err == nil {
		t.Error("a second history key is taken")
	}
	if other, _ := newKey(t, Draw); other.HistoryID() == k.HistoryID() {
		t.Error("two keys have one history key")
	}
}

// Types lists every type.
func Types() []Type { return []Type{Signing, Draw, Run} }
