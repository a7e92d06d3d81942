package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"
)

// Read reads a report that WriteJSON wrote, internal or public: one of the two
// is nil. It is strict: another format or version, a member that is missing,
// unknown, twice, or of another type, and anything behind the end is refused,
// in words that quote nothing of the document.
func Read(data []byte) (*Report, *Public, error) {
	names, err := members(data)
	if err != nil {
		return nil, nil, err
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
		return r, nil, decode(data, names, r)
	case PublicSchema:
		p := &Public{}
		return nil, p, decode(data, names, p)
	case "":
		return nil, nil, fmt.Errorf("it is no report: it names no schema")
	}
	return nil, nil, fmt.Errorf("it is of another format or version than %s", Schema)
}

func decode(data []byte, names map[string]bool, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("it has a member that is not known, or of another type")
	}
	t := reflect.TypeOf(into).Elem()
	for i := range t.NumField() {
		name, more, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if more != "omitempty" && !names[name] {
			return fmt.Errorf("its member %s is missing", name)
		}
	}
	return nil
}

// members are the names of the members of a document, each once; those of
// inner objects are held to the same.
func members(data []byte) (map[string]bool, error) {
	type level struct {
		seen  map[string]bool // of an object; nil in a list
		value bool            // the next token is a value
	}
	var names map[string]bool
	var open []level
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	for first := true; ; first = false {
		token, err := d.Token()
		if err == io.EOF && len(open) == 0 && !first {
			if names == nil {
				return nil, fmt.Errorf("it is no report")
			}
			return names, nil
		}
		if err != nil || !first && len(open) == 0 {
			return nil, fmt.Errorf("it is not one whole JSON document")
		}
		if token == json.Delim('}') || token == json.Delim(']') {
			open = open[:len(open)-1]
			continue
		}
		if n := len(open); n > 0 && open[n-1].seen != nil {
			top := &open[n-1]
			if top.value = !top.value; top.value {
				name, _ := token.(string)
				if top.seen[name] || name != strings.ToLower(name) {
					return nil, fmt.Errorf("it has a member twice, or one that is not known")
				}
				top.seen[name] = true
				continue
			}
		}
		switch token {
		case json.Delim('{'):
			open = append(open, level{seen: map[string]bool{}})
			if names == nil && len(open) == 1 {
				names = open[0].seen
			}
		case json.Delim('['):
			open = append(open, level{})
		}
	}
}
