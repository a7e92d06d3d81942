package table_test

import (
	arrow "github.com/tacet-privacy/tacet/io/arrow"
	"github.com/tacet-privacy/tacet/io/csv"
	parquet "github.com/tacet-privacy/tacet/io/parquet/splice"
	"github.com/tacet-privacy/tacet/io/table"
)

// open opens a file of any format.
func open(in table.Input, r table.Request) (table.File, error) {
	return table.Open(in, r, parquet.Format, arrow.Format, csv.Format)
}
