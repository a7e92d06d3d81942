package table

import (
	"context"

	"github.com/tacet-privacy/tacet/io/publish"
)

// File is an opened column file: what the room of a format returns.
type File interface {
	// Format is "parquet" or "arrow".
	Format() string
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
	Close() error
}

// BatchRows is how many rows are handed out at once.
const BatchRows = 4096

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
