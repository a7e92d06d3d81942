package verify

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"aead.dev/minisign"

	"github.com/tacet-privacy/tacet/pipeline/key"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/verify/kernel"
)

// A publicKey is one of minisign.
type publicKey = minisign.PublicKey

// keyName is an id as minisign prints it.
func keyName(id uint64) string { return fmt.Sprintf("%016X", id) }

// trusted reads the public key given to a flag: the 56 characters themselves, or a file
// that holds them on its first or second line.
func trusted(given, flag string) (*publicKey, error) {
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
	text := string(data)
	if strings.HasPrefix(text, "untrusted comment:") {
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
	k := &publicKey{}
	if text = strings.TrimSpace(text); k.UnmarshalText([]byte(text)) != nil || k.String() != text {
		return nil
	}
	return k
}

// signedBy is the name of the key that a signature beside a document says made it, "" of none.
func signedBy(path string) string { return key.SignedBy(path + report.SignatureEnding) }

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
			names = append(names, keyName(k.ID()))
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
// signature and trusted comment together. It names the key, one of those given, or says why
// there is none; what names the document.
func signer(path, what string, content []byte, keys ...*publicKey) (by, why string) {
	path += ".minisig"
	data, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", filepath.Base(path) + " is not there"
	case err != nil:
		return "", path + " cannot be read"
	}
	var s minisign.Signature
	if s.UnmarshalText(data) != nil || s.String() != strings.ReplaceAll(string(data), "\r\n", "\n") {
		return "", path + " is no signature of minisign"
	}
	i := slices.IndexFunc(keys, func(k *publicKey) bool { return k.ID() == s.KeyID })
	switch {
	case s.Algorithm != minisign.HashEdDSA:
		return "", path + " is of the old kind, without a hash"
	case i < 0:
		return "", "by another key: " + keyName(s.KeyID)
	case !minisign.Verify(*keys[i], content, data):
		return "", what + " is not the one that was signed"
	}
	return keyName(s.KeyID), ""
}
