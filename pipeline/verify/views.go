package verify

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/page"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/verify/kernel"
)

// viewNames are the views of a report, by format; JSON is one of a public report alone.
var viewNames = map[string]string{"text": "report.txt", "html": "report.html", "json": "report.json"}

// A viewing compares the files of a folder with those that are told again. Files that are
// not there are named by the statement.
type viewing struct {
	folder  string
	version string // "" of this program, or the other that wrote them
	same    int
	differ  []string
}

// viewingOf is of the files of a folder that a version wrote.
func (q Request) viewingOf(version string) *viewing {
	v := &viewing{folder: filepath.Dir(q.Report)}
	if version != q.Version {
		v.version = version
	}
	return v
}

// hold compares files by their names below a folder.
func (v *viewing) hold(in string, texts map[string][]byte, err error) {
	if err != nil {
		v.differ = append(v.differ, in+"*")
	}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		got, missing := os.ReadFile(filepath.Join(v.folder, filepath.FromSlash(in+name)))
		switch {
		case errors.Is(missing, fs.ErrNotExist):
		case missing != nil || !bytes.Equal(got, texts[name]):
			v.differ = append(v.differ, in+name)
		default:
			v.same++
		}
	}
}

// views compares those of a report.
func (v *viewing) views(in string, t page.Telling, formats ...string) {
	all, err := t.Views(formats...)
	texts := map[string][]byte{}
	for i, format := range formats {
		texts[viewNames[format]] = all[i]
	}
	v.hold(in, texts, err)
}

// settle adds the check.
func (v *viewing) settle(to *kernel.Result) {
	const name = "views"
	if len(v.differ) > 0 && v.version != "" {
		to.Skip(name, fmt.Sprintf("written by version %.40q, which may tell a report in other words: %s", v.version,
			firstOf(v.differ)))
		return
	}
	if len(v.differ) > 0 {
		to.Add(name, false, "not what is told again: %s", firstOf(v.differ))
		return
	}
	to.Add(name, true, "%d files are, byte for byte, what is told again", v.same)
}

// checkViews compares the views of the report and all public files but those of all columns.
func (c *column) checkViews() {
	v, public := c.q.viewingOf(c.stated.Version), c.told.Publish()
	v.views("", page.Telling{Internal: c.told}, "html", "text")
	v.views(publicFolder+"/", page.Telling{Public: public}, "html", "text", "json")
	if data, err := os.ReadFile(filepath.Join(v.folder, publicFolder, plan.OpenFile)); err == nil {
		want, err := c.opened(data)
		v.hold(publicFolder+"/", map[string][]byte{plan.OpenFile: want}, err)
	}
	v.settle(&c.Result)
}

// opened is the mechanism as everybody may see it, told again.
func (c *column) opened(data []byte) ([]byte, error) {
	is, err := plan.DecodeOpen(data)
	if err != nil {
		return nil, err
	}
	r := c.told
	asked := pipeline.Opening{Part: r.Prior.Part != nil}
	if r.Draws.Unit == "person" {
		asked.Person = is.Person
	}
	if person := r.Setting("person"); person != "" {
		asked.Person = person
	}
	if s := r.History.Series; s != nil {
		asked.Held = is.Held
	}
	return asked.Of(c.plan).Encode()
}
