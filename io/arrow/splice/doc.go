// Package splice is the Arrow IPC format of package table. It scans and reads the
// private columns of a file, and writes another file in which the buffers of kept
// columns are copies of the input's bytes and all else is new: message by
// message, or as a patch of the input where everything has room in its old place.
package splice
