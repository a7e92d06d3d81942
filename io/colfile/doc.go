// Package colfile reads a column file twice and writes it once. Pass one
// (Scan) turns the cells of the private columns into letters and counts them;
// pass two (Rewrite) hands out the letters of every record and writes the
// file again with the letters it gets back, copying everything else.
//
// A letter is an index into an Alphabet, a sorted, closed list of the values
// of a column. No letter exists before Scan has ended, so nothing decided from
// letters can depend on the order of rows or on threads. A cell value never
// appears in an error.
//
// This package is the face: the contract (File), the table of formats, and the
// names callers use. Below it, input is the file and what is asked of it,
// letter the alphabets and all that formats share to get to them, cell the
// values read beside; arrow and parquet are the formats, and know none of each
// other. The tests here hold every format to the same.
package colfile
