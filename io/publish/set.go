package publish

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// A Set is the files of one run, published together. Its methods are for one
// goroutine; the files may be written from many.
type Set struct {
	inputs    []fs.FileInfo
	files     []*File
	folders   []string // made by Folder, outermost first
	swept     map[string]bool
	over      bool
	namedOnly bool              // tests: behave as without unnamed files
	step      func(step string) // tests: called between the steps of Commit
}

// NewSet starts a set whose targets must be none of inputs.
func NewSet(inputs ...fs.FileInfo) *Set {
	return &Set{inputs: inputs, swept: map[string]bool{}, step: func(string) {}}
}

// Folder makes the folder path and those above it where they are missing.
// Abort removes those it made, if they are empty.
func (s *Set) Folder(path string) error {
	var missing []string
	for dir := filepath.Clean(path); ; dir = filepath.Dir(dir) {
		st, err := os.Stat(dir)
		if err == nil && !st.IsDir() {
			return &TargetError{dir, "is no folder", "name a folder", false}
		}
		if err == nil {
			break
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return systemError("looking at the folder", dir, err)
		}
		missing = append(missing, dir)
	}
	for i := len(missing) - 1; i >= 0; i-- {
		if err := os.Mkdir(missing[i], 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
			return systemError("making the folder", missing[i], err)
		}
		s.folders = append(s.folders, missing[i])
	}
	return nil
}

// Add checks the target as Check does and opens a temporary file for it. The
// errors are a TargetError or a SystemError.
func (s *Set) Add(t Target) (*File, error) {
	replaced, err := check(t.Path, t.Overwrite, s.inputs)
	if err != nil {
		return nil, err
	}
	for _, f := range s.files {
		if sameTarget(f.target.Path, t.Path) {
			return nil, &TargetError{t.Path, "is named for two outputs", "name two files", false}
		}
	}
	if dir := filepath.Dir(t.Path); !s.swept[dir] {
		s.swept[dir] = true
		sweep(dir)
	}
	f, err := newFile(s, t, replaced != nil)
	if err != nil {
		return nil, err
	}
	s.files = append(s.files, f)
	return f, nil
}

// Commit puts every file in place in the order of Add, the last one only when
// the folders of all others are synced. When it returns nil all is durable.
// It checks every target once more before it touches the first, and removes
// what was not put in place when it fails.
func (s *Set) Commit() error {
	err := s.commit()
	return errors.Join(err, s.finish(err != nil))
}

func (s *Set) commit() error {
	for _, f := range s.files {
		if !f.closed {
			panic("publish: commit of a file that is not closed")
		}
		if err := Check(f.target.Path, f.target.Overwrite, s.inputs...); err != nil {
			return err
		}
	}
	touched := map[string]bool{}
	for _, dir := range s.folders {
		touched[filepath.Dir(dir)] = true
	}
	for i, f := range s.files {
		if i == len(s.files)-1 {
			if err := syncFolders(touched); err != nil {
				return err
			}
		}
		s.step("before " + filepath.Base(f.target.Path))
		if err := f.place(); err != nil {
			return err
		}
		touched[filepath.Dir(f.target.Path)] = true
	}
	s.step("placed")
	return syncFolders(touched)
}

// Abort removes everything that is not in place. After Commit it does nothing.
func (s *Set) Abort() error { return s.finish(true) }

func (s *Set) finish(failed bool) error {
	if s.over {
		return nil
	}
	s.over = true
	var errs []error
	for _, f := range s.files {
		errs = append(errs, f.drop())
	}
	if failed {
		for i := len(s.folders) - 1; i >= 0; i-- {
			os.Remove(s.folders[i]) // fails where something stands in it, and shall
		}
	}
	return errors.Join(errs...)
}

// syncFolders makes the names in the folders durable and clears the set.
func syncFolders(dirs map[string]bool) error {
	for dir := range dirs {
		f, err := os.Open(dir)
		if err == nil {
			err = f.Sync()
			f.Close()
		}
		if err != nil {
			return systemError("syncing the folder", dir, err)
		}
	}
	clear(dirs)
	return nil
}

func sameTarget(a, b string) bool {
	if filepath.Base(a) != filepath.Base(b) {
		return false
	}
	da, errA := os.Stat(filepath.Dir(a))
	db, errB := os.Stat(filepath.Dir(b))
	return errA == nil && errB == nil && os.SameFile(da, db)
}
