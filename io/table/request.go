package table

import "io"

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

// A Column describes one top-level column of the file.
type Column struct {
	Name     string
	Type     string // as the format spells it, for people
	Nullable bool
	Readable bool // may be named in Request.Beside
}
