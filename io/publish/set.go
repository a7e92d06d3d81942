// Package publish puts files in place atomically and durably: everything is
// written to temporary files in the folders of their targets, synced,
// checked, and only then renamed.
//
// A Set holds the files of one run. Add refuses a target that must not be
// written before anything is; Close syncs a file and ends writing; Reopen
// reads what will be published; Commit puts the files in place in the order
// in which they were added, those that decide last of all; Abort leaves
// nothing behind, no folder either. Until Commit no target is touched.
//
// A file that decides (Target.Decides) says by standing there that all others
// of its folder are there and of one release. Where an earlier one is replaced,
// Commit withdraws it before it touches anything else. So a process that is
// killed leaves a folder whose files are all of one release, or one without the
// file that decides; and at most temporary files of mode 0600 named
// .tacet-*.tmp, which the next Set that writes to the folder sweeps.
//
// Fill and Put write files whose content is known whole, and read them again; Sum
// hashes a file, also beside other work.
package publish

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/tacet-privacy/tacet/io/store"
)

// A Set is the files of one run, published together. Its methods are for one
// goroutine; the files may be written from many.
type Set struct {
	inputs    []fs.FileInfo
	files     []*File
	folders   []string // made by Folder, outermost first
	locks     []*Lock
	withdrawn []*withdrawn
	outdated  []string
	swept     map[string]bool
	staging   string     // folder of the temporaries of staged files, "" for none
	stored    *storedSet // where they go to a store, else nil
	over      bool
	ctx       context.Context   // ends what goes up to a store
	namedOnly bool              // tests: behave as without unnamed files
	step      func(step string) // tests: called between the steps of Commit
}

// NewSet starts a set whose targets must be none of inputs.
func NewSet(inputs ...fs.FileInfo) *Set {
	return &Set{inputs: inputs, swept: map[string]bool{}, ctx: context.Background(), step: func(string) {}}
}

// Until lets uploads end with ctx; what is whole by then stays.
func (s *Set) Until(ctx context.Context) { s.ctx = ctx }

// Add checks the target as Check does, makes its folder where there is none, and
// opens a temporary file for it. The errors are a TargetError or a SystemError.
func (s *Set) Add(t Target) (*File, error) {
	replaced, err := check(t.Path, t.Overwrite, s.inputs)
	if err != nil {
		return nil, err
	}
	for _, f := range s.files {
		if sameTarget(f.target.Path, t.Path) {
			return nil, &TargetError{t.Path, "is given for two outputs", "give two different files", false}
		}
	}
	if dir := filepath.Dir(t.Path); !store.Is(t.Path) {
		if err := s.Folder(dir); err != nil {
			return nil, err
		}
		if !s.swept[dir] {
			s.swept[dir] = true
			sweep(dir)
		}
	}
	f, err := newFile(s, t, replaced != nil)
	if err != nil {
		return nil, err
	}
	s.files = append(s.files, f)
	return f, nil
}

// Outdated lets Commit remove a file of an earlier release, if there is one, once all
// others are in place.
func (s *Set) Outdated(path string) error {
	replaced, err := check(path, true, s.inputs)
	if replaced != nil {
		s.outdated = append(s.outdated, path)
	}
	return err
}

// Commit puts every file in place in the order of Add, those that decide after
// all others, and the last one only when the folders of all others are synced.
// Those that decide and are replaced are withdrawn first. When it returns nil
// all is durable. It checks every target once more before it touches the first,
// and removes what was not put in place when it fails; where nothing was, or takeBack
// can remove it, all is as it was before.
func (s *Set) Commit() error {
	err := s.commit()
	if err != nil {
		err = errors.Join(err, s.takeBack())
	}
	return errors.Join(err, s.finish(err != nil))
}

func (s *Set) commit() error {
	if err := s.Check(); err != nil {
		return err
	}
	if err := s.compare(); err != nil {
		return err
	}
	files := s.decidersLast()
	touched := map[string]bool{}
	for _, dir := range s.folders {
		touched[filepath.Dir(dir)] = true
	}
	if err := s.withdraw(touched); err != nil {
		return err
	}
	if err := s.upload(); err != nil {
		return err
	}
	for i, f := range files {
		if f.placed {
			continue
		}
		if f.target.Decides || i == len(files)-1 {
			if err := syncFolders(touched); err != nil {
				return err
			}
		}
		s.step("before " + filepath.Base(f.target.Path))
		if err := f.place(); err != nil {
			return err
		}
		if !f.stored {
			touched[filepath.Dir(f.target.Path)] = true
		}
	}
	s.step("placed")
	if err := syncFolders(touched); err != nil {
		return err
	}
	for _, path := range s.outdated {
		if err := remove(path); err != nil {
			return systemError("removing", path, err)
		}
		touched[filepath.Dir(path)] = true
	}
	return syncFolders(touched)
}

// Check checks every target once more, as Commit does before it touches the
// first. All files must be closed.
func (s *Set) Check() error {
	for _, f := range s.files {
		if !f.closed {
			panic("publish: commit of a file that is not closed")
		}
		if f.stored && f.staged != "" { // the claim decides
			continue
		}
		if err := Check(f.target.Path, f.target.Overwrite || f.target.Same, s.inputs...); err != nil {
			return err
		}
	}
	return nil
}

// decidersLast are the files in the order in which they are put in place.
func (s *Set) decidersLast() []*File {
	var files, deciders []*File
	for _, f := range s.files {
		if f.target.Decides {
			deciders = append(deciders, f)
		} else {
			files = append(files, f)
		}
	}
	return append(files, deciders...)
}

// Abort removes everything that is not in place. After Commit it does nothing.
func (s *Set) Abort() error { return s.finish(true) }

func (s *Set) finish(failed bool) error {
	if s.over {
		return nil
	}
	s.over = true
	placed := slices.ContainsFunc(s.files, (*File).Placed)
	var errs []error
	for _, f := range s.files {
		errs = append(errs, f.drop())
	}
	for _, w := range s.withdrawn {
		errs = append(errs, w.finish(!placed))
	}
	errs = append(errs, s.unstage(), s.stored.end())
	if failed {
		s.removeFolders()
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
	if store.Is(a) || store.Is(b) {
		return store.Plain(a) == store.Plain(b)
	}
	if filepath.Base(a) != filepath.Base(b) {
		return false
	}
	da, errA := os.Stat(filepath.Dir(a))
	db, errB := os.Stat(filepath.Dir(b))
	return errA == nil && errB == nil && os.SameFile(da, db)
}
