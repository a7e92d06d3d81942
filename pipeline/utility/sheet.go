package utility

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A sheet reads CSV (RFC 4180) record by record. Every label survives a round trip: a carriage
// return within quotes is kept. What is wrong is told by file, line and column. Notes at the top
// of a file that tacet wrote and blank lines are skipped, and every record has as many fields as
// the first.
type sheet struct {
	name   string
	text   string
	rest   string // the text behind its notes, as the reader takes it
	above  int    // lines of notes
	reader *csv.Reader
	width  int // fields of the first record, 0 before it
	begin  int // line on which the last record began
}

func newSheet(name, text string, comma byte) *sheet {
	s := &sheet{name: name, text: text, rest: text}
	for ; strings.HasPrefix(s.rest, note); s.above++ {
		_, s.rest, _ = strings.Cut(s.rest, "\n")
	}
	if strings.Contains(s.rest, "\r") {
		s.rest = s.returns(s.rest)
	}
	s.reader = csv.NewReader(strings.NewReader(s.rest))
	s.reader.Comma, s.reader.FieldsPerRecord, s.reader.ReuseRecord = rune(comma), -1, true
	return s
}

// returns doubles a carriage return before a line feed within quotes, of which the reader
// takes one away; outside of quotes none may stand alone.
func (s *sheet) returns(text string) string {
	part, line := strings.Split(text, `"`), s.above+1
	for i, p := range part {
		if i%2 == 1 {
			part[i] = strings.ReplaceAll(p, "\r\n", "\r\r\n")
		} else if strings.Contains(strings.ReplaceAll(p, "\r\n", ""), "\r") {
			s.failAt(place{line, 1}, "end lines with a line feed", "a carriage return without a line feed")
		}
		line += strings.Count(p, "\n")
	}
	return strings.Join(part, `"`)
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
	cell, err := s.reader.Read()
	var wrong *csv.ParseError
	switch {
	case err == io.EOF:
		return nil
	case errors.As(err, &wrong):
		fail(errorf("put a cell with a quote in quotes, write a quote inside them twice, and close them", "%s line %d: %v",
			s.name, s.above+wrong.StartLine, wrong.Err))
	case err != nil:
		fail(err)
	}
	line, _ := s.reader.FieldPos(0)
	if s.begin = s.above + line; s.width == 0 {
		s.width = len(cell)
	}
	if len(cell) != s.width {
		s.fail(min(len(cell), s.width+1), "give every line the same number of columns", "%d columns, the first line "+
			"has %d", len(cell), s.width)
	}
	return cell
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
	s.failAt(place{s.begin, column}, hint, format, args...)
}

func (s *sheet) failAt(p place, hint, format string, args ...any) {
	fail(errorf(hint, "%s line %d column %d: %s", s.name, p.line, p.column, fmt.Sprintf(format, args...)))
}
