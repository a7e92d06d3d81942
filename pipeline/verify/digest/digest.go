// Package digest computes the hashes by which documents name plans and designs.
package digest

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
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
// labels, rows. Lengths and numbers are 8 bytes, big-endian.
func Design(in, out []cells.Label, rows []exact.Row) string {
	h := sha256.New()
	var b []byte
	number := func(v uint64) { b = binary.BigEndian.AppendUint64(b, v) }
	for _, labels := range [][]cells.Label{in, out} {
		number(uint64(len(labels)))
		for _, l := range labels {
			if l.Null {
				b = append(b, 0)
				continue
			}
			b = append(b, 1)
			number(uint64(len(l.Text)))
			b = append(b, l.Text...)
		}
	}
	number(uint64(len(rows)))
	for _, r := range rows {
		number(uint64(r.Total))
		number(uint64(len(r.Output)))
		for i, y := range r.Output {
			number(uint64(y))
			number(uint64(r.Weight[i]))
		}
		h.Write(b)
		b = b[:0]
	}
	h.Write(b)
	return hex.EncodeToString(h.Sum(nil))
}

// Is reports whether s is a SHA-256 in hex.
func Is(s string) bool {
	b, err := hex.DecodeString(s)
	return err == nil && len(b) == 32 && strings.ToLower(s) == s
}
