package letter

import "github.com/tacet-privacy/tacet/io/colfile/cell"

// BatchRows is how many rows are handed out at once.
const BatchRows = 4096

// A Unit is what is worked on independently: a Parquet row group or an Arrow
// record batch of one file. Random streams are derived per unit.
type Unit struct{ File, Group int }

// A Batch is a run of consecutive records of one unit.
type Batch struct {
	Unit    Unit
	Row     int64         // of the first record, counted from 0 in the file
	Letters [][]int32     // one slice per private column, all of one length; -1 is a null outside the alphabet
	Beside  []cell.Values // one per column of input.Request.Beside; f must not keep them
}
