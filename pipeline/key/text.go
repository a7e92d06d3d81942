package key

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"strings"
	"time"

	"aead.dev/minisign"
)

// Faults of the text of a key. None quotes it.
var (
	errNotKey    = errors.New("is not a key")
	errShort     = errors.New("is cut short")
	errDamaged   = errors.New("is damaged: its id does not match its key")
	errPublic    = errors.New("is a public key, and the secret key is needed")
	errEncrypted = errors.New("is protected by a password, which a job cannot type")
)

// drawHead is the first line of a draw or run key, the names those of the lines below.
const drawHead = "tacet-key/v1"

var drawNames = []string{"type", "id", "created", "secret"}

// historyName begins the last line of a key that was rotated.
const historyName = "history: "

// signingHead begins the first line of a minisign secret key; its 158 bytes
// hold an algorithm (2 bytes), key derivation (2), checksum (2), salt (32),
// two limits (8 each), the key id (8), seed and public half (32 each) and a
// checksum (32).
const (
	signingHead = "untrusted comment:"
	signingSize = 158
	seedAt      = 62
	publicSize  = 42
)

// Text is the key's file.
func (k *Key) Text() []byte {
	if k.typ == Signing {
		return bytes.Clone(k.secret())
	}
	var b bytes.Buffer
	b.WriteString(drawHead + "\n")
	for i, value := range []string{string(k.typ), k.id, k.created, base64.StdEncoding.EncodeToString(k.secret())} {
		b.WriteString(drawNames[i] + ": " + value + "\n")
	}
	if k.history != nil {
		b.WriteString(historyName + base64.StdEncoding.EncodeToString(k.history()) + "\n")
	}
	return b.Bytes()
}

// parse reads the file of a key of either type.
func parse(text []byte) (*Key, error) {
	switch {
	case bytes.HasPrefix(text, []byte(drawHead+"\n")):
		return parseDraw(string(text))
	case bytes.HasPrefix(text, []byte(signingHead)):
		return parseSigning(text)
	case strings.HasPrefix(drawHead, string(text)), strings.HasPrefix(signingHead, string(text)):
		return nil, errShort
	}
	return nil, errNotKey
}

// parseDraw is strict: what it takes is what Text writes, but for the end of the last line.
func parseDraw(text string) (*Key, error) {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")[1:]
	value := make([]string, len(drawNames))
	for i, name := range drawNames {
		if i >= len(lines) {
			return nil, errShort
		}
		v, ok := strings.CutPrefix(lines[i], name+": ")
		if value[i] = v; !ok && i == len(lines)-1 {
			return nil, errShort
		} else if !ok {
			return nil, errNotKey
		}
	}
	secret, err := bytes32(value[3])
	if err != nil {
		return nil, err
	}
	k := newDraw(Type(value[0]), secret, value[2])
	if last, rotated := strings.CutPrefix(lines[len(lines)-1], historyName); rotated {
		history, err := bytes32(last)
		if err != nil {
			return nil, err
		}
		k.history = func() []byte { return history }
	}
	_, date := time.Parse(time.RFC3339, k.created)
	switch {
	case k.typ != Draw && (k.typ != Run || k.history != nil), date != nil:
		return nil, errNotKey
	case k.id != value[1]:
		return nil, errDamaged
	case strings.TrimSuffix(string(k.Text()), "\n") != strings.TrimSuffix(text, "\n"):
		return nil, errNotKey
	}
	return k, nil
}

// bytes32 reads the base64 of a key.
func bytes32(text string) ([]byte, error) {
	secret, err := base64.StdEncoding.DecodeString(text)
	switch {
	case len(text) < base64.StdEncoding.EncodedLen(size):
		return nil, errShort
	case err != nil || len(secret) != size:
		return nil, errNotKey
	}
	return secret, nil
}

func parseSigning(text []byte) (*Key, error) {
	if _, err := rawSigning(text); err != nil {
		return nil, err
	}
	if minisign.IsEncrypted(text) {
		return nil, errEncrypted
	}
	var private minisign.PrivateKey
	if private.UnmarshalText(text) != nil {
		return nil, errNotKey
	}
	return newSigning(private)
}

// rawSigning is the bytes of a minisign secret key.
func rawSigning(text []byte) ([]byte, error) {
	_, line, _ := strings.Cut(string(text), "\n")
	line = strings.TrimRight(line, "\r\n")
	raw, err := base64.StdEncoding.Strict().DecodeString(line)
	switch {
	case err == nil && len(raw) == publicSize:
		return nil, errPublic
	case len(line) < base64.StdEncoding.EncodedLen(signingSize):
		return nil, errShort
	case err != nil || len(raw) != signingSize || strings.Contains(line, "\r"),
		binary.LittleEndian.Uint16(raw) != minisign.EdDSA:
		return nil, errNotKey
	}
	return raw, nil
}
