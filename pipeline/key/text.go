package key

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"regexp"
	"time"

	"aead.dev/minisign"
)

// Faults of the text of a key. None quotes it.
var (
	errNotKey    = errors.New("is not a whole key")
	errDamaged   = errors.New("is damaged: its id does not match its key")
	errPublic    = errors.New("is a public key, and the secret key is needed")
	errEncrypted = errors.New("is protected by a password, which a job cannot type")
)

// First lines of a draw or run key, and of a minisign secret key, which goes on.
const (
	drawHead    = "tacet-key/v1"
	signingHead = "untrusted comment:"
)

// drawText is the file of a draw or run key, but for the end of its last line: type, id, date, secret
// and, of one that was rotated, history.
var drawText = regexp.MustCompile(`^` + drawHead + `\ntype: (draw|run)\nid: ([0-9a-f]{32})\ncreated: (\S+)\n` +
	`secret: ([+/0-9A-Za-z]{43}=)(?:\nhistory: ([+/0-9A-Za-z]{43}=))?\n?$`)

// Text is the key's file.
func (k *Key) Text() []byte {
	if k.typ == Signing {
		return bytes.Clone(k.secret())
	}
	text := fmt.Appendf(nil, "%s\ntype: %s\nid: %s\ncreated: %s\nsecret: %s\n", drawHead, k.typ, k.id, k.created,
		base64.StdEncoding.EncodeToString(k.secret()))
	if k.history != nil {
		text = fmt.Appendf(text, "history: %s\n", base64.StdEncoding.EncodeToString(k.history()))
	}
	return text
}

// parse reads the file of a key of any type.
func parse(text []byte) (*Key, error) {
	if bytes.HasPrefix(text, []byte(signingHead)) {
		return parseSigning(text)
	}
	return parseDraw(text)
}

// parseDraw is strict: what it takes is what Text writes, but for the end of the last line.
func parseDraw(text []byte) (*Key, error) {
	part := drawText.FindSubmatch(text)
	if part == nil {
		return nil, errNotKey
	}
	secret, err := base64.StdEncoding.Strict().DecodeString(string(part[4]))
	history, errHistory := base64.StdEncoding.Strict().DecodeString(string(part[5]))
	k := newDraw(Type(part[1]), secret, string(part[3]))
	if len(history) > 0 {
		k.history = func() []byte { return history }
	}
	_, date := time.Parse(time.RFC3339, k.created)
	switch {
	case errors.Join(err, errHistory, date) != nil, k.typ == Run && k.history != nil:
		return nil, errNotKey
	case k.id != string(part[2]):
		return nil, errDamaged
	}
	return k, nil
}

func parseSigning(text []byte) (*Key, error) {
	var (
		private minisign.PrivateKey
		public  minisign.PublicKey
	)
	switch {
	case public.UnmarshalText(text) == nil:
		return nil, errPublic
	case minisign.IsEncrypted(text):
		return nil, errEncrypted
	case private.UnmarshalText(text) != nil:
		return nil, errNotKey
	}
	return newSigning(private)
}
