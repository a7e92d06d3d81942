// Package meta says where the bytes of a Parquet file stand: its footer, the
// tree that a footer is, the schema, and the chunks of every column. Package page
// decodes a chunk or writes one anew, and package splice makes another file of
// some chunks as they stand and others anew.
//
// Nothing of a file is trusted: lengths are checked against what holds them
// before anything is allocated. Errors name columns, encodings and codecs and
// never the value of a cell.
//
// The metadata are read and written as trees of Thrift by this package. parquet-go 0.32
// has them as structs, in its package format, and decodes the 1 MB of a footer of 2,000
// columns and four row groups in 10 ms, where this takes 90. It is not used because
//   - it allocates the length that a list claims, and follows nesting without a bound: a
//     footer of 8 bytes asks for 192 GiB, and one of 16 MiB of structs in structs overflows
//     the stack; both end the process in a way that no recover sees;
//   - it writes statistics that are absent as a null_count of 0, in columns and in
//     the headers of pages, by which readers skip rows where a cell IS NULL;
//   - a member of LogicalType or ColumnOrder that it does not know becomes none,
//     so that values would be read as what they are not.
package meta
