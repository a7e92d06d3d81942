package files

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
)

// A Stream is what a design's hash is taken of. Lengths and numbers are 8
// bytes, big-endian.
type Stream struct {
	to hash.Hash
	in *bufio.Writer
}

// Hex is the SHA-256 of data.
func Hex(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Plan is the SHA-256 of all bytes of the file before the key plan_sha256;
// ok is false where the key is not the last thing in the file.
func Plan(data []byte, stated string) (sum string, ok bool) {
	at := max(0, bytes.LastIndex(data, []byte(`"plan_sha256"`)))
	return Hex(data[:at]), string(data[at:]) == `"plan_sha256": "`+stated+"\"\n}\n"
}

// NewStream starts an empty stream.
func NewStream() *Stream {
	h := sha256.New()
	return &Stream{h, bufio.NewWriter(h)}
}

// Number adds a number.
func (s *Stream) Number(v uint64) {
	_, _ = s.in.Write(binary.BigEndian.AppendUint64(s.in.AvailableBuffer(), v))
}

// Labels adds how many there are and each of them: a byte 1, its length and
// its text, or a byte 0 for null.
func (s *Stream) Labels(labels []Label) {
	s.Number(uint64(len(labels)))
	for _, l := range labels {
		if l.Null {
			_ = s.in.WriteByte(0)
			continue
		}
		_ = s.in.WriteByte(1)
		s.Number(uint64(len(l.Text)))
		_, _ = s.in.WriteString(l.Text)
	}
}

// Row adds its total, its number of outputs, and place and weight of every output.
func (s *Stream) Row(r Row) {
	s.Number(uint64(r.Total))
	s.Number(uint64(len(r.Output)))
	for i, y := range r.Output {
		s.Number(uint64(y))
		s.Number(uint64(r.Weight[i]))
	}
}

// Sum is the SHA-256 of all that was added, in hex.
func (s *Stream) Sum() string {
	_ = s.in.Flush()
	return hex.EncodeToString(s.to.Sum(nil))
}
