package files

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
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
