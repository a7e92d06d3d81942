package verify

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/verify/kernel"
	"github.com/tacet-privacy/tacet/pipeline/verify/kernel/files"
)

// checkList holds the files of a data set to the list that the release states: none
// may be missing, be more, or be another, and each output has the path of its input.
func (c *column) checkList(ctx context.Context) error {
	if !c.out.set.Tree && c.stated.Output.Files == 0 {
		return nil
	}
	list, err := c.q.list()
	if err != nil {
		return err
	}
	var w kernel.Faults
	w.Match(c.stated.Input.Files == c.stated.Output.Files, "the number of files")
	if c.in != nil {
		w.Match(slices.EqualFunc(c.in.members, c.out.members, func(a, b files.Member) bool { return a.Rel == b.Rel }),
			"the paths of the outputs, which are not those of the inputs,")
	}
	if list == nil {
		w.Addf("%s is no list of files", report.ListFile)
	}
	for _, of := range []*opened{c.in, c.out} {
		if of == nil || list == nil {
			continue
		}
		if c.stated.Output.SHA256 != "" {
			if _, err := of.sum(ctx); err != nil {
				return err
			}
		}
		of.listed(&w, list, of == c.out)
	}
	c.Settle("list of files", w, "%d files, each with the path, rows, size and hash that %s states", len(c.out.members),
		report.ListFile)
	return nil
}

// list is that of the files of the release; nil where what stands there is none.
func (q Request) list() (report.List, error) {
	statement, _ := stating(q.Report, false)
	path := filepath.Join(filepath.Dir(statement), report.ListFile)
	if _, err := os.Stat(path); err != nil {
		return nil, unreadable(path, "--report", err)
	}
	list, _ := report.ReadList(path)
	return list, nil
}

// listed compares files that are there, inputs or outputs, with a list.
func (o *opened) listed(w *kernel.Faults, list report.List, output bool) {
	if len(list) != len(o.members) {
		w.Addf("%s lists %d files, and %s holds %d", report.ListFile, len(list), o.path, len(o.members))
		return
	}
	rows := files.RowsOf(o.File.File)
	for i, m := range o.members {
		is, sum := list[i], ""
		if o.sums != nil {
			sum = o.sums[i]
		}
		if is.Path, is.Rows = m.Rel, rows[i]; output {
			is.OutBytes, is.OutSHA256 = m.Size, sum
		} else {
			is.Bytes, is.SHA256 = m.Size, sum
		}
		if is != list[i] {
			w.Addf("%q of %s is not the file that %s lists", m.Rel, o.path, report.ListFile)
		}
	}
}
