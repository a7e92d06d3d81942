package releases

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzHistory: any bytes are a record history, or are refused in one line.
func FuzzHistory(f *testing.F) {
	about := `{"night":1,"limit":4}`
	end := binary.LittleEndian.AppendUint32([]byte(about), uint32(len(about)))
	f.Add([]byte{})
	f.Add([]byte(magic + magic))
	f.Add([]byte(magic + string(end) + magic))
	f.Add([]byte(magic + strings.Repeat("\x01", 40) + string(end) + magic))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "history")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		h, err := ReadHistory(path)
		if (h == nil) == (err == nil) && h == nil || err != nil && strings.ContainsAny(err.Error(), "\r\n") {
			t.Errorf("%v, %q", h, err)
		}
	})
}

// FuzzKey: a text is a draw key or is refused without being quoted.
func FuzzKey(f *testing.F) {
	for _, s := range []string{"", "tacet-key/v1\ntype: draw\n", "tacet-key/v1\ntype: draw\nid: 0\nsecret: AAAA\n",
		"tacet-key/v1\ntype: draw\nsecret: ?\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		k, err := ParseKey(text)
		if (k == nil) == (err == nil) || err != nil && err != ErrKey {
			t.Errorf("%v, %v", k, err)
		}
	})
}
