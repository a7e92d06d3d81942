package publish

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
)

// TestHashed: what goes up is held to the hash that was checked, at the last moment.
func TestHashed(t *testing.T) {
	sum := sha256.Sum256([]byte("drawn"))
	for text, want := range map[string]error{"drawn": nil, "drawm": errChanged, "drawn ": errChanged, "": errChanged} {
		for name, r := range map[string]io.Reader{"whole": strings.NewReader(text),
			"slow":              iotest.OneByteReader(strings.NewReader(text)),
			"data with its end": iotest.DataErrReader(strings.NewReader(text))} {
			if _, err := io.ReadAll(hashed(r, hex.EncodeToString(sum[:]))); !errors.Is(err, want) {
				t.Errorf("%q, %s: %v, want %v", text, name, err, want)
			}
		}
	}
}

// TestWaiting: a folder in which files wait is that of its process alone, and goes with
// the next run once that is dead.
func TestWaiting(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	first, lock, err := waiting()
	must(t, err)
	must(t, os.WriteFile(filepath.Join(first, "0"), []byte("drawn"), 0o600))
	second, other, err := waiting()
	if err != nil || second == first {
		t.Fatalf("%s and %s (%v)", first, second, err)
	}
	if st, err := os.Stat(filepath.Join(first, "0")); err != nil || st.Size() != 5 {
		t.Errorf("a run took the files of another that lives (%v)", err)
	}
	if st, err := os.Stat(second); err != nil || st.Mode().Perm() != 0o700 {
		t.Errorf("others may look into it (%v)", err)
	}
	lock.Close() // as when its process dies
	third, last, err := waiting()
	must(t, err)
	if _, err := os.Stat(first); !os.IsNotExist(err) {
		t.Errorf("what a dead run left stays (%v)", err)
	}
	if _, err := os.Stat(second); err != nil {
		t.Errorf("the folder of a run that lives is gone (%v)", err)
	}
	other.Close()
	last.Close()
	os.RemoveAll(third)
}
