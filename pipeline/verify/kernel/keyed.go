package kernel

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"math/bits"
)

// A drawer draws the outputs of one column by ids, as docs/draws.md has it.
type drawer struct {
	cmac cmac
	rows []Row
}

// newDrawer draws by ids of a unit under a design.
func newDrawer(secret []byte, unit string, design []byte, column string, rows []Row) *drawer {
	return &drawer{newCMAC(mac(secret, "tacet/v1 memoised draw", unit, string(design), column)), rows}
}

// draw is the output of letter x, for an encoded id.
func (d *drawer) draw(id []byte, x int32) int32 {
	r := d.rows[x]
	total := uint64(r.Total)
	least := -total % total // 2^64 mod D
	for n := 0; ; n++ {
		m := binary.BigEndian.AppendUint16(d.cmac.buffer[:0], uint16(n))
		m = append(binary.BigEndian.AppendUint16(m, uint16(x)), id...)
		d.cmac.buffer = m
		sum := d.cmac.sum(m)
		high, low := bits.Mul64(binary.BigEndian.Uint64(sum[:]), total)
		if low < least {
			continue
		}
		for i, w := range r.Weight {
			if high < uint64(w) {
				return r.Output[i]
			}
			high -= uint64(w)
		}
	}
}

// newNames names the records of a population by their encoded ids.
func newNames(secret []byte, population, column string) cmac {
	return newCMAC(mac(secret, "tacet/v1 record name", "record", population, column))
}

// idPart appends one part of an id.
func idPart(id []byte, text string) []byte {
	if len(text) < 255 {
		id = append(id, byte(len(text)))
	} else {
		id = binary.BigEndian.AppendUint32(append(id, 255), uint32(len(text)))
	}
	return append(id, text...)
}

// mac is HMAC-SHA-256 of parts, each behind its length in 8 bytes.
func mac(key []byte, parts ...string) []byte {
	h := hmac.New(sha256.New, key)
	for _, p := range parts {
		h.Write(append(binary.BigEndian.AppendUint64(nil, uint64(len(p))), p...))
	}
	return h.Sum(nil)
}

// A cmac is AES-128-CMAC [RFC 4493].
type cmac struct {
	block  cipher.Block
	k1, k2 [16]byte
	buffer []byte
}

func newCMAC(key []byte) (c cmac) {
	c.block, _ = aes.NewCipher(key[:16]) // fails for other lengths only
	var zero [16]byte
	c.block.Encrypt(zero[:], zero[:])
	c.k1 = doubled(zero)
	c.k2 = doubled(c.k1)
	return c
}

// doubled multiplies by x in GF(2^128).
func doubled(b [16]byte) (d [16]byte) {
	high, low := binary.BigEndian.Uint64(b[:]), binary.BigEndian.Uint64(b[8:])
	binary.BigEndian.PutUint64(d[:], high<<1|low>>63)
	binary.BigEndian.PutUint64(d[8:], low<<1^high>>63*0x87)
	return d
}

// sum spends m.
func (c *cmac) sum(m []byte) (t [16]byte) {
	last := &c.k1
	if len(m) == 0 || len(m)%16 > 0 {
		last = &c.k2
		m = append(m, 0x80)
		m = append(m, make([]byte, -len(m)&15)...)
	}
	subtle.XORBytes(m[len(m)-16:], m[len(m)-16:], last[:])
	for ; len(m) > 0; m = m[16:] {
		subtle.XORBytes(t[:], t[:], m[:16])
		c.block.Encrypt(t[:], t[:])
	}
	return t
}
