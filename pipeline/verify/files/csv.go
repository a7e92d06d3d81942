package files

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Dialect is how a CSV file is written, as the report states it. Comma is zero
// where it states none.
type Dialect struct {
	Comma  byte
	Header bool
}

const (
	// blockRows is how many rows are a unit.
	blockRows = 65536
	// maxLine bounds a row, in bytes.
	maxLine   = 64 << 20
	byteOrder = "\ufeff"
	// rowEnds stands for what ends rows among the names of columns.
	rowEnds = "the ends of rows"
)

// A csvFile is rows of cells, of which each unit has 65,536.
type csvFile struct {
	in      io.ReaderAt
	size    int64
	dialect Dialect
	head    csvRow // of the header; no cells without one
	mark    bool   // a byte order mark comes first
	name    []string
	at      int
	bins    *Bins   // of the column; nil without
	start   []int64 // of each unit
	rows    []int64
}

// A csvRow is the cells of a row as they stand in the file, and what ends it.
type csvRow struct {
	cell [][]byte
	end  []byte
}

// csvLines yields rows. A line feed behind an even number of quotes ends one.
type csvLines struct {
	in    *bufio.Reader
	comma byte
	at    int64 // of the next row
	line  []byte
	row   csvRow
}

type csvReader struct {
	file    *csvFile
	lines   *csvLines
	letters *Letters
	unit    int
	left    int64
}

func (f *csvFile) lines(from int64) *csvLines {
	return &csvLines{in: bufio.NewReaderSize(io.NewSectionReader(f.in, from, f.size-from), 1<<16), comma: f.dialect.Comma,
		at: from}
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
	l.at += int64(len(l.line))
	text := bytes.TrimSuffix(l.line, []byte{'\n'})
	if len(text) < len(l.line) {
		text = bytes.TrimSuffix(text, []byte{'\r'})
	}
	l.row.end = l.line[len(text):]
	if !utf8.Valid(text) || !l.split(text) {
		return nil, errorf("has a row that is no CSV")
	}
	return &l.row, nil
}

// split cuts a line into cells; false where it is no CSV.
func (l *csvLines) split(text []byte) bool {
	l.row.cell = l.row.cell[:0]
	for {
		end := 0
		if len(text) > 0 && text[0] == '"' {
			for end = 1; ; end += 2 {
				n := bytes.IndexByte(text[end:], '"')
				if n < 0 {
					return false
				}
				if end += n; end+1 == len(text) || text[end+1] != '"' {
					end++
					break
				}
			}
		} else {
			if end = bytes.IndexByte(text, l.comma); end < 0 {
				end = len(text)
			}
			if bytes.ContainsAny(text[:end], "\"\r\n") {
				return false
			}
		}
		l.row.cell = append(l.row.cell, text[:end])
		if end == len(text) {
			return true
		}
		if text[end] != l.comma {
			return false
		}
		text = text[end+1:]
	}
}

// plainCell is what a cell says; null is true of one without text and quotes.
func plainCell(cell []byte) (text []byte, null bool) {
	if len(cell) == 0 || cell[0] != '"' {
		return cell, len(cell) == 0
	}
	return bytes.ReplaceAll(cell[1:len(cell)-1], []byte(`""`), []byte(`"`)), false
}

// openCSV reads the file to its end: how many cells each row has, and where units
// begin.
func openCSV(in io.ReaderAt, size int64, column string, d Dialect, bins *Bins) (File, error) {
	f := &csvFile{in: in, size: size, dialect: d, at: -1, bins: bins}
	start := int64(0)
	head := make([]byte, min(size, int64(len(byteOrder))))
	in.ReadAt(head, 0)
	if f.mark = string(head) == byteOrder; f.mark {
		start = int64(len(head))
	}
	lines := f.lines(start)
	row, err := lines.next()
	if err == io.EOF {
		return nil, errorf("has no row")
	}
	if err != nil {
		return nil, errorf("has a first row that is no CSV")
	}
	for i, c := range row.cell {
		name := "column_" + strconv.Itoa(i+1)
		if d.Header {
			text, _ := plainCell(c)
			name = string(text)
			f.head.cell = append(f.head.cell, bytes.Clone(c))
		}
		if f.name = append(f.name, name); name == column {
			if f.at >= 0 {
				return nil, errorf("has two columns %q", column)
			}
			f.at = i
		}
	}
	if f.at < 0 {
		return nil, errorf("has no column %q", column)
	}
	if d.Header {
		f.head.end = bytes.Clone(row.end)
		start = lines.at
	}
	return f, f.walk(start)
}

