package verify

import (
	"context"
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/files"
)

// ListFile lists the files of a data set, beside the statement of its release.
const ListFile = "files.csv"

// listHeader is the first line of a list.
var listHeader = []string{"path", "rows", "bytes", "sha256", "output_bytes", "output_sha256"}

// CheckList holds the files of a data set to the list that the release states: none
// may be missing, be more, or be another, and each output has the path of its input.
func CheckList(ctx context.Context, v *document.View, q document.Request, f *document.Files) error {
	const name = "list of files"
	if f.Out.Members == nil && !v.Report.Has("output.files") {
		return nil
	}
	statement, _ := stating(q.Report, false)
	var w document.Faults
	w.Match(v.Report.Int("input.files") == v.Report.Int("output.files"), "the number of files")
	if f.In != nil {
		w.Match(slices.EqualFunc(f.In.Members, f.Out.Members, func(a, b files.Member) bool { return a.Rel == b.Rel }),
			"the paths of the outputs, which are not those of the inputs,")
	}
	list, err := readList(filepath.Join(filepath.Dir(statement), ListFile))
	if err != nil {
		return err
	}
	if list == nil {
		w.Addf("%s is no list of files", ListFile)
	}
	for _, k := range []struct {
		of    *document.Opened
		bytes int // column of the list, the hash next to it
	}{{f.In, 2}, {f.Out, 4}} {
		if k.of == nil || list == nil {
			continue
		}
		var sums []string
		if v.Report.Text("output.sha256") != "" {
			if sums, err = k.of.Sums(ctx); err != nil {
				return err
			}
		}
		holdsList(&w, list, k.of, sums, k.bytes)
	}
	v.Settle(name, w, "%d files, each with the path, rows, size and hash that %s states", len(f.Out.Members), ListFile)
	return nil
}

// readList is nil for what is no list.
func readList(path string) ([][]string, error) {
	in, err := os.Open(path)
	if err != nil {
		return nil, document.Unreadable(path, "--report", err)
	}
	defer in.Close()
	r := csv.NewReader(in)
	r.FieldsPerRecord = len(listHeader)
	all, err := r.ReadAll()
	if err != nil || len(all) == 0 || !slices.Equal(all[0], listHeader) {
		return nil, nil
	}
	return all[1:], nil
}

// holdsList compares the files that are there with a list, whose sizes stand in a
// column and hashes in the next; sums is nil where none were computed.
func holdsList(w *document.Faults, list [][]string, of *document.Opened, sums []string, bytes int) {
	rows := files.RowsOf(of.File)
	if len(list) != len(of.Members) {
		w.Addf("%s lists %d files, and %s holds %d", ListFile, len(list), of.Path, len(of.Members))
		return
	}
	for i, m := range of.Members {
		sum := ""
		if sums != nil {
			sum = sums[i]
		}
		want := []string{m.Rel, strconv.FormatInt(rows[i], 10), strconv.FormatInt(m.Size, 10), sum}
		if !slices.Equal(want, []string{list[i][0], list[i][1], list[i][bytes], list[i][bytes+1]}) {
			w.Addf("%q of %s is not the file that %s lists", m.Rel, of.Path, ListFile)
		}
	}
}
