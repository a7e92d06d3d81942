package verify

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/crypto/blake2b"

	"github.com/tacet-privacy/tacet/pipeline/verify/kernel"
)

// A publicKey is one in minisign's format: two letters, 8 bytes of id, an
// Ed25519 key.
type publicKey struct {
	id  [8]byte
	key ed25519.PublicKey
}

// name is the id as minisign prints it.
func (k *publicKey) name() string {
	b := k.id
	for i, j := 0, len(b)-1; i < j; i, j = i+1, j-1 {
		b[i], b[j] = b[j], b[i]
	}
	return strings.ToUpper(hex.EncodeToString(b[:]))
}

// trusted reads the public key given to a flag: the 56 characters themselves, or a file
// that holds them on its first or second line.
func trusted(given, flag string) (*publicKey, error) {
	text := given
	if k := parseKey(given); k != nil {
		return k, nil
	}
	if len(given) > 100 && strings.HasSuffix(given, "=") {
		return nil, kernel.Errorf("give the public key; make a new pair if the secret one was seen",
			"%s was given something that may be a secret key", flag)
	}
	data, err := read(given, flag)
	if err != nil {
		return nil, err
	}
	if text = strings.TrimRight(string(data), "\r\n"); strings.HasPrefix(text, "untrusted comment:") {
		_, text, _ = strings.Cut(text, "\n")
	}
	if k := parseKey(text); k != nil {
		return k, nil
	}
	return nil, kernel.Errorf("give the file that tacet key show-id or minisign wrote, or its line that begins with RW",
		"%s is no public key", given)
}

// parseKey is nil for what is no public key.
func parseKey(text string) *publicKey {
	raw, err := base64.StdEncoding.Strict().DecodeString(strings.TrimSpace(text))
	if err != nil || len(raw) != 42 || string(raw[:2]) != "Ed" {
		return nil
	}
	return &publicKey{[8]byte(raw[2:10]), raw[10:]}
}

// signedBy is the name of the key that a signature beside a document says made it, "" of none.
func signedBy(path string) string {
	data, err := os.ReadFile(path + ".minisig")
	line := strings.Split(string(data), "\n")
	if err != nil || len(line) < 2 {
		return ""
	}
	raw, err := base64.StdEncoding.DecodeString(line[1])
	if err != nil || len(raw) < 10 {
		return ""
	}
	return (&publicKey{id: [8]byte(raw[2:10])}).name()
}

// readWithdrawn reads a list of keys that are trusted no more: a public key or the name of one
// a line, and comments.
func readWithdrawn(path string) ([]string, error) {
	data, err := read(path, "--withdrawn")
	if err != nil {
		return nil, err
	}
	var names []string
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		switch k := parseKey(line); {
		case line == "" || line[0] == '#' || strings.HasPrefix(line, "untrusted comment:"):
		case k != nil:
			names = append(names, k.name())
		case len(line) == 16 && strings.Trim(line, "0123456789ABCDEFabcdef") == "":
			names = append(names, strings.ToUpper(line))
		default:
			return nil, kernel.Errorf("write public keys, or their ids of 16 hex digits, one a line",
				"%s holds a line that is no key", path)
		}
	}
	return names, nil
}

// withdrawn reports whether a key is on the list.
func (q *Request) withdrawn(name string) bool { return slices.Contains(q.gone, name) }

// signer verifies the minisign signature beside a document, prehashed: of its hash, and of
// signature and trusted comment together. It is the key, one of those given, or says why
// there is none; what names the document.
func signer(path, what string, content []byte, keys ...*publicKey) (by *publicKey, why string) {
	hash := blake2b.Sum512(content)
	path += ".minisig"
	data, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, filepath.Base(path) + " is not there"
	case err != nil:
		return nil, path + " cannot be read"
	}
	line := strings.Split(string(data), "\n")
	if len(line) != 5 || line[4] != "" {
		return nil, path + " is no signature of minisign"
	}
	comment, ok := strings.CutPrefix(strings.TrimRight(line[2], "\r"), "trusted comment: ")
	raw, errRaw := base64.StdEncoding.Strict().DecodeString(line[1])
	global, errGlobal := base64.StdEncoding.Strict().DecodeString(line[3])
	switch {
	case !ok || errRaw != nil || errGlobal != nil || len(raw) != 74 || len(global) != ed25519.SignatureSize ||
		!strings.HasPrefix(line[0], "untrusted comment: "):
		return nil, path + " is no signature of minisign"
	case string(raw[:2]) != "ED":
		return nil, path + " is of the old kind, without a hash"
	}
	i := slices.IndexFunc(keys, func(k *publicKey) bool { return bytes.Equal(raw[2:10], k.id[:]) })
	switch {
	case i < 0:
		return nil, "by another key: " + (&publicKey{id: [8]byte(raw[2:10])}).name()
	case !ed25519.Verify(keys[i].key, hash[:], raw[10:]):
		return nil, what + " is not the one that was signed"
	case !ed25519.Verify(keys[i].key, append(bytes.Clone(raw[10:]), comment...), global):
		return nil, "the comment is not the one that was signed"
	}
	return keys[i], ""
}
