package verify

import (
	"context"
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/verify/kernel"
	"github.com/tacet-privacy/tacet/pipeline/verify/kernel/files"
)

// checkList holds the files of a data set to the list that the release states: none
// may be missing, be more, or be another, and each output has the path of its input.
func (c *column) checkList(ctx context.Context) error {
	if c.out.members == nil && c.stated.Output.Files == 0 {
		return nil
	}
	statement, _ := stating(c.q.Report, false)
	var w kernel.Faults
	w.Match(c.stated.Input.Files == c.stated.Output.Files, "the number of files")
	if c.in != nil {
		w.Match(slices.EqualFunc(c.in.members, c.out.members, func(a, b files.Member) bool { return a.Rel == b.Rel }),
			"the paths of the outputs, which are not those of the inputs,")
	}
	list, err := readList(filepath.Join(filepath.Dir(statement), report.ListFile))
	if err != nil {
		return err
	}
	if list == nil {
		w.Addf("%s is no list of files", report.ListFile)
	}
	for _, k := range []struct {
		of    *opened
		bytes int // column of the list, the hash next to it
	}{{c.in, 2}, {c.out, 4}} {
		if k.of == nil || list == nil {
			continue
		}
		var sums []string
		if c.stated.Output.SHA256 != "" {
			if err := k.of.hash(ctx); err != nil {
				return err
			}
			sums = k.of.sums
		}
		holdsList(&w, list, k.of, sums, k.bytes)
	}
	c.Settle("list of files", w, "%d files, each with the path, rows, size and hash that %s states", len(c.out.members),
		report.ListFile)
	return nil
}

// readList is nil for what is no list.
func readList(path string) ([][]string, error) {
	in, err := os.Open(path)
	if err != nil {
		return nil, unreadable(path, "--report", err)
	}
	defer in.Close()
	r := csv.NewReader(in)
	r.FieldsPerRecord = len(report.ListHeader)
	all, err := r.ReadAll()
	if err != nil || len(all) == 0 || !slices.Equal(all[0], report.ListHeader) {
		return nil, nil
	}
	return all[1:], nil
}

// holdsList compares the files that are there with a list, whose sizes stand in a
// column and hashes in the next; sums is nil where none were computed.
func holdsList(w *kernel.Faults, list [][]string, of *opened, sums []string, bytes int) {
	rows := files.RowsOf(of.File.File)
	if len(list) != len(of.members) {
		w.Addf("%s lists %d files, and %s holds %d", report.ListFile, len(list), of.path, len(of.members))
		return
	}
	for i, m := range of.members {
		sum := ""
		if sums != nil {
			sum = sums[i]
		}
		want := []string{m.Rel, strconv.FormatInt(rows[i], 10), strconv.FormatInt(m.Size, 10), sum}
		if !slices.Equal(want, []string{list[i][0], list[i][1], list[i][bytes], list[i][bytes+1]}) {
			w.Addf("%q of %s is not the file that %s lists", m.Rel, of.path, report.ListFile)
		}
	}
}
