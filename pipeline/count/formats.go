package count

import (
	"path/filepath"
	"slices"
	"strings"

	arrow "github.com/tacet-privacy/tacet/io/arrow"
	"github.com/tacet-privacy/tacet/io/csv"
	parquet "github.com/tacet-privacy/tacet/io/parquet/splice"
	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// formats is the one table of file formats; to add one, write its package in io
// and name it here.
var formats = []table.Format{
	parquet.Format,
	arrow.Format,
	csv.Format,
}

// Writes refuses an output whose name says another format than that of the input, in
// which it will be written.
func (s *Input) Writes(output string) error {
	ends := strings.ToLower(filepath.Ext(output))
	for _, f := range formats {
		if f.Name == s.File.Format() || !slices.Contains(strings.Fields(f.Ends), ends) {
			continue
		}
		own := formats[slices.IndexFunc(formats, func(f table.Format) bool { return f.Name == s.File.Format() })]
		name := strings.TrimSuffix(output, filepath.Ext(output)) + strings.Fields(own.Ends)[0]
		return fault.New(fault.Usage, "give --output "+report.Shell(name)+", or convert the input to "+f.Title+" first",
			"%s would hold %s, the format of the input", output, own.Title)
	}
	return nil
}

// OpenFile opens a file of any of these formats.
func OpenFile(in table.Input, r table.Request) (table.File, error) {
	return table.Open(in, r, formats...)
}
