package table

import (
	"io"
	"runtime"
	"slices"
	"strings"
)

// An Input is the file to read. A local file opts into kernel copies by being
// a *Local, with nothing around it.
type Input interface {
	io.ReaderAt
	Size() int64
	// Identity changes when the content may have changed: device, inode, size
	// and modification time of a local file, the ETag of a remote one. It is
	// read afresh at every call.
	Identity() (string, error)
}

// A Request names what is decoded. Private columns become letters. Drop lists
// the top-level columns that leave the output. Everything else is carried
// through byte for byte.
type Request struct {
	Private  []string
	Beside   []string // decoded to values and handed to the caller, kept in the output unless dropped
	Drop     []string
	Threads  int      // how many units are worked on at once; 0 means one per processor
	Metadata []string // keys of file metadata to keep; all others are left out
}

// Workers is how many goroutines work on units.
func (r *Request) Workers() int {
	if r.Threads > 0 {
		return r.Threads
	}
	return runtime.GOMAXPROCS(0)
}

// check refuses columns that cannot be what they are asked to be.
func (r *Request) check() error {
	for i, name := range r.Private {
		if slices.Contains(r.Private[:i], name) {
			return Errorf("name it once", "column %q is named twice", name)
		}
		if slices.Contains(r.Drop, name) {
			return Errorf("", "column %q cannot be privatized and dropped", name)
		}
	}
	return nil
}

// Place finds the one column of that name among the names of all; it is -1 where
// there is none, and then the error lists the first.
func Place(names []string, name string) (int, error) {
	at := slices.Index(names, name)
	switch {
	case at >= 0 && slices.Contains(names[at+1:], name):
		return 0, Errorf("rename one of them", "the file has two columns named %q", name)
	case at >= 0:
		return at, nil
	case len(names) > 20:
		names = append(slices.Clone(names[:20]), "...")
	}
	return -1, Errorf("its columns are "+strings.Join(names, ", "), "the file has no column %q", name)
}

// A Column describes one top-level column of the file.
type Column struct {
	Name     string
	Type     string // as the format spells it, for people
	Nullable bool
	Readable bool // may be named in Request.Beside
}
