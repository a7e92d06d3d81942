// Package letter is what the cells of private columns become: letters of a
// sorted, closed alphabet. It has what every format shares to get there: types
// and their labels, the tally of a scan, the lexicon of a read.
package letter
