// Package format has the numbers of parquet.thrift: of types, encodings and
// pages, and of the fields of its structs.
// https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift
package format

// Magic stands at both ends of a Parquet file.
const Magic = "PAR1"
