// Package document reads the documents of a release strictly, into structs of its own,
// as docs/files.md and docs/formats.md describe them, and holds them, the opened
// files and the outcomes of the checks in one view. It judges nothing.
package document
