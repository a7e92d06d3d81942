package key

import (
	"fmt"
	"io"
	"os"

	"aead.dev/minisign"
)

// Detached is the content of NAME.minisig for the bytes that r gives. name is
// told in the trusted comment.
func Detached(k *Key, name string, r io.Reader) ([]byte, error) {
	m := minisign.NewReader(r)
	if _, err := io.Copy(io.Discard, m); err != nil {
		return nil, fmt.Errorf("signing %s: %w", name, err)
	}
	return m.SignWithComments(k.Minisign(), "file:"+printable(name)+"\thashed", "signature of tacet, key "+k.ID()), nil
}

// SignedBy is the id of the key that the file of a signature says made it, "" of none.
func SignedBy(path string) string {
	data, err := os.ReadFile(path)
	var signed minisign.Signature
	if err != nil || signed.UnmarshalText(data) != nil {
		return ""
	}
	return fmt.Sprintf("%016X", signed.KeyID)
}

// printable keeps a name on the line of the comment.
func printable(name string) string {
	b := []byte(name)
	for i, c := range b {
		if c < ' ' || c == 0x7f {
			b[i] = '?'
		}
	}
	return string(b)
}
