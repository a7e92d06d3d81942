package publish

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"
)

// A withdrawn file decided that its folder is a release, and is about to be
// replaced: it has the name of a temporary until the new one is in place.
type withdrawn struct {
	path, temp string
	file       *os.File // holds the lock that keeps sweepers away
	mode       fs.FileMode
}

// withdraw takes away what says that the folders hold a release, before any
// file in them is replaced: a process that is killed from here on leaves either
// a folder without the file that decides, which is no release, or a whole new
// one. It returns when that is durable.
func (s *Set) withdraw(touched map[string]bool) error {
	for _, f := range slices.Backward(s.files) { // what is put in place last goes first
		if !f.target.Decides || !f.target.Overwrite {
			continue
		}
		w, err := withdraw(f.target.Path)
		if w != nil {
			s.withdrawn = append(s.withdrawn, w)
			touched[filepath.Dir(w.path)] = true
		}
		if err != nil {
			return systemError("withdrawing", f.target.Path, err)
		}
	}
	if len(s.withdrawn) == 0 {
		return nil
	}
	if err := syncFolders(touched); err != nil {
		return err
	}
	s.step("withdrawn")
	return nil
}

// withdraw is nil where nothing stands at path.
func withdraw(path string) (*withdrawn, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	st, err := f.Stat()
	if err == nil {
		err = share(f)
	}
	if err == nil { // before it is a temporary: another mode is not swept
		err = f.Chmod(0o600)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	w := &withdrawn{path: path, temp: filepath.Join(filepath.Dir(path), tempName()), file: f, mode: st.Mode().Perm()}
	if err = os.Rename(path, w.temp); err != nil {
		err = errors.Join(err, f.Chmod(w.mode))
		f.Close()
		return nil, err
	}
	return w, nil
}

// takeBack removes what a failed Commit has put in place, where nothing stood before and no
// file decides: nobody has been told of these, and one without the others is of no use. Of a
// release an output that stands may have been seen, and stays.
func (s *Set) takeBack() error {
	for _, f := range s.files {
		if f.target.Decides || f.placed && !f.fresh {
			return nil
		}
	}
	for _, f := range s.files {
		own, err := f.temp.Stat()
		is, gone := os.Lstat(f.target.Path)
		if !f.placed || err != nil || gone != nil || !os.SameFile(own, is) {
			continue
		}
		if err := remove(f.target.Path); err != nil {
			return systemError("taking back", f.target.Path, err)
		}
		f.placed = false
	}
	return nil
}

// finish removes the withdrawn file, or puts it back where nothing of the new
// release is in place.
func (w *withdrawn) finish(back bool) error {
	defer w.file.Close()
	if !back {
		return systemError("removing what was withdrawn of", w.path, remove(w.temp))
	}
	err := errors.Join(w.file.Chmod(w.mode), os.Rename(w.temp, w.path))
	return systemError("putting back", w.path, err)
}
