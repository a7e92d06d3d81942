package document

import (
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/verify/files"
)

// tree are the files of a data set at path, nil where path is one file.
func tree(path string) ([]files.Member, error) {
	st, err := os.Stat(path)
	if err != nil || !st.IsDir() {
		return nil, err
	}
	var all []files.Member
	err = filepath.WalkDir(path, func(name string, e fs.DirEntry, err error) error {
		left := strings.HasPrefix(e.Name(), "_") || strings.HasPrefix(e.Name(), ".")
		switch {
		case err != nil:
			return err
		case name == path:
			return nil
		case left && e.IsDir():
			return fs.SkipDir
		case left || e.IsDir():
			return nil
		}
		rel, err := filepath.Rel(path, name)
		if err != nil {
			return err
		}
		st, err := os.Stat(name)
		if err == nil && st.Mode().IsRegular() && st.Size() > 0 {
			all = append(all, files.Member{Rel: filepath.ToSlash(rel), In: files.Path(name), Size: st.Size()})
		}
		return err
	})
	slices.SortFunc(all, func(a, b files.Member) int { return strings.Compare(a.Rel, b.Rel) })
	if err == nil && len(all) == 0 {
		err = Errorf("name the folder of the data set", "%s holds no files", path)
	}
	return all, err
}

// Keys are the columns that paths tell: dt of dt=2026-11-21/part-0.parquet. One that the
// input has, too, has = behind its name.
func (o *Opened) Keys(columns []string) (names []string) {
	for _, m := range o.Members {
		folders := strings.Split(m.Rel, "/")
		for _, folder := range folders[:len(folders)-1] {
			name, _, found := strings.Cut(folder, "=")
			if text, err := url.PathUnescape(name); err == nil {
				name = text
			}
			if !found || name == "" {
				continue
			}
			if slices.Contains(columns, name) {
				name += "="
			}
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}
