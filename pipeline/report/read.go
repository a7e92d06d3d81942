package report

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Read reads a report that WriteJSON wrote, internal or public: one of the two
// is nil. It is strict: another format or version, a member that is missing,
// unknown, twice, or of another type, and anything behind the end is refused,
// in words that quote nothing of the document.
func Read(data []byte) (*Report, *Public, error) {
	if !json.Valid(data) {
		return nil, nil, fmt.Errorf("it is not one whole JSON document")
	}
	var head struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, nil, fmt.Errorf("it is no report: its schema is no text")
	}
	switch head.Schema {
	case Schema:
		r := &Report{}
		return r, nil, decode(data, r)
	case PublicSchema:
		p := &Public{}
		return nil, p, decode(data, p)
	case "":
		return nil, nil, fmt.Errorf("it is no report: it names no schema")
	}
	return nil, nil, fmt.Errorf("its schema is not %s, the one that this version of tacet reads", Schema)
}

// decode reads a document of a known format, and holds it to what would be written
// of the values read: Go takes the last of several members of a name, in any case,
// and takes one that is missing for zero.
func decode(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("it has a member that is not known, or of another type")
	}
	again, err := json.Marshal(into)
	var is bytes.Buffer
	if err != nil || json.Compact(&is, data) != nil || !bytes.Equal(readable(is.Bytes()), readable(again)) {
		return fmt.Errorf("a member of it is missing, is there twice, or is written as no run writes it")
	}
	return nil
}

// readable is a document with the sign for bytes that are no text written as
// itself: it stands for such a byte at first, and for itself once it was read.
func readable(data []byte) []byte { return bytes.ReplaceAll(data, []byte(`\ufffd`), []byte("\uFFFD")) }
