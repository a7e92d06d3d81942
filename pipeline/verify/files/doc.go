// Package files reads one column of a Parquet, Arrow IPC or CSV file as letters of a known
// alphabet, looks through what else the file holds about it, reads tables of
// utilities, and computes the hashes by which documents name plans. It shares
// nothing with the rooms that write such files, and reads them with arrow-go's
// low-level readers and, where those do not show what is to be seen, byte by byte.
//
// No error and no finding quotes a value of a cell.
package files
