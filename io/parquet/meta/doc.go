// Package meta says where the bytes of a Parquet file stand: its footer, the
// tree that a footer is, the schema, and the chunks of every column. Package page decodes
// a chunk or writes one anew, and package splice makes another file of
// some chunks as they stand and others anew.
//
// Nothing of a file is trusted: lengths are checked against what holds them
// before anything is allocated. Errors name columns, encodings and codecs and
// never the value of a cell.
//
// Thrift is read by parquet-go, struct by struct, each after Check has walked it: on its own,
// parquet-go 0.32 allocates the length that a list claims, and follows nesting without a
// bound. A footer of 8 bytes asks for 192 GiB, and one of 16 MiB of structs in structs
// overflows the stack; both end the process in a way that no recover sees.
//
// What is written is made of Values, not of the structs of parquet-go/format, because these
//   - write statistics that are absent as a null_count of 0, in columns and in
//     the headers of pages, by which readers skip rows where a cell IS NULL;
//   - do not keep fields that they do not know;
//   - make a member of LogicalType that they do not know none, so that values
//     would be read as what they are not.
package meta
