package pipeline

import (
	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/io/store"
	"github.com/tacet-privacy/tacet/pipeline/page"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// publicFolder has the files that may be published.
const publicFolder = "public"

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

// addViews opens the temporary files of all views of the report in a folder.
func (r *release) addViews(report string) (*views, error) {
	folder := store.In(report, publicFolder)
	if err := r.set.Folder(folder); err != nil {
		return nil, err
	}
	v := &views{}
	for _, f := range []struct {
		path    string
		profile int
		format  string
	}{
		{store.In(report, textFile), internal, "text"},
		{store.In(report, "report.md"), internal, "md"},
		{store.In(report, "report.html"), internal, "html"},
		{store.In(folder, textFile), public, "text"},
		{store.In(folder, "report.md"), public, "md"},
		{store.In(folder, "report.html"), public, "html"},
		{store.In(folder, jsonFile), public, "json"},
	} {
		file, err := r.add(f.path, f.profile == internal)
		if err != nil {
			return nil, err
		}
		v[f.profile] = append(v[f.profile], viewFile{file, f.format})
	}
	return v, nil
}

func (r *release) add(path string, private bool) (*publish.File, error) {
	return r.target(publish.Target{Path: path, Private: private})
}

// addDecider opens a file without which its folder holds no release.
func (r *release) addDecider(path string, private bool) (*publish.File, error) {
	return r.target(publish.Target{Path: path, Private: private, Decides: true})
}

// overwrites reports whether files of an earlier release may be replaced.
func (r *release) overwrites() bool { return r.o.Overwrite || r.completes }

func (r *release) target(t publish.Target) (*publish.File, error) {
	t.Overwrite = r.overwrites()
	f, err := r.set.Add(t)
	if err != nil {
		return nil, r.overwriteHint(err)
	}
	return f, nil
}

// guideTargets opens the files for who uses the output: one of each for all columns.
func (r *release) guideTargets() error {
	public := store.In(r.o.Report, publicFolder)
	if err := r.set.Folder(public); err != nil {
		return err
	}
	for _, name := range page.GuideNames {
		f, err := r.add(store.In(public, name), false)
		if err != nil {
			return err
		}
		r.guides = append(r.guides, f)
	}
	return nil
}

// guideDocuments say what the public reports say, for who uses the output.
func (r *release) guideDocuments(reports []*report.Report) (out []publish.Document, err error) {
	var all []*report.Public
	for _, rep := range reports {
		all = append(all, rep.Publish())
	}
	texts, err := page.Guides(all)
	if err != nil {
		return nil, err
	}
	for i, name := range page.GuideNames {
		out = append(out, publish.Document{To: r.guides[i], Data: texts[name]})
	}
	return out, nil
}

// documents are the views of a report.
func (v *views) documents(rep *report.Report) ([]publish.Document, error) {
	var out []publish.Document
	for profile, tell := range []page.Telling{internal: {Internal: rep}, public: {Public: rep.Publish()}} {
		files := v[profile]
		var formats []string
		for _, f := range files {
			formats = append(formats, f.format)
		}
		texts, err := tell.Views(formats...)
		if err != nil {
			return nil, err
		}
		for i, f := range files {
			out = append(out, publish.Document{To: f.File, Data: texts[i]})
		}
	}
	return out, nil
}
