package ledger

import (
	"encoding/binary"
)

// A Place is where the nights before stand of a record; 0 of one that they do
// not have.
type Place uint64

// together is how many records Find looks up at once.
const together = 64

// Find gives the places of records, one for each name. Looking up one record
// waits for memory three times, one after the other, and records are anywhere:
// step by step for many at once, the processor waits for all of them together.
func (h *History) Find(names []Record, at []Place) {
	for len(names) > together {
		h.find(names[:together], at)
		names, at = names[together:], at[together:]
	}
	h.find(names, at)
}

func (h *History) find(names []Record, at []Place) {
	var from, to, first [together]uint64
	for i := range names {
		b := binary.BigEndian.Uint32(names[i][:]) >> h.shift
		from[i], to[i] = h.start[b], h.start[b+1]
	}
	for i := range names {
		if from[i] < to[i] {
			first[i] = binary.LittleEndian.Uint64(h.body[from[i]:])
		}
	}
	for i := range names {
		at[i] = 0
		hi, lo := binary.LittleEndian.Uint64(names[i][:]), binary.LittleEndian.Uint64(names[i][8:])
		for f, t := from[i], to[i]; f < t; {
			list := h.body[f:t]
			if (f > from[i] || first[i] == hi) && binary.LittleEndian.Uint64(list) == hi &&
				binary.LittleEndian.Uint64(list[8:]) == lo {
				at[i] = Place(f + 1)
				break
			}
			f += uint64(recordSize(list))
		}
	}
}

// entries are those of a record of the base, as they stand in body.
func (h *History) entries(at Place) []byte {
	if at == 0 {
		return nil
	}
	r := h.body[at-1:]
	return r[recordHead:recordSize(r)]
}

// Past appends to dst what the nights before published of a record, in the
// order in which it first was. It must not run beside Publish of the same
// record.
func (h *History) Past(at Place, dst []RecordEntry) []RecordEntry {
	for list := h.entries(at); len(list) > 0; list = list[entrySize:] {
		dst = append(dst, readEntry(list))
	}
	return dst
}

// Publish adds an output that is published tonight of the record that Find
// has put there.
func (h *History) Publish(r *Record, at Place, channel, output uint16) {
	if h.night == 0 || int(channel) >= len(h.meta.Channels) {
		panic("history: output published before the night began or through an unknown channel")
	}
	s := &h.shards[r[0]]
	s.Lock()
	defer s.Unlock()
	for list := h.entries(at); len(list) > 0; list = list[entrySize:] {
		if e := readEntry(list); e.Channel == channel && e.Output == output {
			binary.LittleEndian.PutUint16(list[6:], h.night)
			return
		}
	}
	s.added.add(r, channel, output)
}
