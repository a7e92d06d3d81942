package utility

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A sheet reads CSV (RFC 4180) record by record. It differs from encoding/csv
// in keeping a carriage return within quotes, so that every label survives a
// round trip, and in naming file, line and column of whatever is wrong. Blank
// lines are skipped, and every record has as many fields as the first.
type sheet struct {
	name  string
	text  string
	comma byte

	at    int // next byte of text
	line  int // of the next byte, from 1
	width int // fields of the first record, 0 before it
	begin int // line on which the last record began
	field []string
}

func newSheet(name, text string, comma byte) *sheet {
	return &sheet{name: name, text: text, comma: comma, line: 1}
}

// utf8Text is the text of a file without its byte order mark.
func utf8Text(name string, data []byte) (string, error) {
	if bytes.HasPrefix(data, []byte{0xff, 0xfe}) || bytes.HasPrefix(data, []byte{0xfe, 0xff}) {
		return "", errorf("save it as UTF-8", "%s: the file is UTF-16, not UTF-8", name)
	}
	text := strings.TrimPrefix(string(data), "\ufeff")
	if utf8.ValidString(text) {
		return text, nil
	}
	line := 1
	for i, r := range text {
		if r == '\n' {
			line++
		}
		if _, size := utf8.DecodeRuneInString(text[i:]); r == utf8.RuneError && size == 1 {
			break
		}
	}
	return "", errorf("save it as UTF-8", "%s line %d: the file is not UTF-8", name, line)
}

// next returns the fields of the next record, valid until the next call, or
// io.EOF.
func (s *sheet) next() ([]string, error) {
	for s.at < len(s.text) && s.lineEnd() {
	}
	if s.at == len(s.text) {
		return nil, io.EOF
	}
	s.begin, s.field = s.line, s.field[:0]
	for more := true; more; {
		f, err := s.cell()
		if err != nil {
			return nil, err
		}
		s.field = append(s.field, f)
		switch {
		case s.at == len(s.text) || s.lineEnd():
			more = false
		case s.text[s.at] == s.comma:
			s.at++
		default:
			return nil, s.errorf(len(s.field), "write a quote inside quotes twice", "text after a closing quote")
		}
	}
	if s.width == 0 {
		s.width = len(s.field)
	}
	if len(s.field) != s.width {
		return nil, s.errorf(min(len(s.field), s.width+1), "", "%d columns, the first line has %d", len(s.field), s.width)
	}
	return s.field, nil
}

// cell reads up to the next separator or line end.
func (s *sheet) cell() (string, error) {
	if s.at < len(s.text) && s.text[s.at] == '"' {
		return s.quoted()
	}
	start := s.at
	for ; s.at < len(s.text); s.at++ {
		switch c := s.text[s.at]; {
		case c == s.comma || c == '\n' || c == '\r' && strings.HasPrefix(s.text[s.at:], "\r\n"):
			return s.text[start:s.at], nil
		case c == '"':
			return "", s.errorf(len(s.field)+1, "put the whole cell in quotes and write a quote inside it twice",
				"a quote inside an unquoted cell")
		case c == '\r':
			return "", s.errorf(len(s.field)+1, "end lines with a line feed", "a carriage return without a line feed")
		}
	}
	return s.text[start:], nil
}

func (s *sheet) quoted() (string, error) {
	s.at++
	start, doubled := s.at, false
	for ; s.at < len(s.text); s.at++ {
		switch s.text[s.at] {
		case '\n':
			s.line++
		case '"':
			if s.at+1 < len(s.text) && s.text[s.at+1] == '"' {
				doubled = true
				s.at++
				continue
			}
			cell := s.text[start:s.at]
			s.at++
			if doubled {
				cell = strings.ReplaceAll(cell, `""`, `"`)
			}
			return cell, nil
		}
	}
	return "", s.errorf(len(s.field)+1, "", "a quote is never closed")
}

// lineEnd skips a line end if one is next.
func (s *sheet) lineEnd() bool {
	switch rest := s.text[s.at:]; {
	case strings.HasPrefix(rest, "\n"):
		s.at++
	case strings.HasPrefix(rest, "\r\n"):
		s.at += 2
	default:
		return false
	}
	s.line++
	return true
}

// header returns the first record, a copy.
func (s *sheet) header(least int, hint string) ([]string, error) {
	h, err := s.next()
	if err != nil {
		return nil, s.ended(err)
	}
	if len(h) < least {
		if len(h) == 1 && strings.ContainsAny(h[0], ";\t") {
			hint = "separate the columns with commas"
		}
		return nil, s.errorf(1, hint, "%d columns, at least %d are needed", len(h), least)
	}
	return slices.Clone(h), nil
}

// column finds a header name without regard to case; -1 if there is none.
func (s *sheet) column(header []string, name string) (int, error) {
	found := -1
	for i, h := range header {
		if !strings.EqualFold(strings.TrimSpace(h), name) {
			continue
		}
		if found >= 0 {
			return -1, s.errorf(i+1, "", "a second column %s", name)
		}
		found = i
	}
	return found, nil
}

// columns finds header names that must be there.
func (s *sheet) columns(header []string, hint string, names ...string) ([]int, error) {
	at := make([]int, len(names))
	for i, name := range names {
		var err error
		if at[i], err = s.column(header, name); err != nil {
			return nil, err
		}
		if at[i] < 0 {
			return nil, s.errorf(1, hint, "there is no column %s", name)
		}
	}
	return at, nil
}

// maxNumber leaves room below the lowest utility for null.
const maxNumber = 1e300

// number is the cell as a finite number, or -Inf where that is written and
// forbidding is allowed.
func (s *sheet) number(column int, cell string, forbid bool) (float64, error) {
	v, err := strconv.ParseFloat(strings.TrimSpace(cell), 64)
	switch {
	case err == nil && math.Abs(v) <= maxNumber:
		return v + 0, nil // -0 becomes 0
	case err == nil && forbid && math.IsInf(v, -1):
		return v, nil
	case strings.TrimSpace(cell) == "" && forbid:
		return 0, s.errorf(column, "write a utility, or write -inf to forbid the replacement", "an empty cell")
	case err == nil && forbid:
		return 0, s.errorf(column, "write a number within 1e300 (larger is better), or -inf to forbid",
			"%s is not a utility",
			quote(strings.TrimSpace(cell)))
	}
	return 0, s.errorf(column, "", "%s is not a number within 1e300", quote(cell))
}

// errorf places an error in a column of the current record.
func (s *sheet) errorf(column int, hint, format string, args ...any) *Error {
	line := s.line
	if s.begin > 0 {
		line = s.begin
	}
	return s.errorAt(place{line, column}, hint, format, args...)
}

func (s *sheet) errorAt(p place, hint, format string, args ...any) *Error {
	return errorf(hint, "%s line %d column %d: %s", s.name, p.line, p.column, fmt.Sprintf(format, args...))
}

// ended is the error for a file that ends before its first record.
func (s *sheet) ended(err error) error {
	if err == io.EOF {
		return errorf("write the order into the file, or give another one", "%s: there is no entry", s.name)
	}
	return err
}
