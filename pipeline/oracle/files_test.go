package oracle_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// input writes the records as one file, or as a data set: two or three files in folders
// that keep their order, one of them perhaps without rows, and a file of no bytes.
func (j *job) input(dir string) string {
	format := j.s.of("format")
	if j.s.of("files") == "one" {
		return j.w.write(j.t, dir, format)
	}
	whole := j.w.rows
	defer func() { j.w.rows = whole }()
	folder := filepath.Join(dir, "set")
	if err := os.RemoveAll(folder); err != nil {
		j.t.Fatal(err)
	}
	left := whole
	files := 2 + j.r.IntN(2)
	for i := range files {
		n := len(left)
		if i < files-1 {
			n = j.r.IntN(n + 1)
		}
		j.w.rows, left = left[:n], left[n:]
		j.w.write(j.t, j.folder(folder, fmt.Sprint("dt=", i)), format)
	}
	if err := os.WriteFile(filepath.Join(j.folder(folder, "dt=9"), "in"), nil, 0o666); err != nil {
		j.t.Fatal(err)
	}
	return folder
}

func (j *job) folder(names ...string) string {
	path := filepath.Join(names...)
	if err := os.MkdirAll(path, 0o777); err != nil {
		j.t.Fatal(err)
	}
	return path
}

// publishedSet reads the files of a data set by their paths.
func publishedSet(t *testing.T, folder string) (rows []record) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			rows = append(rows, published(t, path)...)
		}
		return err
	})
	must(t, err)
	return rows
}
