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

// Guides are the files of a release that are one for all columns: those for who uses the
// output, and with several private columns page one of all.
type guides map[string]*publish.File

// newGuides opens them.
func newGuides(at *place, columns int) (guides, error) {
	if err := at.set.Folder(store.In(at.o.Report, publicFolder)); err != nil {
		return nil, err
	}
	var names []string
	for _, name := range page.GuideNames {
		names = append(names, publicFolder+"/"+name)
	}
	if columns > 1 {
		names = append(names, page.PageNames...)
	}
	g := guides{}
	for _, name := range names {
		f, err := at.add(store.In(at.o.Report, name), !strings.HasPrefix(name, publicFolder))
		if err != nil {
			return nil, err
		}
		g[name] = f
	}
	return g, nil
}

// documents say what the reports say.
func (g guides) documents(reports []*report.Report) (out []publish.Document, err error) {
	var all []*report.Public
	for _, rep := range reports {
		all = append(all, rep.Publish())
	}
	texts := map[string][]byte{}
	if len(reports) > 1 {
		if texts, err = page.Pages(reports); err != nil {
			return nil, err
		}
	}
	books, err := page.Guides(all)
	if err != nil {
		return nil, err
	}
	for name, data := range books {
		texts[publicFolder+"/"+name] = data
	}
	for _, name := range slices.Sorted(maps.Keys(g)) {
		out = append(out, publish.Document{To: g[name], Data: texts[name]})
	}
	return out, nil
}
