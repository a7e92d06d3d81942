// Package page gives the values of a column of an Arrow IPC message: of the few
// types that private columns and those read beside them may have. It undoes the
// compression of their buffers.
package page
