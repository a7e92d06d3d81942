package files

import (
	"bufio"
	"bytes"
	"io"
	"unicode/utf8"
)

// maxLine bounds a row, in bytes.
const maxLine = 64 << 20

// A csvRow is the cells of a row as they stand in the file, where it begins and what ends it.
type csvRow struct {
	at   int64
	cell [][]byte
	end  []byte
}

// csvLines yields the rows of a CSV file [RFC 4180]; a line feed outside of quotes ends one.
// It differs from encoding/csv in what is to be proven: it tells cells with quotes from those
// without, keeps carriage returns within them, and passes over no blank line.
type csvLines struct {
	in    *bufio.Reader
	comma byte
	at    int64 // of the next row
	line  []byte
	row   csvRow
}

// next is the next row, good until the one behind it; io.EOF ends them.
func (l *csvLines) next() (*csvRow, error) {
	l.line = l.line[:0]
	for quotes := 0; ; {
		part, err := l.in.ReadSlice('\n')
		l.line = append(l.line, part...)
		quotes += bytes.Count(part, []byte{'"'})
		switch {
		case len(l.line) > maxLine:
			return nil, errorf("has a row that is too long")
		case err == bufio.ErrBufferFull, err == nil && quotes%2 != 0:
			continue
		case err == io.EOF && len(l.line) == 0:
			return nil, io.EOF
		case err != nil && err != io.EOF:
			return nil, errorf("cannot be read to its end")
		}
		break
	}
	l.row.at, l.at = l.at, l.at+int64(len(l.line))
	text := bytes.TrimSuffix(l.line, []byte{'\n'})
	if len(text) < len(l.line) {
		text = bytes.TrimSuffix(text, []byte{'\r'})
	}
	l.row.end = l.line[len(text):]
	if !utf8.Valid(text) || !l.cut(text) {
		return nil, errorf("has a row that is no CSV")
	}
	return &l.row, nil
}

// cut cuts a row at the commas outside of quotes; false where quotes stand elsewhere than
// around a whole cell, or doubled in one.
func (l *csvLines) cut(text []byte) bool {
	l.row.cell = l.row.cell[:0]
	from, quoted := 0, false
	for i := 0; i <= len(text); i++ {
		if i < len(text) && (text[i] != l.comma || quoted) {
			quoted = quoted != (text[i] == '"')
			continue
		}
		cell := text[from:i]
		if n := len(cell); n > 0 && cell[0] == '"' {
			if n < 2 || cell[n-1] != '"' || bytes.IndexByte(bytes.ReplaceAll(cell[1:n-1], []byte(`""`), nil), '"') >= 0 {
				return false
			}
		} else if bytes.ContainsAny(cell, "\"\r\n") {
			return false
		}
		l.row.cell, from = append(l.row.cell, cell), i+1
	}
	return !quoted
}

// plainCell is what a cell says; null is true of one without text and quotes.
func plainCell(cell []byte) (text []byte, null bool) {
	if len(cell) == 0 || cell[0] != '"' {
		return cell, len(cell) == 0
	}
	return bytes.ReplaceAll(cell[1:len(cell)-1], []byte(`""`), []byte(`"`)), false
}
