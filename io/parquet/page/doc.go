// Package page decodes the pages of a column chunk: a page is a header and,
// often compressed, levels that tell nulls from values, and values in one of
// many encodings. All of them become codes, which number the distinct values
// of the chunk.
//
// It also writes a chunk anew: letters become indices into one dictionary,
// bit-packed in pages of a fixed number of rows. The most bytes that a chunk can
// take are known before the first letter is.
//
// Nothing of a file is trusted: lengths are checked against what holds them
// before anything is allocated.
package page
