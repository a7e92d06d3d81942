package key

import (
	"bytes"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestRotateFails: where the new key cannot be put in place, its file being another mount, no
// copy of the old one stays.
func TestRotateFails(t *testing.T) {
	k, text := newKey(t, Draw)
	path := filepath.Join(t.TempDir(), "k")
	if err := Write(path, k); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount(path, path, "", syscall.MS_BIND, ""); err != nil {
		t.Skip("mounting needs root: ", err)
	}
	defer syscall.Unmount(path, 0)
	_, _, kept, err := Rotate(path, day)
	now, _ := os.ReadFile(path)
	if _, gone := os.Stat(kept); err == nil || gone == nil || !bytes.Equal(now, text) {
		t.Errorf("%v; the old key's copy: %v", err, gone)
	}
}
