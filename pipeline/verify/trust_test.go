package verify_test

import (
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline/verify"
)

// TestSigned: a signature passes by the file of the public key and by its line.
func TestSigned(t *testing.T) {
	r := signed(t)
	pub := filepath.Join(t.TempDir(), "k.pub")
	must(t, writeText(pub, "untrusted comment: x\n"+r.trust+"\n"))
	for _, trust := range []string{pub, r.trust} {
		q := r.request(t)
		q.Trust = trust
		got, err := verify.Run(t.Context(), q)
		must(t, err)
		if c := got.Checks[0]; len(got.Failed()) > 0 || c.Name != "signature" || c.Outcome.String() != "passed" {
			t.Errorf("failed: %v, and the first check is %v", got.Failed(), c)
		}
	}
	if st, err := os.Stat(r.path("release.json.minisig")); err != nil || st.Mode() != 0o600 {
		t.Errorf("the signature has mode %v, %v", st.Mode(), err)
	}
}

// TestTrust refuses what is no public key, without repeating it.
func TestTrust(t *testing.T) {
	r := signed(t)
	k, _ := newKey(t)
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
			q := r.request(t)
			q.Trust = trust
			var e *verify.Error
			if _, err := verify.Run(t.Context(), q); !errors.As(err, &e) || strings.Contains(e.What, "RWQAAE") ||
				strings.Contains(e.What, "my key") {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
