// Package arrow is the Arrow IPC format of package table: files, and streams that are
// read once. arrow-go decodes and encodes; what it is given was checked before, since it
// believes every length that it reads. Of a message it sees the columns that are needed,
// their buffers uncompressed. Kept columns are written as the arrays that were read, and
// private ones as new arrays that hold outputs alone.
//
// ipc.FileReader of arrow-go 18.8 would not do in its place. It tells how many rows a
// record batch has only once all its columns are decoded, where most passes want one of
// many. It allocates what a compressed buffer says it has, and a window of zstandard of up
// to 512 MiB. And fields of a schema that are referred to more than once unfold without end.
package arrow
