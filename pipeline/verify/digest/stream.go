package digest

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"

	"github.com/tacet-privacy/tacet/pipeline/verify/cells"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
)

// A Stream is what a design's hash is taken of. Lengths and numbers are 8
// bytes, big-endian.
type Stream struct {
	to      hash.Hash
	pending []byte
}

// NewStream starts an empty stream.
func NewStream() *Stream { return &Stream{to: sha256.New()} }

// Number adds a number.
func (s *Stream) Number(v uint64) { s.pending = binary.BigEndian.AppendUint64(s.pending, v) }

// Labels adds how many there are and each of them: a byte 1, its length and
// its text, or a byte 0 for null.
func (s *Stream) Labels(labels []cells.Label) {
	s.Number(uint64(len(labels)))
	for _, l := range labels {
		if l.Null {
			s.pending = append(s.pending, 0)
			continue
		}
		s.pending = append(s.pending, 1)
		s.Number(uint64(len(l.Text)))
		s.pending = append(s.pending, l.Text...)
	}
}

// Rows adds how many there are and of each its total, its number of outputs,
// and place and weight of every output.
func (s *Stream) Rows(rows []exact.Row) {
	s.Number(uint64(len(rows)))
	for _, r := range rows {
		s.Number(uint64(r.Total))
		s.Number(uint64(len(r.Output)))
		for i, y := range r.Output {
			s.Number(uint64(y))
			s.Number(uint64(r.Weight[i]))
		}
		s.flush()
	}
}

// Sum is the SHA-256 of all that was added, in hex.
func (s *Stream) Sum() string {
	s.flush()
	return hex.EncodeToString(s.to.Sum(nil))
}

func (s *Stream) flush() {
	s.to.Write(s.pending)
	s.pending = s.pending[:0]
}
