package publish

import (
	"io"
	"os"
	"path/filepath"

	"github.com/tacet-privacy/tacet/io/store"
)

// A Target is where a file shall be published.
type Target struct {
	Path      string
	Overwrite bool // a regular file that stands there may be replaced
	Private   bool // mode 0600; else that of the file replaced, or 0666 less the umask
	// Decides says that the folder of this file holds a release where this file
	// stands, and none where it does not: it is withdrawn before any file of
	// the set is replaced, and put in place after all others.
	Decides bool
	// Same says that a file that stands there stays, if it holds what would be put in
	// its place; only of staged files.
	Same bool
}

// A File is an Output on its way to its target.
type File struct {
	target  Target
	set     *Set
	temp    *os.File // open for writing until Close, then for reading
	named   bool     // temp has a name that must be removed
	stored  bool     // the target is an object of a store
	closed  bool     // synced, written no more
	placed  bool
	fresh   bool        // nothing stood where it was placed
	stands  bool        // the target has its bytes, and stays
	adopted bool        // an earlier run wrote it, at staged,
	waits   store.Entry // where it is an object
	expect  string      // hash that it must have when it is put in place; "" for one that nobody else could change
	staged  string      // where the temporary of one of many files lies, open or not; "" for others
}

// newFile opens the temporary. Only a name that is free can be given to an
// unnamed file; a private one that replaces another gets a temporary name first,
// once it is whole, so that a run that is killed leaves no part of it.
func newFile(s *Set, t Target, replaces bool) (*File, error) {
	f := &File{target: t, set: s, stored: store.Is(t.Path)}
	dir := filepath.Dir(t.Path)
	if f.stored { // what it waits in until it goes up
		dir = os.TempDir()
	}
	if (!replaces || t.Private) && !s.namedOnly {
		f.temp = newUnnamed(dir)
	}
	if f.temp == nil {
		temp, err := newNamed(dir)
		if err != nil {
			return nil, systemError("making a temporary file beside", t.Path, err)
		}
		f.temp, f.named = temp, true
	}
	return f, nil
}

// Expect says what hash an adopted object must have when it is put in place, as one with a tag has; "" is none known.
func (f *File) Expect(sum, tag string) { f.expect, f.waits.Tag = sum, tag }

// Path of the target.
func (f *File) Path() string { return f.target.Path }

// Placed reports whether the file is in place.
func (f *File) Placed() bool { return f.placed }

// WriteAt writes to the temporary file. Its error is a SystemError.
func (f *File) WriteAt(b []byte, off int64) (int, error) {
	n, err := f.temp.WriteAt(b, off)
	return n, systemError("writing", f.target.Path, err)
}

// Truncate sets the size. Its error is a SystemError.
func (f *File) Truncate(size int64) error {
	return systemError("setting the size of", f.target.Path, f.temp.Truncate(size))
}

// Fd is the descriptor of the temporary file.
func (f *File) Fd() (uintptr, bool) { return f.temp.Fd(), true }

// Writer writes from the start of the file on, one write after the other.
func (f *File) Writer() io.Writer { return io.NewOffsetWriter(f, 0) }

// Close syncs the file and ends writing. Its error is a SystemError.
func (f *File) Close() error {
	if f.closed {
		return nil
	}
	if f.staged != "" {
		return f.closeStaged()
	}
	if err := f.temp.Sync(); err != nil {
		return systemError("syncing", f.target.Path, err)
	}
	read, err := f.open()
	if err != nil {
		return systemError("reopening", f.target.Path, err)
	}
	write := f.temp
	f.temp, f.closed = read, true
	return systemError("closing", f.target.Path, write.Close())
}

// Reopen opens for reading what will be published. It needs all writes to have
// ended; Close may sync them meanwhile. The caller closes what it gets.
func (f *File) Reopen() (*os.File, error) {
	r, err := f.open()
	return r, systemError("reopening", f.target.Path, err)
}

func (f *File) open() (*os.File, error) {
	if f.staged != "" {
		if f.placed {
			return os.Open(f.target.Path)
		}
		return os.Open(f.staged)
	}
	if !f.named {
		return reopenUnnamed(f.temp)
	}
	st, err := f.temp.Stat()
	if err != nil {
		return nil, err
	}
	name := f.temp.Name()
	if f.placed {
		name = f.target.Path
	}
	return reopenNamed(name, st)
}

// An Output is a file being written. Writes may come in any order and from
// several goroutines, each byte once.
type Output interface {
	io.WriterAt
	// Truncate sets the final size.
	Truncate(size int64) error
	// Fd is the descriptor for kernel copies; ok is false where there is none.
	Fd() (fd uintptr, ok bool)
}
