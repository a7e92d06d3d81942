// Package key makes and reads the secrets that a release may use: the key that
// signs it, the key that draws by id depend on, and the key of runs that can be
// repeated.
//
// A signing key is an Ed25519 key in the file format of minisign without
// password, so that either program reads the other's. A draw or run key is 32
// bytes in a file of five lines whose second names the type:
//
//	tacet-key/v1
//	type: draw
//	id: 32 hex digits
//	created: 2026-01-31T12:00:00Z
//	secret: 44 characters of base64
//
// A rotated draw key has a sixth line, history: 44 characters of base64, the key
// that names records in histories, which has to outlive rotations.
//
// A file that others may read is refused. No error, no format verb and no id
// reveals a key.
package key

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"aead.dev/minisign"
)

// A Type says what a key is for. A key serves one purpose only.
type Type string

// The types.
const (
	Signing Type = "signing"
	Draw    Type = "draw"
	Run     Type = "run"
)

// size of the secret of either type, in bytes.
const size = 32

// Labels separate the uses of a draw key.
const (
	idLabel        = "tacet/v1 id of a draw key"
	runIDLabel     = "tacet/v1 id of a run key"
	commitLabel    = "tacet/v1 commitment"
	receiptLabel   = "tacet/v1 receipt of a shard"
	historyLabel   = "tacet/v1 history key"
	historyIDLabel = "tacet/v1 id of a history key"
)

// A Key is a secret. It lies behind a function, since fmt prints the fields of
// whatever holds a Key without asking its methods.
type Key struct {
	typ     Type
	id      string
	public  string
	created string        // not signing: as in the file
	secret  func() []byte // signing: the file; else the key
	history func() []byte // draw: carried over from the first of the rotated keys; nil in that one
}

// New draws a key from the operating system's randomness. created is a time
// in RFC 3339, written into the file of a draw or run key.
func New(t Type, created string) (*Key, error) {
	if t != Signing {
		secret := make([]byte, size)
		rand.Read(secret)
		return newDraw(t, secret, created), nil
	}
	_, private, err := minisign.GenerateKey(rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("making a signing key: %w", err)
	}
	return newSigning(private)
}

// newDraw names a draw or run key by the first 16 bytes of HMAC-SHA-256 under
// the key over a label, from which nobody learns the key.
func newDraw(t Type, secret []byte, created string) *Key {
	label := idLabel
	if t == Run {
		label = runIDLabel
	}
	id := hex.EncodeToString(keyed(secret, label)[:16])
	return &Key{typ: t, id: id, public: string(t) + " key " + id + "\n", created: created,
		secret: func() []byte { return secret }}
}

func keyed(secret []byte, label string) []byte {
	h := hmac.New(sha256.New, secret)
	io.WriteString(h, label)
	return h.Sum(nil)
}

// newSigning checks that the public half of the key is its seed's: a signature
// by halves that do not match gives the key away.
func newSigning(private minisign.PrivateKey) (*Key, error) {
	public := private.Public().(minisign.PublicKey)
	if !minisign.Verify(public, nil, minisign.Sign(private, nil)) {
		return nil, errNotKey
	}
	text, err := private.MarshalText()
	shown, errShown := public.MarshalText()
	text = append(text, '\n')
	return &Key{typ: Signing, id: fmt.Sprintf("%016X", private.ID()), public: string(shown) + "\n",
		secret: func() []byte { return text }}, errors.Join(err, errShown)
}

// Type of the key.
func (k *Key) Type() Type { return k.typ }

// ID names the key in public: 16 hex digits of minisign for a signing key, 32
// for another.
func (k *Key) ID() string { return k.id }

// Public is what may be shown to all, ending in a newline: the file of a
// minisign public key, or the id of another.
func (k *Key) Public() string { return k.public }

// Secret is the 32 bytes of a draw or run key. It panics for a signing key.
func (k *Key) Secret() []byte {
	if k.typ == Signing {
		panic("key: a signing key draws nothing")
	}
	return bytes.Clone(k.secret())
}

// History is the 32 bytes from which record histories name their records. It
// stays when the key is rotated. It panics for a signing key.
func (k *Key) History() []byte {
	if k.typ == Draw && k.history != nil {
		return bytes.Clone(k.history())
	}
	return keyed(k.Secret(), historyLabel)
}

// HistoryID names History in public, by 32 hex digits.
func (k *Key) HistoryID() string { return hex.EncodeToString(keyed(k.History(), historyIDLabel)[:16]) }

// Commitment is the secret of a commitment in a run that can be repeated, which
// these parts name.
func (k *Key) Commitment(parts ...string) []byte {
	return k.of(commitLabel, parts)
}

// Receipts seals what the shards of a run, which these parts name, tell of what they wrote.
func (k *Key) Receipts(parts ...string) (cipher.AEAD, error) {
	block, err := aes.NewCipher(k.of(receiptLabel, parts))
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}

// of is a key for one use and for what the parts name.
func (k *Key) of(label string, parts []string) []byte {
	var all []byte
	for _, part := range append([]string{label}, parts...) {
		all = append(binary.BigEndian.AppendUint64(all, uint64(len(part))), part...)
	}
	return keyed(k.Secret(), string(all))
}

// Minisign is a signing key as its library takes it. It panics for another
// type.
func (k *Key) Minisign() minisign.PrivateKey {
	if k.typ != Signing {
		panic("key: only a signing key signs")
	}
	var private minisign.PrivateKey
	if err := private.UnmarshalText(k.secret()); err != nil {
		panic("key: " + err.Error())
	}
	return private
}

// String gives type and id.
func (k Key) String() string { return string(k.typ) + " key " + k.id }
