// Package dataset reads many files of one format as one: their columns, their
// rows one file after the other, and their values added up. A single file is a set
// of one, so that whoever reads a set asks nothing of how many files there are.
//
// Find lists the files that a path names, in the order of their relative paths;
// Open reads what is in all of them, and keeps few open at a time.
package dataset
