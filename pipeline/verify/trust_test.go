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
