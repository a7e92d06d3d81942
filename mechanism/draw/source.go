package draw

import "fmt"

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
