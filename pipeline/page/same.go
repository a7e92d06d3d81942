package page

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tacet-privacy/tacet/pipeline/report"
)

// Views are what stands beside a report.json and was rendered from it.
type Views struct {
	Version string   // of Tacet, that wrote the report
	Same    int      // views that are, byte for byte, what this version renders
	Differ  []string // names of the others
}

// Compare renders the views of the report at path again, and holds the files
// beside it to them. It is not independent of what wrote them, and renders
// nothing that another version than this one wrote. claim says the sentences of
// a report once more. A report of all columns of a run, which has no views of its
// own, has those of its parts.
func Compare(path, version string, claim func(*report.Report)) (v Views, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return v, err
	}
	var parts []string
	if v.Version, parts = report.HeadOf(data); v.Version != version {
		return v, nil
	}
	if parts == nil {
		return v, v.beside(path, claim)
	}
	var public []*report.Public
	for i, part := range parts {
		if part != fmt.Sprint(i+1) {
			return v, errors.New("a folder of no column")
		}
		own := filepath.Join(filepath.Dir(path), part, "report.json")
		one, err := Compare(own, version, claim)
		if err != nil || one.Version != version {
			return one, err
		}
		t, err := readTelling(own, "--report", "public")
		if err != nil {
			return v, err
		}
		public = append(public, t.Public)
		v.Same += one.Same
		for _, name := range one.Differ {
			v.Differ = append(v.Differ, part+"/"+name)
		}
	}
	return v, v.guides(filepath.Dir(path), "public", public)
}

// beside compares the views of a report of one column.
func (v *Views) beside(path string, claim func(*report.Report)) error {
	t, err := readTelling(path, "--report", "")
	if err != nil {
		return err
	}
	folder := filepath.Dir(path)
	names := map[string]string{"text": "report.txt", "html": "report.html"}
	if t.Internal == nil {
		if err := v.hold(t, folder, "", names); err != nil {
			return err
		}
		return v.guides(folder, "", []*report.Public{t.Public})
	}
	if err := v.hold(t, folder, "", names); err != nil {
		return err
	}
	again := *t.Internal
	claim(&again)
	is, err := json.Marshal(t.Internal.Claims)
	if err != nil {
		return err
	}
	if want, err := json.Marshal(again.Claims); err != nil || !bytes.Equal(is, want) {
		v.Differ = append(v.Differ, "the sentences of report.json")
	}
	names["json"] = "report.json"
	open := Telling{Public: t.Internal.Publish()}
	if err := v.hold(open, folder, "public", names); err != nil {
		return err
	}
	return v.guides(folder, "public", []*report.Public{open.Public})
}

// hold compares the views of one profile with the files of a folder.
func (v *Views) hold(t Telling, folder, in string, names map[string]string) error {
	for _, format := range []string{"text", "html", "json"} {
		name, ok := names[format]
		if !ok {
			continue
		}
		want, err := t.Show(format)
		if err != nil {
			return err
		}
		v.compare(folder, in, name, want)
	}
	return nil
}

// guides compares the files for who uses the output, where they lie beside.
func (v *Views) guides(folder, in string, all []*report.Public) error {
	texts, err := Guides(all)
	for _, name := range GuideNames {
		v.compare(folder, in, name, texts[name])
	}
	return err
}

// compare holds one file to what it should be.
func (v *Views) compare(folder, in, name string, want []byte) {
	got, err := os.ReadFile(filepath.Join(folder, in, name))
	switch name = filepath.ToSlash(filepath.Join(in, name)); {
	case errors.Is(err, fs.ErrNotExist): // the statement names it
	case err != nil || !bytes.Equal(got, want):
		v.Differ = append(v.Differ, name)
	default:
		v.Same++
	}
}
