// Package arrow is the Arrow IPC format of package table: files, and streams that are
// read once. arrow-go decodes and encodes. It believes every length that it reads, so that
// each message is held against the schema before; and of a message it gets the buffers of
// the columns that are needed, without compression. Kept columns are written as the arrays
// that were read, and private ones as new arrays that hold outputs alone.
//
// Files go through ipc.Reader, as streams do. ipc.FileReader of arrow-go 18.8 decodes all
// columns, where most passes want one of many; and where there are dictionaries its
// RecordBatchAt is not for several goroutines, which hash their places in one state.
// Decompression is here since it allocates what a buffer says it has and a window of
// zstandard of up to 512 MiB, and would be done for one record batch at a time.
package arrow
