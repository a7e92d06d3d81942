// Package publish puts files in place atomically and durably: everything is
// written to temporary files in the folders of their targets, synced,
// checked, and only then renamed.
//
// A Set holds the files of one run. Add refuses a target that must not be
// written before anything is; Close syncs a file and ends writing; Reopen
// reads what will be published; Commit puts the files in place in the order
// in which they were added, those that decide last of all; Abort leaves
// nothing behind. Until Commit no target is touched.
//
// A file that decides (Target.Decides) says by standing there that all others
// of its folder are there and of one release. Where an earlier one is replaced,
// Commit withdraws it before it touches anything else. So a process that is
// killed leaves a folder whose files are all of one release, or one without the
// file that decides; and at most temporary files of mode 0600 named
// .tacet-*.tmp, which the next Set that writes to the folder sweeps.
package publish

import "io"

// An Output is a file being written. Writes may come in any order and from
// several goroutines, each byte once.
type Output interface {
	io.WriterAt
	// Truncate sets the final size.
	Truncate(size int64) error
	// Fd is the descriptor for kernel copies; ok is false where there is none.
	Fd() (fd uintptr, ok bool)
}
