// Package store reads and writes objects that are no files of this machine, such as
// s3://bucket/file.parquet. The libraries of the clouds are many times larger than
// all else, so they live in a program of their own, tacet-cloud, which is started
// where an address needs it and ends when this program does. The two talk through
// pipes by net/rpc.
//
// An Object is read by ranges; what is read is kept in blocks, some of them ahead of
// the reader. Put writes an object whole or not at all, and can refuse to replace
// one; the store decides that, so of many that write at once one wins.
package store
