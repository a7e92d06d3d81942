// Package files reads one column of a Parquet, Arrow IPC or CSV file as letters of a known
// alphabet, looks through what else the file holds about it, reads tables of
// utilities, and computes the hashes by which documents name plans. It shares
// nothing with the packages that write such files. Parquet is decoded by parquet-go and
// Arrow by arrow-go; what they do not show, such as fields that nobody knows and bytes
// between chunks, is seen by writing what was read again, and reading byte by byte. That the
// lengths which a file states can be is seen by whoever opens it.
//
// No error and no finding quotes a value of a cell.
package files
