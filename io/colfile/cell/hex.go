package cell

import (
	"encoding/hex"
	"strings"
	"unicode/utf8"
)

// IsHexLabel reports whether s reads as the hex label of bytes that cannot be
// their own label: bytes that are no UTF-8, or that look like a hex label.
func IsHexLabel(s string) bool {
	if len(s) < 4 || len(s)%2 != 0 || s[:2] != "0x" || strings.ToLower(s) != s {
		return false
	}
	raw, err := hex.DecodeString(s[2:])
	return err == nil && (!utf8.Valid(raw) || IsHexLabel(string(raw)))
}
