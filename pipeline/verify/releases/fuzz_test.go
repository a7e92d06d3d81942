package releases

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzExport: any bytes give the events of a ledger, or one line.
func FuzzExport(f *testing.F) {
	for _, s := range []string{"", "\n", `{"event":"begin","hash":"00"}`, `{"seq":1,"previous":"","hash":"` +
		strings.Repeat("0", 64) + "\"}\n", `,"hash":""}`, `{},"hash":"}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "export.jsonl")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		book, err := readExport(path)
		var e *Error
		if (book == nil) == (err == nil) || err != nil && (!errors.As(err, &e) || strings.ContainsAny(e.What, "\r\n")) {
			t.Errorf("%q", err)
		}
	})
}
