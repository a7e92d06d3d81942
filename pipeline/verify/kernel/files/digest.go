package files

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"math"
	"strings"
)

// A Stream is what a design's hash is taken of. Lengths and numbers are 8
// bytes, big-endian.
type Stream struct {
	to      hash.Hash
	pending []byte
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

// Design is the SHA-256 of what draws depend on: input labels, output
// labels, rows.
func Design(in, out []Label, rows []Row) string {
	s := NewStream()
	s.Labels(in)
	s.Labels(out)
	s.Rows(rows)
	return s.Sum()
}

// DesignOfBlocks is that of a plan whose letters share rows: 2^64-2, how
// many blocks there are, and of each its number of letters, their places and its row.
func DesignOfBlocks(in, out []Label, blocks [][]int, rows []Row) string {
	s := NewStream()
	s.Labels(in)
	s.Labels(out)
	s.Number(math.MaxUint64 - 1)
	s.Number(uint64(len(blocks)))
	for _, letters := range blocks {
		s.Number(uint64(len(letters)))
		for _, x := range letters {
			s.Number(uint64(x))
		}
		s.row(rows[letters[0]])
	}
	return s.Sum()
}

// Is reports whether s is a SHA-256 in hex.
func Is(s string) bool {
	b, err := hex.DecodeString(s)
	return err == nil && len(b) == 32 && strings.ToLower(s) == s
}

// NewStream starts an empty stream.
func NewStream() *Stream { return &Stream{to: sha256.New()} }

// Number adds a number.
func (s *Stream) Number(v uint64) { s.pending = binary.BigEndian.AppendUint64(s.pending, v) }

// Labels adds how many there are and each of them: a byte 1, its length and
// its text, or a byte 0 for null.
func (s *Stream) Labels(labels []Label) {
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
func (s *Stream) Rows(rows []Row) {
	s.Number(uint64(len(rows)))
	for _, r := range rows {
		s.row(r)
	}
}

func (s *Stream) row(r Row) {
	s.Number(uint64(r.Total))
	s.Number(uint64(len(r.Output)))
	for i, y := range r.Output {
		s.Number(uint64(y))
		s.Number(uint64(r.Weight[i]))
	}
	s.flush()
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
