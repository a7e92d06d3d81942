// Package parquetraw treats a Parquet file as bytes: its footer says where
// the chunks of every column stand, and only of the columns that are asked for
// are these bytes looked into. The rooms below it go further down: thrift is
// the tree that a footer is, page decodes a chunk, column writes one anew, and
// splice makes another file of some chunks as they stand and others anew.
//
// Nothing of a file is trusted: lengths are checked against what holds them
// before anything is allocated. Errors name columns, encodings and codecs and
// never the value of a cell.
package parquetraw
