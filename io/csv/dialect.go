package csv

import (
	"bytes"
	"encoding/csv"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tacet-privacy/tacet/io/table"
)

// sampleSize is how much of a file is looked at to tell its dialect, in bytes.
const sampleSize = 64 << 10

// candidates are the delimiters that are tried, with their names.
var candidates = []struct {
	comma byte
	name  string
}{{',', "comma"}, {';', "semicolon"}, {'\t', "tab"}, {'|', "vertical bar"}}

// A sample is how a file begins, without its byte order mark.
type sample struct {
	text  []byte
	whole bool // nothing comes behind
}

// delimiter is the one asked for, or the one candidate by which all rows of the
// sample have the same number of cells, which is 2 or more. A file in which no
// candidate occurs has one column.
func (s *sample) delimiter(asked string) (byte, error) {
	if asked != "" {
		return parseDelimiter(asked)
	}
	var fit []string
	found, occurs := byte(','), false
	for _, c := range candidates {
		occurs = occurs || bytes.IndexByte(s.text, c.comma) >= 0
		if s.fits(c.comma) {
			fit, found = append(fit, c.name), c.comma
		}
	}
	const hint = "give it with --csv-delimiter, such as --csv-delimiter ';' or --csv-delimiter tab"
	switch {
	case len(fit) > 1:
		return 0, table.Errorf(hint, "the delimiter of the CSV file cannot be told: %s would do", strings.Join(fit, " and "))
	case len(fit) == 0 && occurs:
		return 0, table.Errorf(hint, "the delimiter of the CSV file cannot be told: by none of comma, semicolon, tab and "+
			"vertical bar do all rows have the same number of cells, 2 or more")
	}
	return found, nil
}

// fits reports whether all rows have the same number of cells, 2 or more. The end
// of the sample may cut the last row.
func (s *sample) fits(comma byte) bool {
	r := csv.NewReader(bytes.NewReader(s.text))
	r.Comma, r.ReuseRecord = rune(comma), true
	for rows := 0; ; rows++ {
		row, err := r.Read()
		switch {
		case err == io.EOF:
			return rows > 0
		case err != nil:
			return rows > 0 && !s.whole && r.InputOffset() == int64(len(s.text))
		case len(row) < 2:
			return false
		}
	}
}

// header reports whether the first row has the names of the columns: as asked for,
// else yes, unless a cell of it looks like data. Names stand in messages, so that
// data must not be taken for them.
func (s *sample) header(asked string, comma byte) (bool, error) {
	if asked == "yes" || asked == "no" {
		return asked == "yes", nil
	}
	r := csv.NewReader(bytes.NewReader(s.text))
	r.Comma = rune(comma)
	first, err := r.Read()
	if err != nil {
		return true, nil // the reader says what is wrong
	}
	const hint = "give --csv-header yes if the first row has the names of the columns, else --csv-header no"
	for i, c := range first {
		if isNumber(c) {
			return false, table.Errorf(hint, "the first row may be no header: its cell %d is a number or a date", i+1)
		}
	}
	r.ReuseRecord = true
	for row, err := r.Read(); err == nil; row, err = r.Read() {
		for i, c := range row {
			if c != "" && c == first[i] {
				return false, table.Errorf(hint, "the first row may be no header: its cell %d comes again in its column", i+1)
			}
		}
	}
	return true, nil
}

// isNumber reports whether a cell is a number in digits, or a date.
func isNumber(cell string) bool {
	cell = strings.TrimSpace(cell)
	if !strings.ContainsAny(cell, "0123456789") {
		return false
	}
	_, number := strconv.ParseFloat(cell, 64)
	_, date := time.Parse(time.DateOnly, cell)
	return number == nil || date == nil
}

// parseDelimiter reads a delimiter that was asked for: a character, or the name of
// a candidate.
func parseDelimiter(asked string) (byte, error) {
	for _, c := range candidates {
		if asked == c.name || asked == `\t` && c.comma == '\t' {
			return c.comma, nil
		}
	}
	if len(asked) == 1 {
		if c := asked[0]; c > 0 && c < 0x80 && !strings.ContainsRune("\"\r\n", rune(c)) && !isWord(c) {
			return c, nil
		}
	}
	return 0, table.Errorf("give one ASCII character that is no letter, digit, quote or line end, or the word tab",
		"--csv-delimiter %q is no delimiter", asked)
}

func isWord(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}

// dialectOf reads how the file begins: where its rows start, and its dialect.
func dialectOf(in table.Input, asked table.Dialect) (d table.Dialect, comma byte, start int64, err error) {
	text := make([]byte, min(in.Size(), sampleSize+int64(len(mark))))
	if n, err := in.ReadAt(text, 0); n < len(text) {
		return d, 0, 0, err
	}
	if err := notText(text); err != nil {
		return d, 0, 0, err
	}
	s := sample{text: bytes.TrimPrefix(text, mark), whole: int64(len(text)) == in.Size()}
	if comma, err = s.delimiter(asked.Delimiter); err != nil {
		return d, 0, 0, err
	}
	header, err := s.header(asked.Header, comma)
	d = table.Dialect{Delimiter: string(rune(comma)), Header: "no"}
	if header {
		d.Header = "yes"
	}
	return d, comma, int64(len(text) - len(s.text)), err
}

// mark is the byte order mark of UTF-8.
var mark = []byte("\ufeff")

// compressed are the first bytes of files that have to be unpacked first.
var compressed = []struct{ magic, name, hint string }{
	{"\x1f\x8b", "compressed with gzip", "decompress it first: gunzip -k FILE"},
	{"\x28\xb5\x2f\xfd", "compressed with zstd", "decompress it first: unzstd -k FILE"},
	{"BZh", "compressed with bzip2", "decompress it first: bunzip2 -k FILE"},
	{"\xfd7zXZ", "compressed with xz", "decompress it first: unxz -k FILE"},
	{"PK\x03\x04", "a zip archive or a spreadsheet", "unzip it, or save the sheet as CSV UTF-8"},
	{"\xff\xfe", "UTF-16 text", "save it as UTF-8"},
	{"\xfe\xff", "UTF-16 text", "save it as UTF-8"},
}

// notText refuses what is no text at all.
func notText(head []byte) error {
	for _, c := range compressed {
		if bytes.HasPrefix(head, []byte(c.magic)) && (c.magic != "BZh" || slices.Contains(head, 0)) {
			return table.Errorf(c.hint, "the file is %s", c.name)
		}
	}
	if start := bytes.Join(bytes.Fields(head[:min(len(head), 64)]), nil); bytes.HasPrefix(start, []byte(`{"`)) ||
		bytes.HasPrefix(start, []byte("[{")) {
		return table.Errorf(`duckdb -c "copy (from read_json('FILE')) to 'FILE.parquet'" converts it`, "the file is JSON")
	}
	if slices.Contains(head, 0) {
		return table.Errorf("convert it to Parquet, Arrow IPC or CSV, for example with DuckDB, pyarrow or polars",
			"the file is neither Parquet nor Arrow IPC, and no text that could be CSV: it holds zero bytes")
	}
	return nil
}
