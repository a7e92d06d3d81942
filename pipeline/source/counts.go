package source

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"

	"github.com/tacet-privacy/tacet/pipeline/fault"
)

// WriteCounts writes counts.csv: label,count and, where null is a letter, null.
func WriteCounts(w io.Writer, d *Domain) error {
	csvw := csv.NewWriter(w)
	header := []string{"label", "count"}
	if d.Letters.Null {
		header = append(header, "null")
	}
	csvw.Write(header)
	for x := range d.Prior.Letters() {
		record := []string{"", strconv.FormatInt(d.Prior.Count(x), 10)}
		null := x == len(d.Letters.Label)
		if !null {
			record[0] = d.Letters.Label[x]
		}
		if d.Letters.Null {
			record = append(record, map[bool]string{true: "1", false: ""}[null])
		}
		csvw.Write(record)
	}
	csvw.Flush()
	return csvw.Error()
}

// countsRow is one line of counts.csv.
type countsRow struct {
	label string
	null  bool
	count int64
}

// readCounts reads counts.csv; its labels may be named in messages, since
// they stand in a file the user gave.
func readCounts(path string) ([]countsRow, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fault.New(fault.Input, "check the path given to --counts", "%s cannot be read: %v", path, PathCause(err))
	}
	defer f.Close()
	r := csv.NewReader(f)
	header, err := r.Read()
	if err != nil || len(header) < 2 || header[0] != "label" || header[1] != "count" || len(header) > 3 || len(header) == 3 && header[2] != "null" {
		return nil, fault.New(fault.Input, "tacet estimate writes such files", "%s does not start with the header label,count", path)
	}
	var rows []countsRow
	seen := map[countsRow]bool{}
	for {
		record, err := r.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, fault.New(fault.Input, "tacet estimate writes such files", "%s: %v", path, err)
		}
		line, _ := r.FieldPos(0)
		row := countsRow{label: record[0], null: len(record) == 3 && record[2] == "1"}
		if seen[row] {
			return nil, fault.New(fault.Input, "add the counts up", "%s: line %d repeats the label %q", path, line, row.label)
		}
		seen[row] = true
		if row.count, err = strconv.ParseInt(record[1], 10, 64); err != nil || row.count < 0 {
			return nil, fault.New(fault.Input, "counts are whole numbers from 0 on", "%s: line %d: the count of %q is no count", path, line, row.label)
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		return nil, fault.New(fault.Input, "tacet estimate writes such files", "%s holds no letters", path)
	}
	return rows, nil
}

// PathCause is the reason of a file error without the path it repeats.
func PathCause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return fmt.Errorf("%w", err)
}
