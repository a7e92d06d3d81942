// Package report is the report of a release: its figures as JSON, the public part of
// them, and documents of sections that are written as text, Markdown and HTML. It
// knows no mechanism and no file but its own.
package report
