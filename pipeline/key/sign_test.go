package key

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"aead.dev/minisign"
)

func newSigningKey(t *testing.T) *Key {
	t.Helper()
	k, err := New(Signing, "")
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// TestDetached verifies with the library, and with minisign itself where it is
// installed.
func TestDetached(t *testing.T) {
	k, dir := newSigningKey(t), t.TempDir()
	for _, message := range [][]byte{nil, []byte("letters"), bytes.Repeat([]byte{7}, 1<<20)} {
		sig, err := Detached(k, "out\n.parquet", bytes.NewReader(message))
		if err != nil {
			t.Fatal(err)
		}
		public := k.Minisign().Public().(minisign.PublicKey)
		if !minisign.Verify(public, message, sig) {
			t.Error("the library refuses the signature")
		}
		if minisign.Verify(public, append(message, 1), sig) ||
			minisign.Verify(newSigningKey(t).Minisign().Public().(minisign.PublicKey), message, sig) {
			t.Error("the signature fits another message or key")
		}
		again, _ := Detached(k, "out\n.parquet", bytes.NewReader(message))
		if !bytes.Equal(sig, again) {
			t.Error("two signatures of one file differ")
		}
		if lines := strings.Split(string(sig), "\n"); len(lines) != 5 ||
			lines[2] != "trusted comment: file:out?.parquet\thashed" {
			t.Errorf("the signature is not of four lines:\n%s", sig)
		}
		program, err := exec.LookPath("minisign")
		if err != nil {
			continue // the library has judged
		}
		file, pub := filepath.Join(dir, "m"), filepath.Join(dir, "k.pub")
		if err := errors.Join(os.WriteFile(file, message, 0o600), os.WriteFile(file+".minisig", sig, 0o600),
			os.WriteFile(pub, []byte(k.Public()), 0o600)); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(program, "-V", "-H", "-p", pub, "-m", file).CombinedOutput(); err != nil {
			t.Errorf("minisign: %v: %s", err, out)
		}
	}
}
