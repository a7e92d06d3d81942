package publish

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/tacet-privacy/tacet/io/store"
)

// stagingName begins with a dot, as those who read a folder of many files leave out.
const stagingName = ".tacet-staging"

// Stage makes ready a folder that gets many files, whose temporaries lie in one
// folder in it and are open only while they are written or read. The caller holds
// the lock of folder: what a killed run left there is removed.
func (s *Set) Stage(folder string) error {
	if store.Is(folder) {
		return s.stageStored(folder)
	}
	if err := s.Folder(folder); err != nil {
		return err
	}
	s.staging = filepath.Join(folder, stagingName)
	if err := os.RemoveAll(s.staging); err != nil {
		return systemError("removing what an ended run left in", s.staging, err)
	}
	return systemError("making the folder", s.staging, os.Mkdir(s.staging, 0o700))
}

// AddStaged is Add for one of many files of the folder of Stage. All of them must be
// different.
func (s *Set) AddStaged(t Target) (*File, error) {
	if store.Is(t.Path) {
		return s.addStored(t)
	}
	if _, err := check(t.Path, t.Overwrite || t.Same, s.inputs); err != nil {
		return nil, err
	}
	if err := s.Folder(filepath.Dir(t.Path)); err != nil {
		return nil, err
	}
	return s.staged(t), nil
}

func (s *Set) staged(t Target) *File {
	f := &File{target: t, set: s, stored: store.Is(t.Path), named: true,
		staged: filepath.Join(s.staging, strconv.Itoa(len(s.files)))}
	s.files = append(s.files, f)
	return f
}

// Begin opens the temporary of a staged file; others are open.
func (f *File) Begin() (err error) {
	if f.staged == "" || f.temp != nil {
		return nil
	}
	f.temp, err = os.OpenFile(f.staged, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	return systemError("making a temporary file for", f.target.Path, err)
}

// End closes a staged file; others stay open, and may be synced while they are read.
func (f *File) End() error {
	if f.staged == "" {
		return nil
	}
	return f.Close()
}

// closeStaged syncs the file and gives its descriptor back.
func (f *File) closeStaged() error {
	err := f.temp.Sync()
	err = errors.Join(err, f.temp.Close())
	f.temp, f.closed = nil, true
	return systemError("syncing", f.target.Path, err)
}

// compare finds the staged files whose bytes stand already, as an earlier run left
// them that was ended while it put files in place, before any file is touched.
func (s *Set) compare() error {
	for _, f := range s.files {
		if !f.target.Same || f.target.Overwrite || f.staged == f.target.Path || f.stored {
			continue
		}
		if _, err := os.Lstat(f.target.Path); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		same, err := sameBytes(f.staged, f.target.Path)
		switch {
		case err != nil:
			return systemError("comparing with", f.target.Path, err)
		case !same:
			return &TargetError{f.target.Path, "exists and holds something else", "remove it, give another folder, or give " +
				"--overwrite", true}
		}
		f.stands = true
	}
	return nil
}

// placeStaged moves the file onto its target.
func (f *File) placeStaged(replaced fs.FileInfo) error {
	if f.staged == f.target.Path {
		f.placed = true
		return nil
	}
	if err := os.Chmod(f.staged, finalMode(f.target.Private, replaced)); err != nil {
		return systemError("setting the mode of", f.target.Path, err)
	}
	if f.stands {
		f.placed = true
		return systemError("removing the temporary file of", f.target.Path, remove(f.staged))
	}
	move := os.Rename
	if !f.target.Overwrite {
		move = func(from, to string) error {
			err := os.Link(from, to)
			if err == nil {
				return remove(from)
			}
			if os.IsExist(err) {
				return err
			}
			return os.Rename(from, to) // no hard links here; the check has just found the name free
		}
	}
	if err := move(f.staged, f.target.Path); err != nil {
		return f.collided(err)
	}
	f.placed = true
	return nil
}

// dropStaged removes what is not in place.
func (f *File) dropStaged() error {
	if f.temp != nil {
		f.temp.Close()
	}
	if f.placed || f.adopted {
		return nil
	}
	return systemError("removing the temporary file of", f.target.Path, remove(f.staged))
}

// unstage removes the folder of temporaries.
func (s *Set) unstage() error {
	if s.staging == "" {
		return nil
	}
	return systemError("removing the folder", s.staging, remove(s.staging))
}

// sameBytes reports whether two files hold the same.
func sameBytes(a, b string) (bool, error) {
	f, err := os.Open(a)
	if err != nil {
		return false, err
	}
	defer f.Close()
	g, err := os.Open(b)
	if err != nil {
		return false, err
	}
	defer g.Close()
	return same(f, g)
}

// same reads two files to the end of one of them.
func same(f, g io.Reader) (bool, error) {
	room := rooms.Get().(*[1 << 20]byte)
	defer rooms.Put(room)
	x, y := room[:len(room)/2], room[len(room)/2:]
	for {
		n, errN := io.ReadFull(f, x)
		m, errM := io.ReadFull(g, y)
		for _, err := range []error{errN, errM} {
			if err != nil && !ended(err) {
				return false, err
			}
		}
		if n != m || string(x[:n]) != string(y[:m]) {
			return false, nil
		}
		if errN != nil || errM != nil {
			return errN != nil && errM != nil, nil
		}
	}
}

func ended(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }
