// Package releases holds a release to the ones before. It reads ledger, record history
// and draw key from the text of docs/repeated.md and docs/draws.md,
// makes every draw again, and computes what all outputs of a record tell. It shares
// nothing with the packages that release.
package releases
