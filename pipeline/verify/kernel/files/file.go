package files

import (
	"io"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
)

// What is no letter.
const (
	Null     int32 = -1 // null, where null is no letter
	Stranger int32 = -2 // a value outside the alphabet
)

// A File is an opened input or output.
type File interface {
	Format() string    // "parquet", "arrow" or "csv"
	Columns() []string // names of the top-level columns
	Type() Type        // of the private column
	Units() []int64    // rows of each row group, record batch or block of rows
	// Open reads the private column of a unit from its first row on. Units
	// may be open side by side.
	Open(unit int, l *Letters) (Reader, error)
	// Scan looks for what the file says of the private column beyond its
	// letters. Metadata keys in keep were asked for.
	Scan(l *Letters, keep []string) []Finding
	// Same reports whether the columns that the file shares with the input it was made from are
	// described alike, in names, types and headers, and hold the same, but for those that were
	// redrawn.
	Same(input File, redrawn []string) bool
}

// A head is what a File says of itself: its format, the names of its columns and which of them is
// private, the type of that, and the rows of each unit.
type head struct {
	format string
	name   []string
	at     int
	typ    Type
	rows   []int64
}

// A Reader yields the letters of a unit.
type Reader interface {
	// Next fills dst, and where there are fewer letters its front.
	Next(dst []int32) (int, error)
}

// A Column is what a file is opened for.
type Column struct {
	Name    string
	Dialect Dialect // as the report states it; zero where the file is no CSV
	Bins    *Bins   // that the values are put into; nil where they are in none
	Lengths Lengths
}

// Lengths looks at the lengths that files state, which arrow-go and parquet-go believe. Whoever opens
// a file has it from elsewhere: it can refuse a file, and what it says is compared with what is read.
type Lengths struct {
	// Heads has the rows of the record batches of an Arrow file, and how the last is compressed as
	// Message.fbs numbers that, -1 where it is not.
	Heads func(in io.ReaderAt, size int64) (rows []int64, compression int, err error)
	// Schema reads a message of Arrow that holds a schema alone.
	Schema func(message []byte) (*arrow.Schema, error)
	// Thrift walks the struct that b begins with, in the compact protocol, and has how many bytes it takes.
	Thrift func(b []byte) (used int, err error)
}

// Open opens a file of that size by its first bytes, and finds the column.
func (c Column) Open(in io.ReaderAt, size int64) (f File, err error) {
	what, fits := "a type that is never privatized", func(t Type) bool { return t.Kind < Timestamp }
	if c.Bins != nil {
		what, fits = "a type that the plan's bins are not of", c.Bins.are
	}
	head := make([]byte, 6)
	n, _ := in.ReadAt(head, 0)
	switch {
	case c.Dialect.Comma != 0:
		f, err = openCSV(in, size, c)
	case n < len(head):
		return nil, errorf("is too short to be Parquet or Arrow IPC")
	case string(head[:4]) == "PAR1":
		f, err = openParquet(in, size, c)
	case string(head) == arrowMagic:
		f, err = openArrow(in, size, c)
	default:
		return nil, errorf("is neither Parquet nor Arrow IPC")
	}
	if err == nil && !fits(f.Type()) {
		return nil, errorf("has a column %q of %s", c.Name, what)
	}
	return f, err
}

func (h *head) Format() string { return h.format }

func (h *head) Columns() []string { return h.name }

func (h *head) Type() Type { return h.typ }

func (h *head) Units() []int64 { return h.rows }

// find finds the private column.
func (h *head) find(column string) error {
	if h.at = slices.Index(h.name, column); h.at < 0 {
		return errorf("has no column %q", column)
	}
	if slices.Contains(h.name[h.at+1:], column) {
		return errorf("has two columns %q", column)
	}
	return nil
}

// beside are the columns of an output that were not redrawn, each with that of the input that
// it is: these follow each other as those do.
func beside(output, input File, redrawn []string) (both [][2]int, ok bool) {
	names, next := input.Columns(), 0
	for i, name := range output.Columns() {
		at := slices.Index(names[next:], name)
		if at < 0 {
			return nil, false
		}
		if next += at + 1; !slices.Contains(redrawn, name) {
			both = append(both, [2]int{i, next - 1})
		}
	}
	return both, true
}
