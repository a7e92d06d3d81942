// Package ledger remembers what was released when, at which factor, and
// decides under one lock whether one more release may begin.
//
// A ledger is one SQLite file. It holds events, each a line of JSON that names
// the hash of the one before; nothing is ever changed or removed. A release
// passes through these states, each an event:
//
//	Reserve  the budget's rule admits it; it counts from here on
//	Seal     all is drawn, checked and on disk under temporary names, the record
//	         history too; from here on it counts as published
//	Commit   its files are in place
//	Void     somebody says, with a reason, that nothing of it was published
//
// Reserve comes before the first byte is drawn, Seal after the last and before
// any file is in place, Commit at the end. So whatever kills a run, a release
// that an observer may hold is sealed, and one that is only reserved was never
// published.
//
// The ledger knows no mathematics: factors are exact fractions as text, and
// the rule that admits a release is a function of the releases before it.
// docs/design.md specifies the file, the export and the checks.
package ledger
