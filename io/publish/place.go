package publish

import (
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"golang.org/x/sys/unix"
)

// place gives the file its name and mode. A named temporary gets its mode
// last, so that nothing named .tacet-*.tmp is ever open to others.
func (f *File) place() error {
	if f.stored {
		return f.upload()
	}
	replaced, err := check(f.target.Path, f.target.Overwrite || f.target.Same, f.set.inputs)
	if err != nil {
		return err
	}
	if f.staged != "" {
		return f.placeStaged(replaced)
	}
	return f.linkOrRename(replaced)
}

// linkOrRename replaces what was found at the target, nil for nothing.
func (f *File) linkOrRename(replaced fs.FileInfo) error {
	mode := finalMode(f.target.Private, replaced)
	if !f.named && replaced == nil {
		if err := f.temp.Chmod(mode); err != nil {
			return systemError("setting the mode of", f.target.Path, err)
		}
		err := linkUnnamed(f.temp, f.target.Path)
		if err == nil {
			f.placed, f.fresh = true, true
			return nil
		}
		if err != unix.EEXIST || !f.target.Overwrite {
			return f.collided(err)
		}
	}
	if err := f.rename(); err != nil {
		return f.collided(err)
	}
	err := f.temp.Chmod(mode)
	f.placed = err == nil || replaced != nil || remove(f.target.Path) != nil
	f.fresh = replaced == nil && !f.target.Overwrite // of others another's may have been replaced
	return systemError("setting the mode of", f.target.Path, err)
}

// rename moves the temporary onto the target; where nothing may be replaced
// it links, which fails if the name has been taken since it was checked.
func (f *File) rename() error {
	if !f.named { // the name was free at the start and is no longer
		name := filepath.Join(filepath.Dir(f.target.Path), tempName())
		if err := f.temp.Chmod(0o600); err != nil {
			return err
		}
		if err := share(f.temp); err != nil {
			return err
		}
		if err := linkUnnamed(f.temp, name); err != nil {
			return err
		}
		if err := os.Rename(name, f.target.Path); err != nil {
			remove(name)
			return err
		}
		return nil
	}
	if f.target.Overwrite {
		return os.Rename(f.temp.Name(), f.target.Path)
	}
	err := os.Link(f.temp.Name(), f.target.Path)
	switch {
	case err == nil:
		return remove(f.temp.Name())
	case os.IsExist(err):
		return err
	}
	// No hard links here; the check has just found the name free.
	return os.Rename(f.temp.Name(), f.target.Path)
}

func (f *File) collided(err error) error {
	if os.IsExist(err) && !f.target.Overwrite {
		return &TargetError{f.target.Path, "appeared during the run", "give another file", true}
	}
	return systemError("putting in place", f.target.Path, err)
}

// drop closes the temporary and removes its name.
func (f *File) drop() error {
	if f.staged != "" {
		return f.dropStaged()
	}
	var err error
	if f.named && (f.stored || !f.placed) {
		err = remove(f.temp.Name())
	}
	f.temp.Close()
	return systemError("removing the temporary file of", f.target.Path, err)
}

// finalMode is that of the file replaced, else 0666 less the umask; a private
// file is readable by its owner alone.
func finalMode(private bool, replaced fs.FileInfo) fs.FileMode {
	switch {
	case private:
		return 0o600
	case replaced != nil:
		return replaced.Mode().Perm()
	}
	return 0o666 &^ umask()
}

// umask can only be read by setting it. The value set meanwhile is the
// strictest, so that a file made by another goroutine in between is at worst
// too private.
var umask = sync.OnceValue(func() fs.FileMode {
	old := unix.Umask(0o777 &^ 0o700)
	unix.Umask(old)
	return fs.FileMode(old).Perm()
})
