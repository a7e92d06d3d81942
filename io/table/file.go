package table

import (
	"context"
	"io"
	"runtime"
	"slices"

	"github.com/tacet-privacy/tacet/io/publish"
)

// File is an opened column file: what the package of a format returns.
type File interface {
	// Format is "parquet", "arrow" or "csv".
	Format() string
	// Dialect is how a text file is written; other formats have none.
	Dialect() Dialect
	// Columns are the top-level columns in file order, before Drop.
	Columns() []Column
	// Rows of every unit, in file order, as the metadata states them; reading
	// a unit fails when it holds another number.
	Units() []int64
	// CheckKept looks at the columns that Rewrite will carry through, as far as
	// shows whether they can be read: what is carried through is not decoded,
	// and damage in it would be handed on.
	CheckKept(ctx context.Context) error
	// Scan reads the private columns: per column the sorted alphabet of the
	// values that occur and, per letter, its count. Where nulls occur, null is
	// the last
	Scan(ctx context.Context) ([]*Alphabet, [][]int64, error)
	// Read hands the letters of unit group to f in row order. A value outside
	// the alphabets in is an error that names column and row. A null is the
	// null letter of its alphabet, -1 where that has none. f must not keep the
	// slices, may change them, and runs in the caller's goroutine.
	Read(ctx context.Context, group int, in []*Alphabet, f func(Batch) error) error
	// Rewrite writes the whole file to out with what f leaves in Letters,
	// letters of the alphabets to; a letter -1 is written as null. Units run
	// in parallel: f is called for one unit by one goroutine, in row order.
	// The bytes written do not depend on Threads or on how rows are batched.
	Rewrite(ctx context.Context, out publish.Output, in, to []*Alphabet, f func(Batch) error) error
}

// A Columnar file reads some columns of a unit without the others, so that the pages of one
// are in memory at a time.
type Columnar interface {
	File
	// Choose is the same file with other columns, and fails as Open would.
	Choose(r Request) (File, error)
}

// BatchRows is how many rows are handed out at once.
const BatchRows = 4096

// A Unit is what is worked on independently: a Parquet row group, an Arrow
// record batch or a block of CSV rows of one file. Random streams are derived per
// unit.
type Unit struct {
	File, Group int // the file, in a set of files, and the place in it
	At          int // the place among the units of all files of a set
}

// A Batch is a run of consecutive records of one unit.
type Batch struct {
	Unit    Unit
	Row     int64     // of the first record, counted from 0 in the file
	Letters [][]int32 // one slice per private column, all of one length; -1 is a null outside the alphabet
	Beside  []Values  // one per column of Request.Beside; f must not keep them
}

// An Input is the file to read. A local file opts into kernel copies by being
// a *Local, with nothing around it.
type Input interface {
	io.ReaderAt
	Size() int64
	// Identity changes when the content may have changed: device, inode, size
	// and modification time of a local file, the ETag of a remote one. It is
	// read afresh at every call.
	Identity() (string, error)
}

// A Content is an input that is closed by whoever opened it: a file of this machine,
// or an object of a store.
type Content interface {
	Input
	io.Closer
}

// A Request names what is decoded. Private columns become letters. Drop lists
// the top-level columns that leave the output. Everything else is carried
// through: byte for byte, or by Arrow value for value.
type Request struct {
	Private  []string
	Bins     []string // of the private columns, in their order, "" for none; nil where none has bins
	Beside   []string // decoded to values and handed to the caller, kept in the output unless dropped
	Nested   bool     // columns beside may be nested, and are NestedCells then: of a Columnar file
	Drop     []string
	Threads  int      // how many units are worked on at once; 0 means one per processor
	Metadata []string // keys of file metadata to keep; all others are left out
	Dialect  Dialect  // of a text file
}

// A Dialect is how a text file is written. What is empty is found out.
type Dialect struct {
	Delimiter string // one character
	Header    string // "yes" or "no"; "auto" is like ""
}

// Workers is how many goroutines work on units.
func (r *Request) Workers() int {
	if r.Threads > 0 {
		return r.Threads
	}
	return runtime.GOMAXPROCS(0)
}

// check refuses columns that cannot be what they are asked to be.
func (r *Request) check() error {
	for i, name := range r.Private {
		if slices.Contains(r.Private[:i], name) {
			return Errorf("name it once", "column %q is named twice", name)
		}
		if slices.Contains(r.Drop, name) {
			return Errorf("", "column %q cannot be privatized and dropped", name)
		}
	}
	return nil
}

// A Column describes one top-level column of the file.
type Column struct {
	Name     string
	Type     string // as the format spells it, for people
	Nullable bool
	Readable bool // may be named in Request.Beside
	Leaves   int  // of a nested column that Columnar reads as NestedCells, 0 for others
}

// PathType is the type of a column that the paths of files tell.
const PathType = "path"
