// Package splice makes a Parquet file of another: most chunks are copied as
// they stand, some are left out or written anew, and the footer is rebuilt
// from what of the old one is known and may stay.
package splice
