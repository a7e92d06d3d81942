// Package strata groups the records of a file by a column that whoever reads
// the release is taken to know. It names strata and merges small ones; it
// knows no mechanism and opens no file.
//
//  1. spec.go: the column, and the function of it, as the user wrote them
//  2. names.go: cells become the names of strata
//  3. merge.go: strata with few records are put together
package strata
