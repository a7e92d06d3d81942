package document

import (
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/verify/files"
)

// tree are the files of a data set at path: those of a folder, those that a pattern
// matches, or those that a list @path names. They are nil where path is one file.
func tree(path string) ([]files.Member, error) {
	st, err := os.Stat(path)
	list, listed := strings.CutPrefix(path, "@")
	switch {
	case err == nil && st.IsDir():
		return walked(path)
	case err == nil:
		return nil, nil
	case listed:
		return inList(list)
	case strings.ContainsAny(path, "*?["):
		return matching(path)
	}
	return nil, err
}

// matching are the files that a pattern matches, told from the folder in which its first
// wild name is.
func matching(pattern string) ([]files.Member, error) {
	names, err := filepath.Glob(pattern)
	if err != nil {
		return nil, Errorf("write the pattern as a shell does", "%s is no pattern", pattern)
	}
	from := "."
	if slash := strings.LastIndex(pattern[:strings.IndexAny(pattern, "*?[")], "/"); slash >= 0 {
		from = pattern[:slash+1]
	}
	return named(pattern, from, names)
}

// inList are the files that a list names, a line each, told from the folder of the list.
func inList(list string) ([]files.Member, error) {
	data, err := os.ReadFile(list)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, line := range strings.Split(string(data), "\n") {
		line = strings.TrimRight(line, "\r")
		if line == "" {
			continue
		}
		if !filepath.IsAbs(line) {
			line = filepath.Join(filepath.Dir(list), line)
		}
		names = append(names, line)
	}
	return named("@"+list, filepath.Dir(list), names)
}

// named are files that were named one by one, each once.
func named(by, from string, names []string) ([]files.Member, error) {
	from, err := filepath.Abs(from)
	if err != nil {
		return nil, err
	}
	all := map[string]files.Member{}
	for _, name := range names {
		whole, err := filepath.Abs(name)
		if err != nil {
			return nil, err
		}
		rel, err := filepath.Rel(from, whole)
		if err != nil || !filepath.IsLocal(rel) {
			return nil, Errorf("name files in or below the folder of the list", "%s names a file elsewhere", by)
		}
		rel = filepath.ToSlash(rel)
		st, err := os.Stat(whole)
		switch {
		case err != nil:
			return nil, err
		case slices.ContainsFunc(strings.Split(rel, "/"), leftOut), st.IsDir(), st.Mode().IsRegular() && st.Size() == 0:
			continue
		}
		all[rel] = files.Member{Rel: rel, In: files.Path(whole), Size: st.Size()}
	}
	if len(all) == 0 {
		return nil, Errorf("name the files of the data set", "%s names no file that holds anything", by)
	}
	sorted := slices.Collect(maps.Values(all))
	slices.SortFunc(sorted, byPath)
	return sorted, nil
}

func byPath(a, b files.Member) int { return strings.Compare(a.Rel, b.Rel) }

// leftOut are names that are no data to those who read data sets.
func leftOut(name string) bool { return strings.HasPrefix(name, "_") || strings.HasPrefix(name, ".") }

// walked are the files of a folder and those below it.
func walked(path string) ([]files.Member, error) {
	var all []files.Member
	err := filepath.WalkDir(path, func(name string, e fs.DirEntry, err error) error {
		left := leftOut(e.Name())
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
	slices.SortFunc(all, byPath)
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
