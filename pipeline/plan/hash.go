package plan

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"math"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// HashDesign is the SHA-256 of what draws depend on: the input labels, the
// output labels and the rows, in this order. A list is its length as 8 bytes
// and then its members; a label is a byte 1, its length as 8 bytes and its
// text, or a byte 0 for null; a row is its total, its number of outputs, and
// per output its place and its weight, 8 bytes each. All numbers are
// big-endian. Where the file has blocks, they stand for the rows: 2^64-2,
// their number, and per block its number of letters, their places, and its row.
func (p *Plan) HashDesign() string {
	h := sha256.New()
	hashLabels(h, p.InputLabels())
	hashLabels(h, p.OutputLabels())
	if p.Empty() {
		hashNumbers(h, 0)
		return hex.EncodeToString(h.Sum(nil))
	}
	switch {
	case p.Given.Column != "":
		p.hashGroups(h)
	case p.inBlocks():
		hashBlocks(h, p.Groups[0].Mechanism)
	default:
		hashRows(h, p.Groups[0].Mechanism)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func hashRows(h hash.Hash, m *mechanism.Mechanism) {
	hashNumbers(h, uint64(m.Inputs()))
	var b []byte
	for x := range m.Inputs() {
		b = appendRow(b[:0], m.Row(x))
		h.Write(b)
	}
}

func hashBlocks(h hash.Hash, m *mechanism.Mechanism) {
	hashNumbers(h, math.MaxUint64-1, uint64(len(m.Blocks()))) // strata begin with a number of all ones
	var b []byte
	for _, k := range m.Blocks() {
		b = binary.BigEndian.AppendUint64(b[:0], uint64(len(k.Letters)))
		for _, x := range k.Letters {
			b = binary.BigEndian.AppendUint64(b, uint64(x))
		}
		b = appendRow(b, k.Row)
		h.Write(b)
	}
}

func appendRow(b []byte, r mechanism.Row) []byte {
	b = binary.BigEndian.AppendUint64(b, uint64(r.Total))
	b = binary.BigEndian.AppendUint64(b, uint64(len(r.Output)))
	for i, y := range r.Output {
		b = binary.BigEndian.AppendUint64(b, uint64(y))
		b = binary.BigEndian.AppendUint64(b, uint64(r.At(i)))
	}
	return b
}

func hashLabels(h hash.Hash, labels []report.Label) {
	hashNumbers(h, uint64(len(labels)))
	for _, l := range labels {
		if l.Null {
			h.Write([]byte{0})
			continue
		}
		h.Write([]byte{1})
		hashNumbers(h, uint64(len(l.Text)))
		h.Write([]byte(l.Text))
	}
}

func hashNumbers(h hash.Hash, n ...uint64) {
	var b [8]byte
	for _, v := range n {
		binary.BigEndian.PutUint64(b[:], v)
		h.Write(b[:])
	}
}
