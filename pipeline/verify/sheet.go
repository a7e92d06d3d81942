package verify

import "bytes"

// A sheet reads CSV (RFC 4180) and keeps what stands in quotes as it is.
type sheet struct {
	text []byte
	bad  bool
}

func (s *sheet) next() (field []string, ok bool) {
	if len(s.text) == 0 {
		return nil, false
	}
	for {
		var cell []byte
		if len(s.text) > 0 && s.text[0] == '"' {
			at := 1
			for {
				end := bytes.IndexByte(s.text[at:], '"')
				if end < 0 {
					s.bad, s.text = true, nil
					return nil, false
				}
				cell = append(cell, s.text[at:at+end]...)
				if at += end + 1; at < len(s.text) && s.text[at] == '"' {
					cell = append(cell, '"')
					at++
					continue
				}
				break
			}
			s.text = s.text[at:]
		} else {
			end := bytes.IndexAny(s.text, ",\n")
			if end < 0 {
				end = len(s.text)
			}
			cell, s.text = s.text[:end], s.text[end:]
		}
		field = append(field, string(cell))
		if len(s.text) == 0 {
			return field, true
		}
		c := s.text[0]
		s.text = s.text[1:]
		if c == '\n' {
			return field, true
		}
		if c != ',' {
			s.bad, s.text = true, nil
			return nil, false
		}
	}
}
