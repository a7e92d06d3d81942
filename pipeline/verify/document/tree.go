package document

import (
	"bytes"
	"encoding/json"
	"math/big"
	"strconv"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
	"github.com/tacet-privacy/tacet/pipeline/verify/files"
)

// A Node is a place in a JSON document. Its methods take a path of keys with dots
// between them, "" for the place itself; what is not there, or is of another type,
// reads as nothing.
type Node struct {
	value any
	there bool // null is there, too
}

// parse reads a document whose members Members has found to be sound.
func parse(data []byte) (n Node, ok bool) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	n.there = true
	return n, d.Decode(&n.value) == nil
}

// NodeOf is what a value is written as.
func NodeOf(v any) Node {
	data, err := json.Marshal(v)
	if err != nil {
		return Node{}
	}
	n, _ := parse(data)
	return n
}

// There reports whether a place is there, if only as null.
func (n Node) There() bool { return n.there }

// Value is what is there, as the library reads JSON.
func (n Node) Value() any { return n.value }

// At is a place below.
func (n Node) At(path string) Node {
	for path != "" {
		key, rest, _ := strings.Cut(path, ".")
		object, _ := n.value.(map[string]any)
		n.value, n.there = object[key]
		path = rest
	}
	return n
}

// Has reports whether there is anything but null.
func (n Node) Has(path string) bool { return n.At(path).value != nil }

// IsNumber reports whether a number is there.
func (n Node) IsNumber() bool {
	_, ok := n.value.(json.Number)
	return ok
}

// IsBool reports whether true or false is there.
func (n Node) IsBool() bool {
	_, ok := n.value.(bool)
	return ok
}

// IsText reports whether a string is there.
func (n Node) IsText() bool {
	_, ok := n.value.(string)
	return ok
}

// IsList reports whether a list is there.
func (n Node) IsList() bool {
	_, ok := n.value.([]any)
	return ok
}

// Text is a string.
func (n Node) Text(path string) string {
	s, _ := n.At(path).value.(string)
	return s
}

// Bool is true or false.
func (n Node) Bool(path string) bool {
	b, _ := n.At(path).value.(bool)
	return b
}

// Int is a whole number.
func (n Node) Int(path string) int64 {
	k, _ := n.At(path).value.(json.Number)
	v, _ := strconv.ParseInt(string(k), 10, 64)
	return v
}

// Float is a number.
func (n Node) Float(path string) float64 {
	k, _ := n.At(path).value.(json.Number)
	v, _ := k.Float64()
	return v
}

// Factor is a fraction in lowest terms.
func (n Node) Factor(path string) (*big.Rat, bool) {
	s, ok := n.At(path).value.(string)
	if !ok || s == "" {
		return nil, false
	}
	return exact.Fraction(s)
}

// Label is a string, or null; ok is false for anything else.
func (n Node) Label(path string) (l files.Label, ok bool) {
	at := n.At(path)
	if at.value == nil {
		return files.Label{Null: true}, at.there
	}
	l.Text, ok = at.value.(string)
	return l, ok
}

// List is the places of a list.
func (n Node) List(path string) (all []Node) {
	list, _ := n.At(path).value.([]any)
	for _, v := range list {
		all = append(all, Node{v, true})
	}
	return all
}

// Texts is a list of strings.
func (n Node) Texts(path string) (all []string) {
	for _, e := range n.List(path) {
		all = append(all, e.Text(""))
	}
	return all
}

// Labels is a list of labels.
func (n Node) Labels(path string) (all []files.Label) {
	for _, e := range n.List(path) {
		l, _ := e.Label("")
		all = append(all, l)
	}
	return all
}

// Into reads a place into a struct that has tags for its members, as far as they
// are of its types.
func (n Node) Into(path string, to any) bool {
	data, err := json.Marshal(n.At(path).value)
	return err == nil && json.Unmarshal(data, to) == nil
}
