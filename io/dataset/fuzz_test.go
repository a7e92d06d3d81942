package dataset

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzList: any bytes are a list of files below its folder, or are refused in one line.
func FuzzList(f *testing.F) {
	for _, s := range []string{"", "a.parquet\n", "../a\n", "/etc/passwd\n", "a\r\nb\r\n", "sub/a\n.hidden\n", "a\x00b\n", "a\na\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		list := filepath.Join(dir, "list.txt")
		for _, name := range []string{"a.parquet", "b"} {
			if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(list, data, 0o600); err != nil {
			t.Fatal(err)
		}
		s := &Set{}
		if err := s.read(list); err != nil {
			if strings.ContainsAny(err.Error(), "\r\n") {
				t.Errorf("%q", err)
			}
			return
		}
		for _, m := range s.Members {
			if strings.HasPrefix(m.Rel, "..") || filepath.IsAbs(m.Rel) {
				t.Errorf("%q is not below the folder of the list", m.Rel)
			}
		}
	})
}
