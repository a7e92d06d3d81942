package ledger

import (
	"fmt"
	"sync"
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
	// Limit is how many outputs are kept per record and channel, at least 2:
	// the first ones and the latest. Two tell that a record changed.
	Limit int `json:"limit"`
}

// A History is a history in memory. Between Begin and Write its methods Find,
// Past and Publish may be called from many goroutines.
type History struct {
	meta   meta
	base   string // SHA-256 of the file it was read from, "" for none
	night  uint16 // 0 before Begin
	body   []byte
	start  []uint64 // by the leading bits of a record: offset into body
	shift  uint
	shards [256]shard // by the first byte of a record
}

type shard struct {
	sync.Mutex
	added added
	_     [32]byte // each in lines of the cache of its own
}

// New is a history of no record.
func New(a About) (*History, error) {
	if a.Limit < 2 || a.Limit > 0xffff {
		return nil, fmt.Errorf("a history keeps 2 to 65535 outputs per record and channel, not %d", a.Limit)
	}
	h := &History{meta: meta{About: a}}
	return h, h.index()
}

// Night is the last night in the history; 0 for none.
func (h *History) Night() int { return h.meta.Night }

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
