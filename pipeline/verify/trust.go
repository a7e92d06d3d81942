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
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
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

// trusted reads a public key: the 56 characters themselves, or a file that
// holds them on its first or second line.
func trusted(given string) (*publicKey, error) {
	text := given
	if k := parseKey(given); k != nil {
		return k, nil
	}
	if len(given) > 100 && strings.HasSuffix(given, "=") {
		return nil, document.Errorf("give the public key; make a new pair if the secret one was seen",
			"--trust was given something that may be a secret key")
	}
	data, err := document.Read(given, "--trust")
	if err != nil {
		return nil, err
	}
	if text = strings.TrimRight(string(data), "\r\n"); strings.HasPrefix(text, "untrusted comment:") {
		_, text, _ = strings.Cut(text, "\n")
	}
	if k := parseKey(text); k != nil {
		return k, nil
	}
	return nil, document.Errorf("give the file that tacet key show-id or minisign wrote, or its line that begins with RW",
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

// checkDetached verifies a minisign signature, prehashed: of the hash, and of
// signature and trusted comment together.
func checkDetached(v *document.View, name string, key *publicKey, path string, hash []byte) {
	data, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		v.Add(name, false, "%s is not there", filepath.Base(path))
		return
	case err != nil:
		v.Add(name, false, "%s cannot be read", path)
		return
	}
	line := strings.Split(string(data), "\n")
	if len(line) != 5 || line[4] != "" {
		v.Add(name, false, "%s is no signature of minisign", path)
		return
	}
	comment, ok := strings.CutPrefix(strings.TrimRight(line[2], "\r"), "trusted comment: ")
	raw, errRaw := base64.StdEncoding.Strict().DecodeString(line[1])
	global, errGlobal := base64.StdEncoding.Strict().DecodeString(line[3])
	switch {
	case !ok || errRaw != nil || errGlobal != nil || len(raw) != 74 || len(global) != ed25519.SignatureSize ||
		!strings.HasPrefix(line[0], "untrusted comment: "):
		v.Add(name, false, "%s is no signature of minisign", path)
	case string(raw[:2]) != "ED":
		v.Add(name, false, "%s is of the old kind, without a hash", path)
	case !bytes.Equal(raw[2:10], key.id[:]):
		v.Add(name, false, "by another key: %s", (&publicKey{id: [8]byte(raw[2:10])}).name())
	case !ed25519.Verify(key.key, hash, raw[10:]):
		v.Add(name, false, "the statement is not the one that was signed")
	case !ed25519.Verify(key.key, append(bytes.Clone(raw[10:]), comment...), global):
		v.Add(name, false, "the comment is not the one that was signed")
	default:
		v.Add(name, true, "minisign, key %s", key.name())
	}
}
