package pipeline

import (
	"maps"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/io/store"
	"github.com/tacet-privacy/tacet/pipeline/page"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// Names in the report folder.
const (
	textFile     = "report.txt"
	htmlFile     = "report.html"
	jsonFile     = "report.json"
	publicFolder = "public" // has the files that may be published
	public       = publicFolder + "/"
)

// columnFiles are the files of the report of one private column, in the order in which they
// are put in place.
var columnFiles = []string{plan.File, plan.OrderFile, textFile, htmlFile, public + textFile, public + htmlFile,
	public + jsonFile, public + plan.OpenFile, jsonFile}

// releaseFiles are those of a release of several private columns that are one for all of
// them: what they tell together, and page one of all.
func releaseFiles(columns int) []string {
	if columns == 1 {
		return nil
	}
	return append([]string{jointFile}, page.PageNames...)
}

// Files are the names of the files of a release of so many private columns, but for its statements
// and for such as only some have: the weights beside a plan, and the list of the files of a set.
func Files(columns int) []string {
	if columns == 1 {
		return append([]string{report.CommitmentFile}, columnFiles...)
	}
	names := append([]string{report.CommitmentFile}, releaseFiles(columns)...)
	for i := range columns {
		for _, name := range columnFiles {
			names = append(names, request.PartFolder(i)+"/"+name)
		}
	}
	return names
}

// open opens temporary files of these names in a folder of reports.
func (p *place) open(folder string, names ...string) error {
	if err := p.set.Folder(store.In(folder, publicFolder)); err != nil {
		return err
	}
	for _, name := range names {
		if err := p.add(publish.Target{Path: store.In(folder, name), Private: !strings.HasPrefix(name, public)}); err != nil {
			return err
		}
	}
	return nil
}

// documents are the contents of files that were opened in a folder, by name.
func (p *place) documents(folder string, texts map[string][]byte) (out []publish.Document) {
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		out = append(out, publish.Document{To: p.file[store.In(folder, name)], Data: texts[name]})
	}
	return out
}

// Views say in other words what report.json says, by the name of the file.
func Views(rep *report.Report) (map[string][]byte, error) {
	var inside, outside [][]byte
	var work errgroup.Group
	work.Go(func() (err error) {
		inside, err = page.Telling{Internal: rep}.Views("text", "html")
		return err
	})
	work.Go(func() (err error) {
		outside, err = page.Telling{Public: rep.Publish()}.Views("text", "html", "json")
		return err
	})
	if err := work.Wait(); err != nil {
		return nil, err
	}
	return map[string][]byte{textFile: inside[0], htmlFile: inside[1],
		public + textFile: outside[0], public + htmlFile: outside[1], public + jsonFile: outside[2]}, nil
}

// pages are page one of all private columns, where there are several.
func pages(reports []*report.Report) (map[string][]byte, error) {
	if len(reports) == 1 {
		return nil, nil
	}
	return page.Pages(reports)
}
