package releases

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"math/bits"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/verify/kernel"
)

// A Key is a draw key.
type Key struct {
	secret, history []byte
}

// ErrKey says that a text is no draw key. It does not quote it.
var ErrKey = errors.New("is no draw key")

// ParseKey reads the file of a draw key.
func ParseKey(text string) (*Key, error) {
	k := &Key{}
	if !strings.HasPrefix(text, "tacet-key/v1\ntype: draw\n") {
		return nil, ErrKey
	}
	id := ""
	for _, line := range strings.Split(text, "\n")[1:] {
		name, value, _ := strings.Cut(line, ": ")
		var err error
		switch name {
		case "id":
			id = value
		case "secret":
			k.secret, err = base64.StdEncoding.Strict().DecodeString(value)
		case "history":
			k.history, err = base64.StdEncoding.Strict().DecodeString(value)
		}
		if err != nil {
			return nil, ErrKey
		}
	}
	if k.history == nil {
		k.history = mac(k.secret, []byte("tacet/v1 history key"))
	}
	if len(k.secret) != 32 || len(k.history) != 32 || id != k.ID() {
		return nil, ErrKey
	}
	return k, nil
}

// ID names the key in public.
func (k *Key) ID() string {
	return hex.EncodeToString(mac(k.secret, []byte("tacet/v1 id of a draw key"))[:16])
}

// HistoryID names the key that names records.
func (k *Key) HistoryID() string {
	return hex.EncodeToString(mac(k.history, []byte("tacet/v1 id of a history key"))[:16])
}

// A Drawer draws the outputs of one column. It belongs to one goroutine.
type Drawer struct {
	cmac cmac
	rows func(x int) kernel.Row
}

// Drawer draws by ids of a unit ("record" or "person") under a design.
func (k *Key) Drawer(unit string, design []byte, column string, rows func(x int) kernel.Row) *Drawer {
	return &Drawer{newCMAC(mac(k.secret, lengths("tacet/v1 memoised draw", unit, string(design), column))), rows}
}

// Draw is the output of letter x, for an encoded id.
func (d *Drawer) Draw(id []byte, x int) int32 {
	r := d.rows(x)
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

// A Namer names records. It belongs to one goroutine.
type Namer struct{ cmac cmac }

// Namer names the records of a population.
func (k *Key) Namer(population, column string) *Namer {
	return &Namer{newCMAC(mac(k.history, lengths("tacet/v1 record name", "record", population, column)))}
}

// Name is the name of an encoded id.
func (n *Namer) Name(id []byte) [16]byte { return n.cmac.sum(id) }

// Part appends one part of an id.
func Part(id []byte, text string) []byte {
	if len(text) < 255 {
		id = append(id, byte(len(text)))
	} else {
		id = binary.BigEndian.AppendUint32(append(id, 255), uint32(len(text)))
	}
	return append(id, text...)
}

func mac(key, text []byte) []byte {
	h := hmac.New(sha256.New, key)
	h.Write(text)
	return h.Sum(nil)
}

// lengths writes every part behind its length in 8 bytes.
func lengths(parts ...string) (b []byte) {
	for _, p := range parts {
		b = append(binary.BigEndian.AppendUint64(b, uint64(len(p))), p...)
	}
	return b
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
	for i := range d {
		d[i] = b[i] << 1
		if i < 15 {
			d[i] |= b[i+1] >> 7
		}
	}
	if b[0]>>7 == 1 {
		d[15] ^= 0x87
	}
	return d
}

func (c *cmac) sum(m []byte) (t [16]byte) {
	for ; len(m) > 16; m = m[16:] {
		for i := range t {
			t[i] ^= m[i]
		}
		c.block.Encrypt(t[:], t[:])
	}
	last := c.k2
	if len(m) == 16 {
		last = c.k1
	} else {
		last[len(m)] ^= 0x80
	}
	for i, b := range m {
		last[i] ^= b
	}
	for i := range t {
		t[i] ^= last[i]
	}
	c.block.Encrypt(t[:], t[:])
	return t
}
