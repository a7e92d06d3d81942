package ledger

import (
	"encoding/binary"
	"fmt"
)

// A Record is the keyed name of a record (mechanism/draw.Name).
type Record [16]byte

// An Entry is one output that was published of a record.
type RecordEntry struct {
	Channel     uint16 // number of the channel in About
	Output      uint16 // place of the output in the channel's design; Null for a null
	First, Last uint16 // nights
}

// Null is the output of a record that is published as null.
const Null = 0xffff

// A Channel is a way in which outputs come about. All nights of an unchanged
// record under one channel are one draw.
type Channel struct {
	Design string `json:"design_sha256"`
	Key    string `json:"key_id"`
	// Kind says which law an output has given the letter: "draw" for the
	// design's own; others are named by the budget's rule and change handling.
	Kind string `json:"kind"`
}

// About says what a history is of.
type About struct {
	Ledger     string `json:"ledger"` // id of the ledger
	Dataset    string `json:"dataset"`
	Column     string `json:"column"`
	Population string `json:"population,omitempty"`
	Names      string `json:"names"` // id of the key that names the records
}

// limit is how many outputs are kept per record and channel: the first, which is held, and
// the latest; two tell that the record changed.
const limit = 2

// A History is a history in memory. Between Begin and Write its methods Find,
// Past and Publish may be called from many goroutines.
type History struct {
	meta  meta
	base  string // SHA-256 of the file it was read from, "" for none
	night uint16 // 0 before Begin
	body  []byte
	start []uint64 // by the leading bits of a record: offset into body
	shift uint
	added Notes // channels and outputs that tonight are new; one may be noted twice
}

// New is a history of no record.
func New(a About) (*History, error) {
	h := &History{meta: meta{About: a, Limit: limit}}
	return h, h.index()
}

// Night is the last night in the history; 0 for none.
func (h *History) Night() int { return h.meta.Night }

// About is what the history says of itself.
func (h *History) About() About { return h.meta.About }

// Segment is the file that the history was read from, without its name.
func (h *History) Segment() Segment {
	return Segment{SHA256: h.base, Records: h.meta.Records, Entries: h.meta.Entries}
}

// Channels are those known, by their numbers.
func (h *History) Channels() []Channel { return h.meta.Channels }

// Channel gives the number of a channel, a new one where it is new. It must
// not run beside Publish.
func (h *History) Channel(c Channel) (uint16, error) {
	for i, k := range h.meta.Channels {
		if k == c {
			return uint16(i), nil
		}
	}
	if len(h.meta.Channels) == 0xffff {
		return 0, fmt.Errorf("a history has at most 65535 channels")
	}
	h.meta.Channels = append(h.meta.Channels, c)
	return uint16(len(h.meta.Channels) - 1), nil
}

// Begin starts a night, which must be later than those in the history.
func (h *History) Begin(night int) error {
	if night <= h.meta.Night || night > 0xffff {
		return fmt.Errorf("night %d cannot follow night %d of a history that ends with night 65535", night, h.meta.Night)
	}
	h.night = uint16(night)
	return nil
}

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
	return appendEntries(dst, h.entries(at))
}

// Publish adds an output that is published tonight of the record that Find
// has put there. Only one goroutine at a time may publish of one record.
func (h *History) Publish(r *Record, at Place, channel, output uint16) {
	if h.night == 0 || int(channel) >= len(h.meta.Channels) {
		panic("history: output published before the night began or through an unknown channel")
	}
	for list := h.entries(at); len(list) > 0; list = list[entrySize:] {
		if e := readEntry(list); e.Channel == channel && e.Output == output {
			binary.LittleEndian.PutUint16(list[6:], h.night)
			return
		}
	}
	h.added.Add(r, channel, output)
}

// Each calls f for every record before tonight, in ascending order, with its
// entries in the order of first; f must not keep them. It must not run beside
// Publish.
func (h *History) Each(f func(*Record, []RecordEntry) error) error {
	var (
		name Record
		list []RecordEntry
	)
	for rest := h.body; len(rest) > 0; {
		size := recordSize(rest)
		copy(name[:], rest)
		list = appendEntries(list[:0], rest[recordHead:size])
		if err := f(&name, list); err != nil {
			return err
		}
		rest = rest[size:]
	}
	return nil
}
