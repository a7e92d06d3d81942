package draw

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
)

// Streams gives each unit of work its own independent Source. Unit may be
// called by many goroutines; equal arguments give equal streams.
type Streams interface {
	// Unit is the stream of one private column (by place among the private
	// columns) in one row group or record batch of one file.
	Unit(file, group, column int) *Source
}

type keyStreams struct {
	key     Key
	context []byte
}

// zero is what key streams are added to.
var zero [block]byte

// NewStreams derives every stream from key and context: AES-128 in counter
// mode, key and first counter being HMAC-SHA-256(key, context, file, group,
// column), each part of fixed length or preceded by its length. The caller
// makes context name the run, the design and the content, so that a key used
// twice never gives the same words twice. A zero Key panics.
func NewStreams(key Key, context []byte) Streams {
	if key.secret == nil {
		panic("draw: streams without a key")
	}
	return keyStreams{key, append([]byte(nil), context...)}
}

// TestStreams are the production streams under a key made from seed: draws
// that can be repeated and are not private.
func TestStreams(seed uint64) Streams {
	return keyStreams{KeyOf(sha256.Sum256(appendUint([]byte("tacet test seed "), seed))), nil}
}

func (s keyStreams) Unit(file, group, column int) *Source {
	secret := s.key.secret()
	mac := hmac.New(sha256.New, secret[:])
	part := appendUint([]byte("tacet draw v1\x00"), uint64(len(s.context)))
	part = append(part, s.context...)
	for _, n := range []int{file, group, column} {
		part = appendUint(part, uint64(n))
	}
	mac.Write(part)
	sum := mac.Sum(nil)
	c, err := aes.NewCipher(sum[:16])
	if err != nil {
		panic("draw: " + err.Error())
	}
	stream := cipher.NewCTR(c, sum[16:])
	return &Source{fill: func(to []byte) {
		for len(to) > 0 {
			n := min(len(to), block)
			stream.XORKeyStream(to[:n], zero[:n])
			to = to[n:]
		}
	}}
}

func appendUint(to []byte, v uint64) []byte {
	for i := 56; i >= 0; i -= 8 {
		to = append(to, byte(v>>i))
	}
	return to
}
