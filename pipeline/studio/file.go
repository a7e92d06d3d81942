package studio

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/inspect"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// The steps, by the names of their pages.
const (
	fileStep    = "file"
	columnStep  = "column"
	chooseStep  = "choose"
	releaseStep = "release"
)

// tables are the endings of files that can be private.
var tables = []string{".csv", ".tsv", ".txt", ".parquet", ".arrow", ".feather", ".ipc"}

// open looks at a file. What was chosen for another is forgotten.
func (s *studio) open(path, delimiter, header string) {
	j := job{Input: path, Delimiter: delimiter, Header: header}
	s.job, s.Looked, s.stamp = j, nil, nil
	s.forget()
	s.start(fileStep, "Looking at the file", func(ctx context.Context, _ *task) (func(), error) {
		place, st, err := s.folders.file(j.Input)
		if err != nil {
			return nil, err
		}
		f, err := inspect.Look(ctx, inspect.Request{Path: s.folders.short(place), Delimiter: delimiter, Header: header})
		if err != nil {
			return nil, err
		}
		return func() {
			s.Looked, s.stamp = f, st
			s.job.Input = s.folders.short(place)
			stem := strings.TrimSuffix(filepath.Base(place), filepath.Ext(place))
			s.job.Folder = s.folders.short(filepath.Join(filepath.Dir(place), stem+".release"))
			s.job.Name = "published." + f.Format
		}, nil
	})
}

// forget takes back what follows the choice of a column.
func (s *studio) forget() {
	s.job.forget()
	s.job.Column, s.job.Null, s.job.Bins, s.job.Utility, s.job.Drop = "", "", "", "", nil
	s.Values, s.Built, s.Chosen = nil, nil, arrangement{}
	s.Search, s.Judged, s.Done = nil, nil, nil
	for _, step := range []string{columnStep, chooseStep, releaseStep} {
		delete(s.failed, step)
	}
}

// openFile is a file that the page names.
func (s *studio) openFile(r *http.Request) (string, error) {
	s.open(r.PostFormValue("path"), r.PostFormValue("delimiter"), r.PostFormValue("header"))
	return fileStep, nil
}

// percent is a share with the digits that count.
func percent(share float64) string {
	if share >= .001 {
		return fmt.Sprintf("%.1f %%", 100*share)
	}
	return report.RoundUp(100*share, 5) + " %"
}
