// Package verify recomputes what a release claims, from its files alone:
// report.json, plan.json, order.csv, the output, and the input where there is
// one. It shares no code with the packages that designed and wrote them: it
// has its own structs, its own integers, its own reading of the files' formats
// as docs/files.md and docs/formats.md give them. A test of the import graph
// holds it to that.
//
// The checks, each a file:
//
//  0. trust.go, envelope.go: the signatures, where a public key is given
//  1. document.go, report.go, plan.go: the documents read strictly
//  2. plan_check.go: hashes, letters, rows
//  3. order.go, floor.go: the order table, ranks, the support that the floor
//     leaves, no row outside it
//  4. factor.go, nats.go: e^l(y) of every output as a fraction, its logarithm,
//     the target
//  5. certificate.go: no mechanism at this floor has a smaller factor
//  6. compare.go, written.go, fit.go: input and output side by side, row by
//     row; how well the draws fit the rows
//  7. files.go: hashes, rows, columns, metadata, what lies between
//  8. figures.go, figures_output.go: the report's other figures
//
// No text of a check quotes the value of a cell or a label; letters are named
// by their place.
package verify
