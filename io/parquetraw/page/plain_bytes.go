package page

import "encoding/binary"

// plainBytes are values behind their lengths in 4 bytes.
type plainBytes struct {
	b []byte
	d *dictionary
}

func (p *plainBytes) next(code []int32) error {
	for {
		done, size := p.d.shortCodes(code, p.b)
		if code, p.b = code[done:], p.b[size:]; len(code) == 0 {
			return nil
		}
		if len(p.b) < 4 {
			return errPageEnd
		}
		n := binary.LittleEndian.Uint32(p.b)
		if uint64(n) > uint64(len(p.b)-4) {
			return errPageEnd
		}
		c, err := p.d.codeOfBytes(p.b[4 : 4+n])
		if err != nil {
			return err
		}
		code[0] = c
		code, p.b = code[1:], p.b[4+n:]
	}
}

// shortMask keeps the first bytes of a word.
var shortMask = [8]uint64{0, 1<<8 - 1, 1<<16 - 1, 1<<24 - 1, 1<<32 - 1, 1<<40 - 1, 1<<48 - 1, 1<<56 - 1}

// shortCodes is codeOfBytes for one value after the other, as long as they have
// at most 7 bytes, were met before and do not stand at the end of b. It answers
// how many codes it found and how many bytes they took.
func (d *dictionary) shortCodes(code []int32, b []byte) (done, size int) {
	slot, odd, shift := d.index.slot, d.index.odd, d.index.shift&63
	if slot == nil {
		return 0, 0
	}
	mask := uint64(len(slot) - 1)
	for done < len(code) && size+12 <= len(b) {
		n := uint64(binary.LittleEndian.Uint32(b[size : size+4 : size+4]))
		if n > 7 {
			break
		}
		key := binary.LittleEndian.Uint64(b[size+4:size+12:size+12])&shortMask[n&7] | n<<56
		at := key * odd >> shift & mask
		for slot[at].key != key && slot[at].next != 0 {
			at = (at + 1) & mask
		}
		c := slot[at].next
		if c == 0 {
			break
		}
		code[done] = c - 1
		done++
		size += 4 + int(n)
	}
	return done, size
}
