package ledger

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Format names the layout of an event.
const Format = "tacet.ledger/v1"

// An Event is one line of the ledger. Exactly one of the members after Kind
// that belong to the kind is present.
type Event struct {
	Seq      int64  `json:"seq"`      // 1, 2, 3, ...
	Previous string `json:"previous"` // hash of the event before; 64 zeros for the first
	When     string `json:"when"`     // RFC 3339, UTC, whole seconds; never before that of the event before
	// Clock is what the clock showed where it stood before the last event.
	Clock   string `json:"clock,omitempty"`
	Kind    string `json:"kind"`              // begin, reserve, seal, commit, void, redesign, rotate
	Release int64  `json:"release,omitempty"` // of seal, commit and void: seq of the reservation

	Begin    *Begin    `json:"begin,omitempty"`
	Reserve  *Reserved `json:"reserve,omitempty"`
	Seal     *Realised `json:"seal,omitempty"`
	Redesign *Change   `json:"redesign,omitempty"`
	Rotate   *Change   `json:"rotate,omitempty"`
	Reason   string    `json:"reason,omitempty"` // of void
}

// Begin is the first event.
type Begin struct {
	Format string `json:"format"`
	ID     string `json:"id"` // 32 random hexadecimal digits
}

// Reserved is a release as it stood before it was drawn.
type Reserved struct {
	Release
	Claim Claim `json:"claim"`
}

// A Change of the design or key that a series is drawn with.
type Change struct {
	Series
	From   string `json:"from"`
	To     string `json:"to"`
	Reason string `json:"reason"`
}

// encode gives the canonical bytes of the event, which are stored and hashed
// as they are: JSON without spaces, members in the order of the struct.
func (e *Event) encode() ([]byte, error) {
	var b bytes.Buffer
	j := json.NewEncoder(&b)
	j.SetEscapeHTML(false)
	if err := j.Encode(e); err != nil {
		return nil, fmt.Errorf("encoding event %d: %w", e.Seq, err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// decode reads an event and refuses members that this version does not know.
func decode(body []byte) (*Event, error) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	var e Event
	if err := d.Decode(&e); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("bytes after the event")
	}
	return &e, nil
}

// hashOf is the hash of an event: SHA-256 of its canonical bytes, which hold
// the hash of the one before.
func hashOf(body []byte) string {
	h := sha256.Sum256(body)
	return hex.EncodeToString(h[:])
}

// line is an event as it is exported: its canonical bytes with the hash as
// the last member.
func line(body []byte, hash string) []byte {
	return append(bytes.TrimSuffix(bytes.Clone(body), []byte("}")), (`,"hash":"` + hash + `"}`)...)
}

// unline is an event and its hash as they stand in an export.
func unline(text []byte) (body []byte, hash string, ok bool) {
	at := bytes.LastIndex(text, []byte(`,"hash":"`))
	if at < 0 || len(text) < at+11 || !bytes.HasSuffix(text, []byte(`"}`)) {
		return nil, "", false
	}
	return append(bytes.Clone(text[:at]), '}'), string(text[at+9 : len(text)-2]), true
}

var zeros = strings.Repeat("0", 64)
