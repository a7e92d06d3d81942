// Package splice writes Arrow IPC files in which the buffers of kept columns are
// copies of the input's bytes and all else is new: message by message, or as a
// patch of the input where everything has room in its old place.
package splice
