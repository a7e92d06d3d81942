// Package digest computes the hashes by which documents name plans and designs.
package digest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/verify/cells"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
)

// Hex is the SHA-256 of data.
func Hex(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Plan is the SHA-256 of all bytes of the file before the key plan_sha256;
// ok is false where the key is not the last thing in the file.
func Plan(data []byte, stated string) (sum string, ok bool) {
	at := max(0, bytes.LastIndex(data, []byte(`"plan_sha256"`)))
	return Hex(data[:at]), string(data[at:]) == `"plan_sha256": "`+stated+"\"\n}\n"
}

// Design is the SHA-256 of what draws depend on: input labels, output
// labels, rows.
func Design(in, out []cells.Label, rows []exact.Row) string {
	s := NewStream()
	s.Labels(in)
	s.Labels(out)
	s.Rows(rows)
	return s.Sum()
}

// Is reports whether s is a SHA-256 in hex.
func Is(s string) bool {
	b, err := hex.DecodeString(s)
	return err == nil && len(b) == 32 && strings.ToLower(s) == s
}
