package verify

import (
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/key"
	"github.com/tacet-privacy/tacet/pipeline/verify/document"
)

// signed makes a release in the name of a new key.
func signed(t *testing.T, epsilon string) (r *release, k *key.Key) {
	t.Helper()
	k, err := key.New(key.Signing, "")
	must(t, err)
	return signedBy(t, k, epsilon), k
}

func signedBy(t *testing.T, k *key.Key, epsilon string) *release {
	t.Helper()
	path := filepath.Join(t.TempDir(), "key")
	must(t, key.Write(path, k))
	j := job{cell: []string{"a", "b", "b", "c"}, rows: 400, order: "ordered:a,b,c",
		options: pipeline.Options{Epsilon: epsilon, Sign: path, AllowUnchanged: true}}
	return j.make(t)
}

func (r *release) trust(k *key.Key) document.Request {
	return document.Request{Report: r.path("report.json"), Input: r.input, Output: r.output, Trust: k.Public()}
}

func TestSigned(t *testing.T) {
	r, k := signed(t, "0.9")
	pub := filepath.Join(t.TempDir(), "k.pub")
	must(t, os.WriteFile(pub, []byte(k.Public()), 0o600))
	line := strings.Split(k.Public(), "\n")[1]
	for _, trust := range []string{pub, line} {
		q := r.trust(k)
		q.Trust = trust
		got, err := Run(t.Context(), q)
		must(t, err)
		if len(got.Failed()) > 0 || len(got.Checks) < 5 {
			t.Fatalf("failed: %v", got.Failed())
		}
		if c := got.Checks[0]; c.Name != "signature" || c.Outcome != document.Passed {
			t.Errorf("the first check is %v, want the signature passed", c)
		}
	}
	if st, err := os.Stat(r.path("release.json.minisig")); err != nil || st.Mode() != 0o600 {
		t.Errorf("the signature has mode %v, %v", st.Mode(), err)
	}
}

// changeFile changes a file by its text.
func changeFile(t *testing.T, path string, change func(string) string) {
	t.Helper()
	data, err := os.ReadFile(path)
	must(t, err)
	text := change(string(data))
	if text == string(data) {
		t.Fatalf("nothing changed in %s", path)
	}
	must(t, os.WriteFile(path, []byte(text), 0o600))
}

func replace(old, fresh string) func(string) string {
	return func(s string) string { return strings.Replace(s, old, fresh, 1) }
}

// TestForged alters what is signed, or who signs, and wants the check named.
func TestForgedSignatures(t *testing.T) {
	r, k := signed(t, "0.9")
	second := signedBy(t, k, "1.4")
	other, _ := signed(t, "0.9")
	stranger, err := key.New(key.Signing, "")
	must(t, err)
	line := func(n int, change func(string) string) func(string) string {
		return func(s string) string {
			lines := strings.Split(s, "\n")
			lines[n] = change(lines[n])
			return strings.Join(lines, "\n")
		}
	}
	report, signature := r.path("release.json"), r.path("release.json.minisig")
	another := func(path string) func(string) string {
		return func(string) string {
			data, err := os.ReadFile(path)
			must(t, err)
			return string(data)
		}
	}
	for _, c := range []struct {
		name, path string
		change     func(string) string
	}{
		{"a digit of the statement", report, func(s string) string {
			return strings.NewReplacer("a1", "a2", "b3", "b4", "0",
				"1").Replace(s)
		}},
		{"spaces in the statement", report, replace(`"subject": `, `"subject":  `)},
		{"half a statement", report, func(s string) string { return s[:len(s)/2] }},
		{"the trusted comment", signature, line(2, replace("release", "relaese"))},
		{"half a signature", signature, func(s string) string { return s[:len(s)/2] }},
		{"an empty signature", signature, func(string) string { return "" }},
		{"the signature of another report", signature, another(second.path("release.json.minisig"))},
		{"a signature by another key", signature, another(other.path("release.json.minisig"))},
		{"a signature of the old kind", signature, line(1, replace("RU", "RW"))},
	} {
		kept, err := os.ReadFile(c.path)
		must(t, err)
		changeFile(t, c.path, c.change)
		r.forged(t, c.name, r.trust(k))
		must(t, os.WriteFile(c.path, kept, 0o600))
	}
	r.forged(t, "another key", r.trust(stranger))
	must(t, os.Remove(signature))
	r.forged(t, "no signature", r.trust(k))
}

// forged wants the signature to fail, and no error instead.
func (r *release) forged(t *testing.T, name string, q document.Request) {
	t.Helper()
	q.Trust = strings.Split(q.Trust, "\n")[1]
	got, err := Run(t.Context(), q)
	if err != nil {
		t.Errorf("%s: %v", name, err)
	} else if !slices.Contains(got.Failed(), "signature") {
		t.Errorf("%s: failed %v", name, got.Failed())
	}
}

// TestTrust refuses what is no public key, without repeating it.
func TestTrust(t *testing.T) {
	r, k := signed(t, "0.9")
	dir := t.TempDir()
	for name, text := range map[string]string{
		"empty": "", "prose": "my key\n", "secret": string(k.Text()), "short": "RWQAAA\n",
		"kind":         base64.StdEncoding.EncodeToString(append([]byte("Xd"), make([]byte, 40)...)),
		"comment only": "untrusted comment: x\n",
	} {
		path := filepath.Join(dir, "k")
		must(t, os.WriteFile(path, []byte(text), 0o600))
		for _, trust := range []string{path, filepath.Join(dir, "absent"),
			strings.TrimSpace(string(k.Text())[strings.Index(string(k.Text()), "\n"):])} {
			q := r.trust(k)
			q.Trust = trust
			var e *document.Error
			if _, err := Run(t.Context(), q); !errors.As(err, &e) || strings.Contains(e.What, "RWQAAE") ||
				strings.Contains(e.What, "my key") {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
