package studio

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// Folders are those that were named at the start. What the pages name is looked at anew
// each time, after links have been followed, and must lie below one of them.
type folders struct {
	roots []string // without links
	here  string   // the working folder, without links
}

func openFolders(names []string) (*folders, error) {
	f := &folders{}
	for _, name := range append(slices.Clone(names), ".") {
		path, err := filepath.Abs(name)
		if err == nil {
			path, err = filepath.EvalSymlinks(path)
		}
		if st, bad := os.Stat(path); err != nil || bad != nil || !st.IsDir() {
			return nil, fault.New(fault.Usage, "name a folder that is there", "--folder %s is no folder", report.Shell(name))
		}
		f.roots, f.here = append(f.roots, path), path
	}
	f.roots = f.roots[:len(names)]
	return f, nil
}

// place is where a path leads, which is from the working folder unless it says otherwise.
// What is not there yet has no links.
func (f *folders) place(path string) (string, error) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(f.here, path)
	}
	path = filepath.Clean(path)
	for above := path; ; above = filepath.Dir(above) {
		real, err := filepath.EvalSymlinks(above)
		if err == nil {
			path = filepath.Join(real, strings.TrimPrefix(path, above))
			break
		}
		if _, there := os.Lstat(above); there == nil || above == filepath.Dir(above) {
			return "", outside(path) // a link to nowhere, or to what may not be looked at
		}
	}
	for _, root := range f.roots {
		if rel, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(rel) {
			return path, nil
		}
	}
	return "", outside(path)
}

func outside(path string) error {
	return fault.New(fault.Usage, "choose a place below one that --folder named when tacet studio was started",
		"%s lies in none of the folders of this studio", report.Shell(path))
}

// file is the place of a regular file that may be read.
func (f *folders) file(path string) (string, os.FileInfo, error) {
	place, err := f.place(path)
	if err != nil {
		return "", nil, err
	}
	st, err := os.Lstat(place)
	switch {
	case err != nil:
		return "", nil, fault.New(fault.Input, "choose another", "%s is not there", report.Shell(f.short(place)))
	case !st.Mode().IsRegular():
		return "", nil, fault.New(fault.Input, "choose another", "%s is no file", report.Shell(f.short(place)))
	}
	return place, st, nil
}

// read is what a file holds.
func (f *folders) read(path string) ([]byte, error) {
	place, _, err := f.file(path)
	if err != nil {
		return nil, err
	}
	return os.ReadFile(place)
}

// write puts a file of the owner in place, in a folder that is made where it is missing.
func (f *folders) write(path string, data []byte) error {
	place, err := f.place(path)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(place), 0o700); err != nil {
		return err
	}
	return publish.Put(publish.Target{Path: place, Overwrite: true, Private: true}, data)
}

// short is a path as it is typed in the working folder.
func (f *folders) short(path string) string {
	if rel, err := filepath.Rel(f.here, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

const deepest, mostListed = 3, 200 // bounds of a list of files

// list are the files with these endings, those nearest first; of reports there are none.
func (f *folders) list(endings ...string) (out []string) {
	for _, root := range f.roots {
		filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			rel, _ := filepath.Rel(root, path)
			switch {
			case err != nil || path == root:
			case strings.HasPrefix(d.Name(), ".") && d.IsDir(), strings.Count(rel, string(filepath.Separator)) >= deepest:
				return fs.SkipDir
			case strings.HasSuffix(d.Name(), ".report") && d.IsDir():
				return fs.SkipDir
			case d.Type().IsRegular() && slices.Contains(endings, strings.ToLower(filepath.Ext(path))):
				if out = append(out, f.short(path)); len(out) >= mostListed {
					return fs.SkipAll
				}
			}
			return nil
		})
	}
	slices.SortStableFunc(out, func(a, b string) int {
		return strings.Count(a, string(filepath.Separator)) - strings.Count(b, string(filepath.Separator))
	})
	return slices.Compact(out)
}
