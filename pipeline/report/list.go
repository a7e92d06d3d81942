package report

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

// ListFile lists the files of a data set, in the folder of the report.
const ListFile = "files.csv"

// A List is the files of a data set in the order of their paths, bytewise.
type List []Listed

// Listed is one file of the input and its output.
type Listed struct {
	Path      string // from the folder of the data set, with slashes
	Rows      int64
	Bytes     int64
	SHA256    string // "" where none was computed
	OutBytes  int64
	OutSHA256 string
}

// ListHeader is the first line of a list.
var ListHeader = []string{"path", "rows", "bytes", "sha256", "output_bytes", "output_sha256"}

// ReadList reads a list, nil where there is none.
func ReadList(path string) (l List, err error) {
	in, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer in.Close()
	c := csv.NewReader(in)
	c.FieldsPerRecord = len(ListHeader)
	all, err := c.ReadAll()
	if err != nil || len(all) == 0 || !slices.Equal(all[0], ListHeader) {
		return nil, errors.New("it is no list of files")
	}
	for _, row := range all[1:] {
		f := Listed{Path: row[0], SHA256: row[3], OutSHA256: row[5]}
		for i, to := range map[int]*int64{1: &f.Rows, 2: &f.Bytes, 4: &f.OutBytes} {
			if *to, err = strconv.ParseInt(row[i], 10, 64); err != nil {
				return nil, errors.New("it is no list of files")
			}
		}
		l = append(l, f)
	}
	return l, nil
}

// ReadLists are the files of the inputs of releases, by their report folders or patterns of these; own is the folder of
// none of them.
func ReadLists(folders []string, own string) (all List, err error) {
	for _, name := range folders {
		found, err := filepath.Glob(name)
		if err != nil || len(found) == 0 {
			return nil, fmt.Errorf("%s is no folder of a report, and no pattern of such", name)
		}
		for _, folder := range found {
			if mine, err := filepath.Rel(own, folder); err == nil && mine == "." {
				continue
			}
			l, err := ReadList(filepath.Join(folder, ListFile))
			if _, whole := os.Stat(filepath.Join(folder, StatementFile)); err == nil && (whole != nil || l == nil) {
				err = errors.New("it holds no release of many files that has ended")
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", folder, err)
			}
			all = append(all, l...)
		}
	}
	return all, nil
}

// Encode is the list as CSV.
func (l List) Encode() ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.Write(ListHeader)
	for _, f := range l {
		w.Write([]string{f.Path, strconv.FormatInt(f.Rows, 10), strconv.FormatInt(f.Bytes, 10), f.SHA256,
			strconv.FormatInt(f.OutBytes, 10), f.OutSHA256})
	}
	w.Flush()
	return b.Bytes(), w.Error()
}
