package pipeline_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// tokens fills every field of a struct with a word of its own.
func tokens(to any, head string) (words []string) {
	at := reflect.ValueOf(to).Elem()
	for i := range at.NumField() {
		words = append(words, head+at.Type().Field(i).Name+"token")
		at.Field(i).SetString(words[i])
	}
	return words
}

// holding names the files of a folder that hold one of the words, and the words that some
// file holds.
func holding(t *testing.T, folder string, words []string) (files []string, found map[string]bool) {
	t.Helper()
	found = map[string]bool{}
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		for _, w := range words {
			if bytes.Contains(data, []byte(w)) {
				files, found[w] = append(files, path+": "+w), true
			}
		}
		return err
	})
	must(t, err)
	return files, found
}

// TestInsideStaysInside: what is said to those who made a release stands in its internal
// report, and in no public file, view or metadata, for one private column and for two,
// with an earlier report of other people to compare with.
func TestInsideStaysInside(t *testing.T) {
	few := fewFlights(t)
	one, two := flights(t.TempDir(), few, 5), flights(t.TempDir(), few, 5)
	two.Column, two.Utility, two.Epsilon, two.Drop = "", "", "", []string{"distance"}
	two.Columns = []*request.Options{{Column: "origin", Utility: "positions:" + tables + "airports.csv", Epsilon: "4.1"},
		{Column: "destination", Utility: "positions:" + tables + "airports.csv", Epsilon: "4.1"}}
	for _, o := range []pipeline.Options{one, two} {
		o.About, o.Inside = &report.About{}, &report.Inside{}
		open, inside := tokens(o.About, "open"), tokens(o.Inside, "inside")
		parts := []string{"1", "2"}
		if o.Column != "" {
			parts = []string{""}
		}
		run(t, o)
		if _, found := holding(t, o.Report, inside); len(found) < len(inside) {
			t.Errorf("the internal files hold %d of %d words for inside", len(found), len(inside))
		}
		at := []string{o.Output, filepath.Join(o.Report, "public")}
		for _, part := range parts {
			public := filepath.Join(o.Report, part, "public")
			if _, found := holding(t, public, open); len(found) < len(open) {
				t.Errorf("the public files hold %d of %d words for all", len(found), len(open))
			}
			at = append(at, public)
		}
		for _, folder := range at {
			if files, _ := holding(t, folder, inside); len(files) > 0 {
				t.Errorf("words for inside stand in %v", files)
			}
		}
	}
}
