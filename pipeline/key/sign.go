package key

import (
	"fmt"
	"io"

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
