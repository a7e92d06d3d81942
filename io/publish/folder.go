package publish

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/tacet-privacy/tacet/io/store"
)

// Folder makes the folder path and those above it where they are missing.
// Abort removes those it made, if they are empty. Where another run makes one
// at the same moment, the folder is the other's.
func (s *Set) Folder(path string) error {
	if store.Is(path) { // which has none
		return nil
	}
	var missing []string
	for dir := filepath.Clean(path); ; dir = filepath.Dir(dir) {
		st, err := os.Stat(dir)
		if err == nil && !st.IsDir() {
			return &TargetError{dir, "is not a folder", "give the path of a folder", false}
		}
		if err == nil {
			break
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return systemError("looking at the folder", dir, err)
		}
		missing = append(missing, dir)
	}
	for _, dir := range slices.Backward(missing) {
		switch err := os.Mkdir(dir, 0o777); {
		case err == nil:
			s.folders = append(s.folders, dir)
		case !errors.Is(err, fs.ErrExist):
			return systemError("making the folder", dir, err)
		}
	}
	return nil
}

// Lock takes the lock of a target until Unlock. Its errors are those of
// LockTarget.
func (s *Set) Lock(path string) error {
	l, err := LockTarget(path)
	if err == nil {
		s.locks = append(s.locks, l)
	}
	return err
}

// LockIn makes a folder and takes the lock of a target in it, before anything
// else is made there. A run that fails removes the folders that it made, so
// that a folder may vanish before the lock is taken: then both are done again.
func (s *Set) LockIn(folder, name string) error {
	for try := 1; ; try++ {
		made := len(s.folders)
		err := s.Folder(folder)
		if err == nil {
			err = s.Lock(filepath.Join(folder, name))
		}
		if !errors.Is(err, fs.ErrNotExist) || try == lockTries {
			return err
		}
		s.folders = s.folders[:made]
		time.Sleep(lockPause)
	}
}

// Unlock lets others in. It comes after Commit or Abort, and may be called
// again.
func (s *Set) Unlock() error {
	var errs []error
	for _, l := range s.locks {
		errs = append(errs, l.Release())
	}
	return errors.Join(errs...)
}

// removeFolders removes those that this set made and that are empty but for a
// lock of its own. Until the lock of a folder is gone nobody else makes anything
// in it, and where somebody waits for the lock the folder stays, or is made
// again.
func (s *Set) removeFolders() {
	for _, dir := range slices.Backward(s.folders) {
		for _, l := range s.locks {
			if l.in(dir) {
				l.Release() // what cannot be removed is swept by the next run
			}
		}
		os.Remove(dir) // fails where something stands in it, and shall
	}
}