// walk counts the rows from there on.
func (f *csvFile) walk(start int64) error {
	lines := f.lines(start)
	for row := int64(0); ; row++ {
		at := lines.at
		r, err := lines.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return errorf("cannot be read as CSV in row %d", row+1)
		}
		if len(r.cell) != len(f.name) {
			return errorf("has %d cells in row %d, and %d in its first", len(r.cell), row+1, len(f.name))
		}
		if row%blockRows == 0 {
			f.start, f.rows = append(f.start, at), append(f.rows, 0)
		}
		f.rows[len(f.rows)-1]++
	}
}

func (f *csvFile) Format() string { return "csv" }

func (f *csvFile) Columns() []string { return f.name }

func (f *csvFile) Type() Type { return Type{Kind: Text, Bins: f.bins} }

func (f *csvFile) Units() []int64 { return f.rows }

func (f *csvFile) Open(unit int, l *Letters) (Reader, error) {
	return &csvReader{f, f.lines(f.start[unit]), l, unit, f.rows[unit]}, nil
}

func (r *csvReader) Next(dst []int32) (n int, err error) {
	for ; n < len(dst) && r.left > 0; n, r.left = n+1, r.left-1 {
		row, err := r.lines.next()
		if err != nil || len(row.cell) != len(r.file.name) {
			return 0, errorf("block %d of rows cannot be read again", r.unit+1)
		}
		dst[n] = r.letters.null
		if text, null := plainCell(row.cell[r.file.at]); !null {
			dst[n] = r.letters.bytes(text)
		}
	}
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// Scan looks at the quotes of the private column: they must not depend on the values
// that were replaced.
func (f *csvFile) Scan(*Letters, []string) []Finding {
	var p problems
	lines := f.lines(slices.Concat(f.start, []int64{f.size})[0])
	with, without, spare := 0, 0, 0 // with quotes, without, and with such that its text does not need
	for {
		row, err := lines.next()
		if err != nil {
			break
		}
		cell := row.cell[f.at]
		text, null := plainCell(cell)
		switch {
		case null:
		case cell[0] != '"':
			without++
		default:
			with++
			if len(text) > 0 && !bytes.ContainsAny(text, "\"\r\n"+string(rune(f.dialect.Comma))) &&
				!strings.HasPrefix(string(text), byteOrder) {
				spare++
			}
		}
	}
	if spare > 0 && without > 0 {
		p.addf("some cells of the private column have quotes that they do not need, and others have none")
	}
	return []Finding{p.finding("quotes", fmt.Sprintf("of the private column %d cells have quotes and %d have none: "+
		"all, or those that need them", with, without))}
}

// Described compares the headers.
func (f *csvFile) Described(input File, _ []string) (differ []string, err error) {
	g, ok := input.(*csvFile)
	if !ok || f.dialect != g.dialect {
		return nil, errorf("cannot be compared with the input")
	}
	next := 0
	for i, name := range f.name {
		at := slices.Index(g.name[next:], name)
		if at < 0 {
			return nil, errorf("has columns in another order than the input")
		}
		next += at + 1
		if f.head.cell != nil && !bytes.Equal(f.head.cell[i], g.head.cell[next-1]) {
			differ = append(differ, name)
		}
	}
	if f.mark != g.mark || !bytes.Equal(f.head.end, g.head.end) {
		differ = append(differ, rowEnds)
	}
	return differ, nil
}

// Same compares the cells of the columns but those redrawn, and what ends the rows,
// byte by byte.
func (f *csvFile) Same(input File, redrawn []string) (differ []string, err error) {
	if differ, err = f.Described(input, redrawn); err != nil {
		return nil, err
	}
	g := input.(*csvFile)
	if !slices.Equal(f.rows, g.rows) {
		return nil, errorf("cannot be compared with the input")
	}
	source := make([]int, len(f.name)) // by column of the output
	next := 0
	for i, name := range f.name {
		source[i] = next + slices.Index(g.name[next:], name)
		next = source[i] + 1
	}
	changed, ends := make([]bool, len(f.name)), false
	if len(f.start) > 0 {
		mine, theirs := f.lines(f.start[0]), g.lines(g.start[0])
		for {
			a, err := mine.next()
			if err == io.EOF {
				break
			}
			if err != nil {
				return nil, err
			}
			b, err := theirs.next()
			if err != nil {
				return nil, errorf("cannot be compared: the input cannot be read again")
			}
			for i, j := range source {
				if !slices.Contains(redrawn, f.name[i]) && !bytes.Equal(a.cell[i], b.cell[j]) {
					changed[i] = true
				}
			}
			// An empty last row of one column would be none without a line end.
			added := len(b.end) == 0 && len(a.cell) == 1 && len(a.cell[0]) == 0 && string(a.end) == "\n"
			ends = ends || !added && !bytes.Equal(a.end, b.end)
		}
	}
	for i, name := range f.name {
		if changed[i] && !slices.Contains(differ, name) {
			differ = append(differ, name)
		}
	}
	if ends && !slices.Contains(differ, rowEnds) {
		differ = append(differ, rowEnds)
	}
	return differ, nil
}
