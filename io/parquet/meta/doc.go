// Package meta says where the bytes of a Parquet file stand: its footer, the
// tree that a footer is, the schema, and the chunks of every column. Package page
// decodes a chunk or writes one anew, and package splice makes another file of
// some chunks as they stand and others anew.
//
// Nothing of a file is trusted: lengths are checked against what holds them
// before anything is allocated. Errors name columns, encodings and codecs and
// never the value of a cell.
package meta
