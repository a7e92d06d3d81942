package draw

import (
	"crypto/hmac"
	"crypto/sha256"
	"math/bits"

	"github.com/tacet-privacy/tacet/mechanism"
)

// Memoised draws: the output of a record is a function of key, design, column,
// record id and letter, never of the order of rows, of batches, of threads or
// of the day. docs/draws.md specifies them byte by byte, with vectors; the
// words come from AES-CMAC [RFC 4493], and a row is sampled by inverting its
// cumulative weights with rejection, so the law is exactly that of the row.

// A Unit says whose draws are shared: rows of one record, or of one person.
type Unit string

// The units.
const (
	Record Unit = "record" // ids identify records: one row each
	Person Unit = "person" // ids identify persons: rows of one person and letter share a draw
)

// A Binding is what memoised draws depend on beside key, id and letter. Draws
// under different bindings are independent.
type Binding struct {
	Unit   Unit
	Design [sha256.Size]byte // the plan's design hash
	Column string            // the private column
}

// A Keyed is a mechanism ready for memoised draws under one key and binding.
// It is immutable and may be shared by all goroutines.
type Keyed struct {
	mac mac
	law *law
}

// NewKeyed prepares m, which must be valid. A zero Key or an unknown unit
// panics.
func NewKeyed(key Key, b Binding, m *mechanism.Mechanism) *Keyed {
	if b.Unit != Record && b.Unit != Person {
		panic("draw: unknown unit of memoised draws")
	}
	return &Keyed{newMAC(derive(key, "tacet/v1 memoised draw", string(b.Unit), string(b.Design[:]), b.Column)),
		newLaw(m)}
}

// Drawer is a Drawer for one goroutine.
func (k *Keyed) Drawer() *Drawer { return &Drawer{keyed: k} }

// A Drawer makes memoised draws. It belongs to one goroutine at a time and
// does not allocate.
type Drawer struct {
	keyed *Keyed
	block [16]byte // in the heap once, because cipher.Block is an interface
}

// Draw is the output of letter x of the record or person id. A letter below 0,
// a null outside the alphabet, is its own output. An empty id, or a letter of N
// or more, is a caller's bug and panics.
func (d *Drawer) Draw(id *ID, x int32) int32 {
	if x < 0 {
		return x
	}
	r := &d.keyed.law.row[x]
	for tries := uint16(0); ; tries++ {
		w := d.word(id, uint16(x), tries)
		// Lemire 2019: of the 2^64 words those with a low product below
		// 2^64 mod total are refused, which leaves every place floor(2^64/total).
		if place, low := bits.Mul64(w, r.total); low >= r.refuse {
			return int32(d.keyed.law.at(r, w, place))
		}
	}
}

// word is the first eight bytes of the tag of (tries, letter, id). Tries would
// return to 0 after 65,536 refusals in a row, each of chance below 1/4.
func (d *Drawer) word(id *ID, x, tries uint16) uint64 {
	m := id.message()
	m[0], m[1], m[2], m[3] = byte(tries>>8), byte(tries), byte(x>>8), byte(x)
	return d.keyed.mac.tag(&d.block, m)
}

// derive is HMAC-SHA-256 of the parts, each preceded by its length.
func derive(key Key, parts ...string) (sum [sha256.Size]byte) {
	if key.secret == nil {
		panic("draw: memoised draws without a key")
	}
	secret := key.secret()
	h := hmac.New(sha256.New, secret[:])
	for _, p := range parts {
		h.Write(append(appendUint(nil, uint64(len(p))), p...))
	}
	h.Sum(sum[:0])
	return sum
}
