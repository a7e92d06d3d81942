// Package documents writes the files of a release: written whole, read again, hashed,
// named in the statements of the release, and in place together or not at all.
// Metrics for a monitoring system are written apart, at the end of every run.
package documents
