// Package column writes a column chunk anew: letters become indices into one
// dictionary, bit-packed in pages of a fixed number of rows. The most bytes
// that a chunk can take are known before the first letter is.
package column
