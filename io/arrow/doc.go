// Package arrow is the Arrow IPC format of package table: files, and streams that are
// read once. arrow-go decodes and encodes; what it is given was checked before, since it
// believes every length that it reads. Of a message it sees the columns that are needed,
// their buffers uncompressed. Kept columns are written as the arrays that were read, and
// private ones as new arrays that hold outputs alone.
package arrow
