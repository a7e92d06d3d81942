package document

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// parse reads a document, or finds what is wrong with it or with the names of its
// members.
func parse(data []byte) (n Node, what string) {
	if !json.Valid(data) {
		return n, "is not a JSON document"
	}
	s := scanner{text: data}
	n = Node{s.value(), true}
	return n, s.what
}

// Members finds the format that the document names, and what is wrong with
// the names of members, "" if nothing is: Go takes the last of several of a
// name, in any case, and other readers take another.
func Members(data []byte) (schema, what string) {
	if !json.Valid(data) {
		return "", "is not a JSON document"
	}
	s := scanner{text: data, bare: true}
	n := Node{s.value(), true}
	if s.what != "" {
		return "", s.what
	}
	return n.Text("schema"), ""
}

// A scanner takes a document apart that the library has found to be JSON, so that
// one pass over its bytes is enough.
type scanner struct {
	text []byte // what is left of it
	bare bool   // nothing is kept but the names of members, and formats
	what string // what is wrong with the names, "" if nothing is
}

// value is the next value, as the library reads it with UseNumber.
func (s *scanner) value() any {
	switch s.next() {
	case '{':
		return s.object()
	case '[':
		return s.list()
	case '"':
		return s.string()
	}
	end := bytes.IndexAny(s.text, ",]} \t\r\n")
	if end < 0 {
		end = len(s.text)
	}
	word := s.text[:end]
	s.text = s.text[end:]
	switch word[0] {
	case 'n':
		return nil
	case 't', 'f':
		return word[0] == 't'
	}
	return json.Number(word)
}

// next skips white space and is the byte behind it.
func (s *scanner) next() byte {
	for s.text[0] <= ' ' {
		s.text = s.text[1:]
	}
	return s.text[0]
}

// takes reports whether that byte is next, and if so, goes behind it.
func (s *scanner) takes(b byte) bool {
	if s.next() != b {
		return false
	}
	s.text = s.text[1:]
	return true
}

func (s *scanner) object() any {
	all := map[string]any{}
	s.takes('{')
	for !s.takes('}') {
		s.takes(',')
		s.next()
		name := s.string()
		if _, twice := all[name]; s.what == "" && twice {
			s.what = "has a member twice"
		}
		for _, c := range []byte(name) {
			if s.what == "" && (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_' {
				s.what = "has a member that is not known"
			}
		}
		s.takes(':')
		if all[name] = s.value(); s.bare && name != "schema" {
			all[name] = nil
		}
	}
	return all
}

func (s *scanner) list() any {
	all := []any{}
	s.takes('[')
	for !s.takes(']') {
		s.takes(',')
		if v := s.value(); !s.bare {
			all = append(all, v)
		}
	}
	return all
}

// string is a string. What is not plain is left to the library.
func (s *scanner) string() string {
	end := 1
	for s.text[end] != '"' {
		if s.text[end] == '\\' {
			end++
		}
		end++
	}
	quoted := s.text[:end+1]
	s.text = s.text[end+1:]
	if plain := quoted[1:end]; bytes.IndexByte(plain, '\\') < 0 && utf8.Valid(plain) {
		return string(plain)
	}
	var unquoted string
	_ = json.Unmarshal(quoted, &unquoted) // the document is sound, and so is each of its strings
	return unquoted
}
