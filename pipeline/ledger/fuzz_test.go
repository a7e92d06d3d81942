package ledger

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzEvent: the body of an event is read, or refused; what is read is written in one way.
func FuzzEvent(f *testing.F) {
	for _, s := range []string{"", "{}", `{"seq":1,"previous":""}`, `{"seq":1,"x":2}`, `{"seq":1}{}`, "[]", "null"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		e, err := decode(body)
		if err != nil {
			return
		}
		one, err := e.encode()
		ok(t, err)
		again, err := decode(one)
		if err != nil {
			t.Fatalf("%q is written as %q: %v", body, one, err)
		}
		if two, err := again.encode(); err != nil || !bytes.Equal(one, two) {
			t.Errorf("%q is written as %q, and that as %q: %v", body, one, two, err)
		}
	})
}

// FuzzHistory: any bytes are a record history or are refused in one line, and one that is
// taken finds no record that it does not hold.
func FuzzHistory(f *testing.F) {
	meta := `{"night":1,"limit":4}`
	end := binary.LittleEndian.AppendUint32([]byte(meta), uint32(len(meta)))
	f.Add([]byte{})
	f.Add([]byte(magic + magic))
	f.Add([]byte(magic + string(end) + magic))
	f.Add([]byte(magic + strings.Repeat("\x01", 40) + string(end) + magic))
	f.Fuzz(func(t *testing.T, data []byte) {
		h := &History{}
		why := h.parse(data)
		if why == "" {
			if err := h.index(); err != nil {
				why = err.Error()
			}
		}
		if strings.ContainsAny(why, "\r\n") {
			t.Errorf("%q", why)
		}
	})
}

// FuzzExport: any bytes are the export of a ledger, or are refused in one line.
func FuzzExport(f *testing.F) {
	for _, s := range []string{"", "\n", `{"event":"begin","hash":"00"}`, `{"seq":1,"previous":"","hash":"` + zeros +
		"\"}\n", `{,"hash":""}`, `{},"hash":"}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "export.jsonl")
		ok(t, os.WriteFile(path, data, 0o600))
		r, err := Read(t.Context(), path)
		var e *Error
		if (r == nil) == (err == nil) || err != nil && (!errors.As(err, &e) || strings.ContainsAny(e.What, "\r\n")) {
			t.Errorf("%q", err)
		}
	})
}
