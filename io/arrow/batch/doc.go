// Package batch says where the bytes of an Arrow IPC file stand: footer, schema,
// messages, field nodes and buffers. It finds the buffers of a column without
// understanding the columns beside it, and gives the values of a column of the few
// types that private columns and those read beside them may have. Package splice
// writes files in which the buffers of kept columns are copies of the input's bytes
// and all else is new.
//
// The layout is that of the Arrow columnar format, version 1.0 and later
// (https://arrow.apache.org/docs/format/Columnar.html), with the tables of
// File.fbs, Message.fbs and Schema.fbs. Metadata versions V4 and V5 are read.
//
// Nothing in a file is believed before it was checked, and no error quotes
// what a file holds apart from the names and types of its columns. A broken
// file gives an *Error.
package batch
