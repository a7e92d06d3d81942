// Package cell is the values of columns that are read beside the private ones,
// as they are: numbers, text, dates and times, by code and row.
package cell
