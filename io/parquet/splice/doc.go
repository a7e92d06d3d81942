// Package splice is the Parquet format of package table. It scans and reads the
// private columns of a file, and makes another file of it: most chunks are
// copied as they stand, some are left out, those of private columns are written
// anew, and the footer is rebuilt from what of the old one is known and may
// stay.
package splice
