// Package parquet scans, reads and rewrites Parquet files for package colfile:
// codes of pages become letters, and letters pages. What is private is written
// anew, all else is copied by package parquetraw.
package parquet
