package files

import "strings"

// A Sheet reads CSV (RFC 4180) and keeps what stands in quotes as it is.
type Sheet struct {
	Text string
	Bad  bool

	field []string // of the last line
}

// sheetOf reads the bytes of a file, without the mark of their order.
func sheetOf(data []byte) *Sheet { return &Sheet{Text: strings.TrimPrefix(string(data), byteOrder)} }

// Next is the next line, good until the one behind it; false at the end.
func (s *Sheet) Next() (field []string, ok bool) {
	if len(s.Text) == 0 {
		return nil, false
	}
	s.field = s.field[:0]
	for {
		cell := ""
		if s.Text != "" && s.Text[0] == '"' {
			quoted := s.Text[1:]
			for {
				part, rest, closes := strings.Cut(quoted, `"`)
				if !closes {
					return s.bad()
				}
				if cell += part; !strings.HasPrefix(rest, `"`) {
					s.Text = rest
					break
				}
				cell, quoted = cell+`"`, rest[1:]
			}
		} else {
			end := 0
			for end < len(s.Text) && s.Text[end] != ',' && s.Text[end] != '\n' {
				end++
			}
			cell, s.Text = s.Text[:end], s.Text[end:]
		}
		s.field = append(s.field, cell)
		if s.Text == "" {
			return s.field, true
		}
		c := s.Text[0]
		s.Text = s.Text[1:]
		if c == '\n' {
			return s.field, true
		}
		if c != ',' {
			return s.bad()
		}
	}
}

func (s *Sheet) bad() ([]string, bool) {
	s.Bad, s.Text = true, ""
	return nil, false
}
