package count

import (
	"encoding/csv"
	"io"
	"os"
	"strconv"

	"github.com/tacet-privacy/tacet/pipeline/fault"
)

// Row is one line of counts.csv.
type Row struct {
	Label string
	Null  bool
	Count int64
}

// ReadCounts reads counts.csv; its labels may be named in messages, since
// they stand in a file the user gave.
func ReadCounts(path string) ([]Row, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fault.Unreadable("--counts", path, err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	header, err := r.Read()
	if err != nil || len(header) < 2 || header[0] != "label" || header[1] != "count" || len(header) > 3 ||
		len(header) == 3 && header[2] != "null" {
		return nil, fault.New(fault.Input, "make the file with tacet estimate",
			"%s does not start with the header label,count", path)
	}
	var rows []Row
	seen := map[Row]bool{}
	for {
		record, err := r.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, fault.New(fault.Input, "make the file with tacet estimate", "%s: %v", path, err)
		}
		line, _ := r.FieldPos(0)
		row := Row{Label: record[0], Null: len(record) == 3 && record[2] == "1"}
		if seen[row] {
			return nil, fault.New(fault.Input, "add up the counts of the repeated lines",
				"%s: line %d repeats the label %q", path, line, row.Label)
		}
		seen[row] = true
		if row.Count, err = strconv.ParseInt(record[1], 10, 64); err != nil || row.Count < 0 {
			return nil, fault.New(fault.Input, "give a whole number, 0 or more",
				"%s: line %d: the count of %q is not a whole number",
				path, line, row.Label)
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		return nil, fault.New(fault.Input, "make the file with tacet estimate", "%s lists no values", path)
	}
	return rows, nil
}
