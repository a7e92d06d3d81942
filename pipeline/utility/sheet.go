package utility

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A sheet reads CSV (RFC 4180) record by record. It differs from encoding/csv
// in keeping a carriage return within quotes, so that every label survives a
// round trip, and in naming file, line and column of whatever is wrong. Notes at the
// top of a file that tacet wrote and blank
// lines are skipped, and every record has as many fields as the first.
type sheet struct {
	name  string
	text  string
	comma byte
	loose bool // spaces after a comma are none of the cell's

	at    int // next byte of text
	line  int // of the next byte, from 1
	width int // fields of the first record, 0 before it
	begin int // line on which the last record began
	field []string
}

func newSheet(name, text string, comma byte) *sheet {
	s := &sheet{name: name, text: text, comma: comma, line: 1}
	for strings.HasPrefix(s.text[s.at:], note) {
		line, _, _ := strings.Cut(s.text[s.at:], "\n")
		s.at, s.line = min(s.at+len(line)+1, len(s.text)), s.line+1
	}
	return s
}

// EachRecord reads CSV as files of orders are read: f gets the line of every record
// and its cells, which are good until the next. What f fails with ends the reading.
func EachRecord(name string, data []byte, f func(line int, cell []string) error) (err error) {
	damaged := stopped(func() {
		s := newSheet(name, utf8Text(name, data), ',')
		for cell := range s.records {
			if err = f(s.begin, cell); err != nil {
				return
			}
		}
	})
	return cmp.Or(damaged, err)
}

// utf8Text is the text of a file without its byte order mark.
func utf8Text(name string, data []byte) string {
	if bytes.HasPrefix(data, []byte{0xff, 0xfe}) || bytes.HasPrefix(data, []byte{0xfe, 0xff}) {
		fail(errorf("save it as UTF-8", "%s: the file is UTF-16, not UTF-8", name))
	}
	text := strings.TrimPrefix(string(data), "\ufeff")
	if !utf8.ValidString(text) {
		bad := strings.IndexByte(strings.ToValidUTF8(text, "\xff"), 0xff)
		fail(errorf("save it as UTF-8", "%s line %d: the file is not UTF-8", name, 1+strings.Count(text[:bad], "\n")))
	}
	return text
}

// records are those that follow; the fields of one are good until the next.
func (s *sheet) records(yield func(cell []string) bool) {
	for cell := s.next(); cell != nil && yield(cell); {
		cell = s.next()
	}
}

// first is the first record, a copy.
func (s *sheet) first() []string {
	cell := s.next()
	if cell == nil {
		fail(errorf("write the order into the file, or give another one", "%s: there is no entry", s.name))
	}
	return slices.Clone(cell)
}

// next returns the fields of the next record, valid until the next call; nil at the
// end.
func (s *sheet) next() []string {
	for s.at < len(s.text) && s.lineEnd() {
	}
	if s.at == len(s.text) {
		return nil
	}
	s.begin, s.field = s.line, s.field[:0]
	for more := true; more; {
		s.field = append(s.field, s.cell())
		switch {
		case s.at == len(s.text) || s.lineEnd():
			more = false
		case s.text[s.at] == s.comma:
			for s.at++; s.loose && strings.HasPrefix(s.text[s.at:], " "); s.at++ {
			}
		default:
			s.fail(len(s.field), "write a quote inside quotes twice", "text after a closing quote")
		}
	}
	if s.width == 0 {
		s.width = len(s.field)
	}
	if len(s.field) != s.width {
		s.fail(min(len(s.field), s.width+1), "give every line the same number of columns", "%d columns, the first line "+
			"has %d", len(s.field), s.width)
	}
	return s.field
}

// cell reads up to the next separator or line end.
func (s *sheet) cell() string {
	if s.at < len(s.text) && s.text[s.at] == '"' {
		return s.quoted()
	}
	start := s.at
	for ; s.at < len(s.text); s.at++ {
		switch c := s.text[s.at]; {
		case c == s.comma || c == '\n' || c == '\r' && strings.HasPrefix(s.text[s.at:], "\r\n"):
			return s.text[start:s.at]
		case c == '"':
			s.fail(len(s.field)+1, "put the whole cell in quotes and write a quote inside it twice",
				"a quote inside an unquoted cell")
		case c == '\r':
			s.fail(len(s.field)+1, "end lines with a line feed", "a carriage return without a line feed")
		}
	}
	return s.text[start:]
}

func (s *sheet) quoted() string {
	start, end := s.at+1, s.at+1
	for {
		quote := strings.IndexByte(s.text[end:], '"')
		if quote < 0 {
			s.fail(len(s.field)+1, "close the quote", "a quote is never closed")
		}
		end += quote
		if !strings.HasPrefix(s.text[end:], `""`) {
			break
		}
		end += len(`""`)
	}
	cell := s.text[start:end]
	s.at, s.line = end+1, s.line+strings.Count(cell, "\n")
	return strings.ReplaceAll(cell, `""`, `"`)
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
func (s *sheet) header(least int, hint string) []string {
	h := s.first()
	if len(h) < least {
		if len(h) == 1 && strings.ContainsAny(h[0], ";\t") {
			hint = "separate the columns with commas"
		}
		s.fail(1, hint, "%d columns, at least %d are needed", len(h), least)
	}
	return h
}

// column finds a header name without regard to case; -1 if there is none.
func (s *sheet) column(header []string, name string) int {
	found := -1
	for i, h := range header {
		if !strings.EqualFold(strings.TrimSpace(h), name) {
			continue
		}
		if found >= 0 {
			s.fail(i+1, "remove one of them", "a second column %s", name)
		}
		found = i
	}
	return found
}

// columns finds header names that must be there.
func (s *sheet) columns(header []string, hint string, names ...string) []int {
	at := make([]int, len(names))
	for i, name := range names {
		if at[i] = s.column(header, name); at[i] < 0 {
			s.fail(1, hint, "there is no column %s", name)
		}
	}
	return at
}

// maxNumber leaves room below the lowest utility for null.
const maxNumber = 1e300

// number is the cell as a finite number, or -Inf where that is written and
// forbidding is allowed.
func (s *sheet) number(column int, cell string, forbid bool) float64 {
	v, err := strconv.ParseFloat(strings.TrimSpace(cell), 64)
	switch {
	case err == nil && math.Abs(v) <= maxNumber:
		return v + 0 // -0 becomes 0
	case err == nil && forbid && math.IsInf(v, -1):
		return v
	case strings.TrimSpace(cell) == "" && forbid:
		s.fail(column, "write a utility, or write -inf to forbid the replacement", "an empty cell")
	case err == nil && forbid:
		s.fail(column, "write a number within 1e300 (larger is better), or -inf to forbid", "%s is not a utility",
			quote(strings.TrimSpace(cell)))
	}
	s.fail(column, "", "%s is not a number within 1e300", quote(cell))
	return 0
}

// place is a column of the current record.
func (s *sheet) place(column int) place { return place{s.begin, column} }

// fail says what is wrong in a column of the current record.
func (s *sheet) fail(column int, hint, format string, args ...any) {
	line := s.line
	if s.begin > 0 {
		line = s.begin
	}
	s.failAt(place{line, column}, hint, format, args...)
}

func (s *sheet) failAt(p place, hint, format string, args ...any) {
	fail(errorf(hint, "%s line %d column %d: %s", s.name, p.line, p.column, fmt.Sprintf(format, args...)))
}
