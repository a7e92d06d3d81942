package count

import (
	arrow "github.com/tacet-privacy/tacet/io/arrow"
	"github.com/tacet-privacy/tacet/io/csv"
	parquet "github.com/tacet-privacy/tacet/io/parquet/splice"
	"github.com/tacet-privacy/tacet/io/table"
)

// formats is the one table of file formats; to add one, write its room in io
// and name it here.
var formats = []table.Format{
	parquet.Format,
	arrow.Format,
	csv.Format,
}

// OpenFile opens a file of any of these formats.
func OpenFile(in table.Input, r table.Request) (table.File, error) {
	return table.Open(in, r, formats...)
}
