package ledger

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/bits"
	"os"
)

// The file: magic, the records in ascending order, the meta as JSON, its
// length in 4 bytes, magic. Integers are little-endian. A record is its name,
// the number of its entries in 2 bytes, and these; an entry is channel,
// output, first and last night in 2 bytes each, in the order of first.
const (
	magic      = "tacet.history/1\n"
	recordHead = 18
	entrySize  = 8
)

type meta struct {
	About
	Limit    int       `json:"limit"` // always that of this package
	Night    int       `json:"night"` // the last one
	Channels []Channel `json:"channels"`
	Records  int64     `json:"records"`
	Entries  int64     `json:"entries"`
}

// OpenHistory reads the history at path, which must have this SHA-256 and be of what
// a says. Errors are of type *Error.
func OpenHistory(path, sha string, a About) (*History, error) {
	h, err := ReadHistory(path)
	if h != nil && h.base != sha {
		return nil, refuse(Broken, restoreHistory, "%s is not the record history that the ledger names", path)
	}
	if err != nil {
		return nil, err
	}
	switch m := h.meta.About; {
	case m.Names != a.Names:
		return nil, other(path, "its records are named by key "+m.Names+", and this is key "+a.Names)
	case m != a:
		return nil, other(path, "it is of another ledger, dataset, column or population")
	}
	return h, nil
}

// ReadHistory reads the history at path, whatever it is of; of a file that is none it gives
// the hash alone. Errors are of type *Error.
func ReadHistory(path string) (*History, error) {
	file, err := os.ReadFile(path)
	if err != nil {
		return nil, &Error{Broken, "reading the record history: " + err.Error(), restoreHistory, err}
	}
	sum := sha256.Sum256(file)
	h := &History{base: hex.EncodeToString(sum[:])}
	if why := h.parse(file); why != "" {
		return h, other(path, why)
	}
	if err := h.index(); err != nil {
		return h, other(path, err.Error())
	}
	return h, nil
}

func other(path, why string) *Error {
	return refuse(Broken, restoreHistory, "%s is not the record history of this release: %s", path, why)
}

// restoreHistory is the hint for a history that cannot be used.
const restoreHistory = "restore the file that the ledger names from a copy"

func (h *History) parse(file []byte) (why string) {
	file, head := bytes.CutPrefix(file, []byte(magic))
	file, tail := bytes.CutSuffix(file, []byte(magic))
	if !head || !tail || len(file) < 4 {
		return "it has no head or no end"
	}
	file, length := file[:len(file)-4], int64(binary.LittleEndian.Uint32(file[len(file)-4:]))
	if length > int64(len(file)) {
		return "its end is damaged"
	}
	at := int64(len(file)) - length
	d := json.NewDecoder(bytes.NewReader(file[at:]))
	d.DisallowUnknownFields()
	if d.Decode(&h.meta) != nil || h.meta.Night < 1 || h.meta.Night > 0xffff || len(h.meta.Channels) > 0xffff ||
		h.meta.Limit != limit {
		return "what it says of itself cannot be read"
	}
	h.body = file[:at:at]
	return ""
}

// index checks every record and finds where those of each prefix start.
func (h *History) index() error {
	// About four records to a prefix: a look-up reads two lines of the cache.
	width := min(max(bits.Len64(uint64(h.meta.Records))-2, 8), 28)
	h.shift = uint(32 - width)
	h.start = make([]uint64, 1<<width+1)
	filled, records, entries := uint64(0), int64(0), int64(0)
	var previous []byte
	for at := 0; at < len(h.body); records++ {
		r := h.body[at:]
		if len(r) < recordHead || len(r) < recordSize(r) || previous != nil && bytes.Compare(previous, r[:16]) >= 0 {
			return fmt.Errorf("record %d is cut off or out of order", records)
		}
		b := uint64(binary.BigEndian.Uint32(r) >> h.shift)
		for ; filled <= b; filled++ {
			h.start[filled] = uint64(at)
		}
		n, err := h.checkEntries(r[recordHead:recordSize(r)])
		if err != nil {
			return fmt.Errorf("record %d: %w", records, err)
		}
		entries += n
		previous = r[:16]
		at += recordSize(r)
	}
	for ; filled < uint64(len(h.start)); filled++ {
		h.start[filled] = uint64(len(h.body))
	}
	if records != h.meta.Records || entries != h.meta.Entries {
		return fmt.Errorf("it holds %d records and %d entries, and says %d and %d", records, entries, h.meta.Records,
			h.meta.Entries)
	}
	return nil
}

func (h *History) checkEntries(list []byte) (n int64, err error) {
	first := uint16(1)
	for all := list; len(list) > 0; list = list[entrySize:] {
		e, kept := readEntry(list), 1
		for before := all[:len(all)-len(list)]; len(before) > 0; before = before[entrySize:] {
			if o := readEntry(before); o.Channel == e.Channel {
				if kept++; o.Output == e.Output || kept > limit {
					return n, fmt.Errorf("entry %d stands twice, or is one too many of its channel", n)
				}
			}
		}
		if int(e.Channel) >= len(h.meta.Channels) || e.First < first || e.Last < e.First || int(e.Last) > h.meta.Night {
			return n, fmt.Errorf("entry %d names no channel or no night", n)
		}
		first = e.First
		n++
	}
	if n == 0 {
		return n, fmt.Errorf("it has no entry")
	}
	return n, nil
}

func recordSize(r []byte) int {
	return recordHead + entrySize*int(binary.LittleEndian.Uint16(r[16:]))
}

func appendEntries(dst []RecordEntry, list []byte) []RecordEntry {
	for ; len(list) > 0; list = list[entrySize:] {
		dst = append(dst, readEntry(list))
	}
	return dst
}

func readEntry(b []byte) RecordEntry {
	v := binary.LittleEndian.Uint64(b)
	return RecordEntry{uint16(v), uint16(v >> 16), uint16(v >> 32), uint16(v >> 48)}
}
