package draw

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
)

// block is how much key stream is made at a time: large enough to hide the
// call, small enough to stay in the first-level cache.
const block = 4096

// A Source is a stream of independent uniform 16-bit words. It belongs to one
// goroutine at a time.
type Source struct {
	unread []byte // whole words, little-endian
	buffer [block]byte
	fill   func(to []byte) // the next len(to) bytes of the stream
}

// Word takes the next word.
func (s *Source) Word() uint16 {
	b := s.ahead()
	s.unread = b[2:]
	return uint16(b[0]) | uint16(b[1])<<8
}

// Format prints a placeholder: words that are not yet used decide draws.
func (s *Source) Format(f fmt.State, _ rune) { fmt.Fprint(f, "draw.Source(redacted)") }

// ahead is what can be read without a refill: at least one word.
func (s *Source) ahead() []byte {
	if len(s.unread) == 0 {
		s.refill()
	}
	return s.unread
}

// refill replaces a stream that is read up by its next block.
func (s *Source) refill() {
	s.fill(s.buffer[:])
	s.unread = s.buffer[:]
}

// Streams gives each unit of work its own independent Source.
type Streams struct {
	key     Key
	context []byte // encoded
}

// zero is what key streams are added to.
var zero [block]byte

// NewStreams derives every stream from key and context: AES-128 in counter
// mode, key and first counter being HMAC-SHA-256(key, context, group,
// mechanism), each part of fixed length or preceded by its length; see
// docs/draws.md. The caller makes context name the run, the plan, the column
// and the content, so that a key used twice never gives the same words to two
// columns or files. A zero Key panics.
func NewStreams(key Key, context ...string) Streams {
	if key.secret == nil {
		panic("draw: streams without a key")
	}
	var all []byte
	for _, part := range append([]string{"tacet/v1 rows"}, context...) {
		all = append(appendUint(all, uint64(len(part))), part...)
	}
	return Streams{key, all}
}

// TestStreams are the production streams under a key made from seed: draws
// that can be repeated and are not private.
func TestStreams(seed uint64, context ...string) Streams {
	return NewStreams(KeyOf(sha256.Sum256(appendUint([]byte("tacet test seed "), seed))), context...)
}

// Unit is the stream of one mechanism (by its place in the plan) in one row group or record batch of
// a file. It may be called by many goroutines; equal arguments give equal streams.
func (s Streams) Unit(group, mechanism int) *Source {
	secret := s.key.secret()
	mac := hmac.New(sha256.New, secret[:])
	mac.Write(s.context)
	mac.Write(appendUint(appendUint(nil, uint64(group)), uint64(mechanism)))
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
