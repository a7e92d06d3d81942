package draw

import (
	"crypto/rand"
	"fmt"
)

const redacted = "draw.Key(redacted)"

// A Key is the secret from which all streams of a run are derived. Matrix, key
// and output together give back the input, so a Key does not print or encode
// itself. The bytes stand in a closure because fmt does not call the methods of
// unexported fields and follows pointers: a struct that holds a Key prints an
// address.
type Key struct{ secret func() [32]byte }

// NewKey takes a key from the operating system's generator.
func NewKey() Key {
	var secret [32]byte
	rand.Read(secret[:]) // never fails: crypto/rand ends the program instead
	return KeyOf(secret)
}

// KeyOf holds a key that was made elsewhere.
func KeyOf(secret [32]byte) Key { return Key{func() [32]byte { return secret }} }

// String hides the key.
func (k Key) String() string { return redacted }

// GoString hides the key.
func (k Key) GoString() string { return redacted }

// Format hides the key under every verb.
func (k Key) Format(f fmt.State, _ rune) { fmt.Fprint(f, redacted) }

// MarshalText hides the key from encoders.
func (k Key) MarshalText() ([]byte, error) { return []byte(redacted), nil }
