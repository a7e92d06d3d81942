// Package table reads a file of columns twice and writes it once. Pass one
// (Scan) turns the cells of the private columns into letters and counts them;
// pass two (Rewrite) hands out the letters of every record and writes the
// file again with the letters it gets back, copying everything else.
//
// A letter is an index into an Alphabet, a sorted, closed list of the values
// of a column. No letter exists before Scan has ended, so nothing decided from
// letters can depend on the order of rows or on threads. A cell value never
// appears in an error.
//
// The package has the contract (File), and what every format shares to keep it:
// types of values and their labels, which columns a request names (Index), the
// numbers by which cells are counted and get letters, the order in which units are
// written, and the errors of files that cannot be worked on. It knows no
// format; a format hands itself in (Format). The tests here hold every format to
// the same.
package table
