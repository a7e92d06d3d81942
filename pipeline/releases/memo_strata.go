package releases

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/draw"
	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/plan"
)

// memoStrata are the mechanisms of strata, ready for memoised draws. Each is
// bound as a design of its own, so that a record that comes into a stratum
// with another mechanism is drawn anew, independently of what it had before.
type memoStrata struct {
	group *count.Grouper
	at    int // of the strata column among those read beside the private one
	law   []int
	keyed []*draw.Keyed
}

// newMemoStrata binds mechanism i to the SHA-256 of the plan's design hash and
// i in eight bytes.
func newMemoStrata(p *plan.Plan, at int, design [sha256.Size]byte,
	bound func([sha256.Size]byte, *mechanism.Mechanism) *draw.Keyed) *memoStrata {
	laws, law := p.Laws()
	m := &memoStrata{group: count.NewGrouper(p), at: at, law: law}
	for i, l := range laws {
		m.keyed = append(m.keyed, bound(sha256.Sum256(binary.BigEndian.AppendUint64(design[:], uint64(i))), l))
	}
	return m
}

// A handStrata draws for one goroutine. A nil one leaves draws to the mechanism
// of all records.
type handStrata struct {
	m      *memoStrata
	draw   []*draw.Drawer // by mechanism
	unit   table.Unit     // that reader reads
	reader *plan.Reader
	of     []int32 // groups of the rows of a batch
}

func (m *memoStrata) hand() *handStrata {
	if m == nil {
		return nil
	}
	h := &handStrata{m: m}
	for _, k := range m.keyed {
		h.draw = append(h.draw, k.Drawer())
	}
	return h
}

// read takes the strata of a batch.
func (h *handStrata) read(b *table.Batch) error {
	if h == nil {
		return nil
	}
	if h.reader == nil || h.unit != b.Unit {
		h.reader, h.unit = h.m.group.Reader(), b.Unit
	}
	if h.of = h.reader.Append(h.of[:0], &b.Beside[h.m.at]); slices.Contains(h.of, -1) {
		return table.ErrUnseen
	}
	return nil
}

// drawer is that of row i of the batch, all where strata have none.
func (h *handStrata) drawer(all *draw.Drawer, i int) *draw.Drawer {
	if h == nil {
		return all
	}
	return h.draw[h.m.law[h.of[i]]]
}
