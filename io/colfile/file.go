package colfile

import (
	"context"
	"io"

	"github.com/tacet-privacy/tacet/io/publish"
)

// Input is the file to read. A local file opts into kernel copies by being an
// *os.File underneath (see Local).
type Input interface {
	io.ReaderAt
	Size() int64
	// Identity changes when the content may have changed: device, inode, size
	// and modification time of a local file, the ETag of a remote one. It is
	// read afresh at every call.
	Identity() (string, error)
}

// A Request names what is decoded. Private columns become letters. Drop lists
// the top-level columns that leave the output. Everything else is carried
// through byte for byte.
type Request struct {
	Private  []string
	Beside   []string // decoded to values and handed to the caller, kept in the output unless dropped
	Drop     []string
	Threads  int      // how many units are worked on at once; 0 means one per processor
	Metadata []string // keys of file metadata to keep; all others are left out
}

// A Unit is what is worked on independently: a Parquet row group or an Arrow
// record batch of one file. Random streams are derived per unit.
type Unit struct{ File, Group int }

// A Batch is a run of consecutive records of one unit.
type Batch struct {
	Unit    Unit
	Row     int64     // of the first record, counted from 0 in the file
	Letters [][]int32 // one slice per private column, all of one length; -1 is a null outside the alphabet
	Beside  []Values  // one per column of Request.Beside; f must not keep them
}

// A Column describes one top-level column of the file.
type Column struct {
	Name     string
	Type     string // as the format spells it, for people
	Nullable bool
	Readable bool // may be named in Request.Beside
}

// File is an opened column file.
type File interface {
	// Format is "parquet" or "arrow".
	Format() string
	// Columns are the top-level columns in file order, before Drop.
	Columns() []Column
	// Rows of every unit, in file order, as the metadata states them; reading
	// a unit fails when it holds another number.
	Units() []int64
	// Scan reads the private columns: per column the sorted alphabet of the
	// values that occur and, per letter, its count. Where nulls occur, null is
	// the last letter.
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
	Close() error
}
