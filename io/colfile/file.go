package colfile

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
