package files

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// A Dialect is how a CSV file is written, as the report states it. Comma is zero
// where it states none.
type Dialect struct {
	Comma  byte
	Header bool
}

const (
	blockRows = 65536 // how many rows are a unit
	byteOrder = "\ufeff"
)

// A csvFile is rows of cells.
type csvFile struct {
	head
	in      io.ReaderAt
	size    int64
	dialect Dialect
	begin   int64   // behind the byte order mark, where there is one
	first   int64   // where the rows begin, behind the header
	start   []int64 // of each unit
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

// openCSV reads the file to its end: how many cells each row has, and where units begin.
func openCSV(in io.ReaderAt, size int64, c Column) (File, error) {
	f := &csvFile{head: head{format: "csv", typ: Type{Kind: Text, Bins: c.Bins}}, in: in, size: size, dialect: c.Dialect}
	mark := make([]byte, len(byteOrder))
	if n, _ := in.ReadAt(mark, 0); string(mark[:n]) == byteOrder {
		f.begin = int64(n)
	}
	lines := f.lines(f.begin)
	row, err := lines.next()
	if err == io.EOF {
		return nil, errorf("has no row")
	}
	if err != nil {
		return nil, errorf("has a first row that is no CSV")
	}
	for i, cell := range row.cell {
		name := "column_" + strconv.Itoa(i+1)
		if c.Dialect.Header {
			text, _ := plainCell(cell)
			name = string(text)
		}
		f.name = append(f.name, name)
	}
	if err := f.find(c.Name); err != nil {
		return nil, err
	}
	if f.first = f.begin; c.Dialect.Header {
		f.first = lines.at
	}
	return f, f.each(f.first, func(n int, r *csvRow) error {
		if n%blockRows == 0 {
			f.start, f.rows = append(f.start, r.at), append(f.rows, 0)
		}
		f.rows[len(f.rows)-1]++
		return nil
	})
}

func (f *csvFile) Open(unit int, l *Letters) (Reader, error) {
	return &csvReader{f, f.lines(f.start[unit]), l.one(), unit, f.rows[unit]}, nil
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
	return n, nil
}

// each goes over the rows from a place on.
func (f *csvFile) each(from int64, see func(row int, r *csvRow) error) error {
	lines := f.lines(from)
	for n := 0; ; n++ {
		row, err := lines.next()
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return errorf("cannot be read as CSV in row %d", n+1)
		case len(row.cell) != len(f.name):
			return errorf("has %d cells in row %d, and %d in its first", len(row.cell), n+1, len(f.name))
		}
		if err := see(n, row); err != nil {
			return err
		}
	}
}

// Scan proves that quotes of the private column do not depend on the values that were
// replaced: all cells have them, or those that need them.
func (f *csvFile) Scan(*Letters, []string) []Finding {
	var w Faults
	with, without, spare := 0, 0, 0 // with quotes, without, and with such that its text does not need
	err := f.each(f.first, func(_ int, r *csvRow) error {
		cell := r.cell[f.at]
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
		return nil
	})
	if err != nil || spare > 0 && without > 0 {
		w.Addf("some cells of the private column have quotes that they do not need, and others have none")
	}
	return []Finding{{"quotes", w, fmt.Sprintf("of the private column %d cells have quotes and %d have none: "+
		"all, or those that need them", with, without)}}
}

// Same compares the cells, and what ends the rows, byte by byte; the headers of redrawn columns, too.
func (f *csvFile) Same(input File, redrawn []string) bool {
	g, alike := input.(*csvFile)
	all, ok := beside(f, input, nil)
	both, _ := beside(f, input, redrawn)
	if !ok || !alike || f.dialect != g.dialect || f.begin != g.begin || !slices.Equal(f.rows, g.rows) {
		return false
	}
	theirs := g.lines(g.begin)
	return f.each(f.begin, func(n int, a *csvRow) error {
		columns := both
		if n == 0 && f.dialect.Header {
			columns = all
		}
		b, err := theirs.next()
		// An empty last row of one column would be none without a line end.
		added := err == nil && len(b.end) == 0 && len(a.cell) == 1 && len(a.cell[0]) == 0 && string(a.end) == "\n"
		if err != nil || !added && !bytes.Equal(a.end, b.end) ||
			slices.ContainsFunc(columns, func(at [2]int) bool { return !bytes.Equal(a.cell[at[0]], b.cell[at[1]]) }) {
			return errorf("differs")
		}
		return nil
	}) == nil
}
