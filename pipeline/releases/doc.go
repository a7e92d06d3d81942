// Package releases makes releases that remember: draws by the ids of records, records
// whose value changed, a bound on what all releases tell, and the ledger's part in
// a run. It designs nothing.
//
//   - booking.go, admit.go, seal.go: a release and its ledger, step by step
//   - memo.go, recall.go, ids.go: what a record showed before, found by its id
//   - book.go, night.go, row.go: by which of the earlier draws a record is published
//   - held.go, told.go: what the report says of rows that were not drawn now
package releases
