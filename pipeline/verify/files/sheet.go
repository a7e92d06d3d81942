package files

import "bytes"

// A Sheet reads CSV (RFC 4180) and keeps what stands in quotes as it is.
type Sheet struct {
	Text []byte
	Bad  bool
}

// Next is the next line; false at the end.
func (s *Sheet) Next() (field []string, ok bool) {
	if len(s.Text) == 0 {
		return nil, false
	}
	for {
		var cell []byte
		if len(s.Text) > 0 && s.Text[0] == '"' {
			at := 1
			for {
				end := bytes.IndexByte(s.Text[at:], '"')
				if end < 0 {
					s.Bad, s.Text = true, nil
					return nil, false
				}
				cell = append(cell, s.Text[at:at+end]...)
				if at += end + 1; at < len(s.Text) && s.Text[at] == '"' {
					cell = append(cell, '"')
					at++
					continue
				}
				break
			}
			s.Text = s.Text[at:]
		} else {
			end := bytes.IndexAny(s.Text, ",\n")
			if end < 0 {
				end = len(s.Text)
			}
			cell, s.Text = s.Text[:end], s.Text[end:]
		}
		field = append(field, string(cell))
		if len(s.Text) == 0 {
			return field, true
		}
		c := s.Text[0]
		s.Text = s.Text[1:]
		if c == '\n' {
			return field, true
		}
		if c != ',' {
			s.Bad, s.Text = true, nil
			return nil, false
		}
	}
}
