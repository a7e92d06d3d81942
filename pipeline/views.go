package pipeline

import (
	"maps"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/io/store"
	"github.com/tacet-privacy/tacet/pipeline/page"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// A viewFile is a view on its way.
type viewFile struct {
	*publish.File
	format string
}

// The profiles of a report, as places in views.file.
const (
	internal = iota
	public
)

// views are the files that say in other words what report.json says, by
// profile.
type views [2][]viewFile

// newViews opens the temporary files of all views of the report in a folder.
func newViews(at *place, report string) (*views, error) {
	folder := store.In(report, publicFolder)
	if err := at.set.Folder(folder); err != nil {
		return nil, err
	}
	v := &views{}
	for _, f := range []struct {
		path    string
		profile int
		format  string
	}{
		{store.In(report, textFile), internal, "text"},
		{store.In(report, "report.html"), internal, "html"},
		{store.In(folder, textFile), public, "text"},
		{store.In(folder, "report.html"), public, "html"},
		{store.In(folder, jsonFile), public, "json"},
	} {
		file, err := at.add(f.path, f.profile == internal)
		if err != nil {
			return nil, err
		}
		v[f.profile] = append(v[f.profile], viewFile{file, f.format})
	}
	return v, nil
}

// documents are the views of a report.
func (v *views) documents(rep *report.Report) ([]publish.Document, error) {
	var out [2][]publish.Document
	var work errgroup.Group
	for profile, tell := range []page.Telling{internal: {Internal: rep}, public: {Public: rep.Publish()}} {
		work.Go(func() error {
			var formats []string
			for _, f := range v[profile] {
				formats = append(formats, f.format)
			}
			texts, err := tell.Views(formats...)
			if err != nil {
				return err
			}
			for i, f := range v[profile] {
				out[profile] = append(out[profile], publish.Document{To: f.File, Data: texts[i]})
			}
			return nil
		})
	}
	err := work.Wait()
	return slices.Concat(out[:]...), err
}

// A joining is page one of all private columns of a release, by its files; nil of one column.
type joining map[string]*publish.File

// newJoining opens them.
func newJoining(at *place, columns int) (joining, error) {
	if columns == 1 {
		return nil, nil
	}
	if err := at.set.Folder(store.In(at.o.Report, publicFolder)); err != nil {
		return nil, err
	}
	j := joining{}
	for _, name := range page.PageNames {
		f, err := at.add(store.In(at.o.Report, name), !strings.HasPrefix(name, publicFolder))
		if err != nil {
			return nil, err
		}
		j[name] = f
	}
	return j, nil
}

// documents say what the reports say.
func (j joining) documents(reports []*report.Report) (out []publish.Document, err error) {
	if j == nil {
		return nil, nil
	}
	texts, err := page.Pages(reports)
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(j)) {
		out = append(out, publish.Document{To: j[name], Data: texts[name]})
	}
	return out, nil
}
