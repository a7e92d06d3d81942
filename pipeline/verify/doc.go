// Package verify recomputes what a release claims, from its files alone:
// report.json, plan.json, order.csv, the output, and the input where there is
// one. It shares no code with the packages that designed and wrote them: it
// has its own structs, its own integers, its own reading of the files' formats
// as docs/files.md and docs/formats.md give them. A test of the import graph
// holds it and the rooms below it to that.
//
// Here is the order of the checks. They are made, each in a room:
//
//  0. trust: the signatures, where a public key is given, and the commitment
//  1. document: the documents read strictly
//  2. law: hashes, letters, rows; the order table, ranks, the support that the
//     floor leaves, no row outside it; e^l(y) of every output as a fraction, its
//     logarithm, the target; no mechanism at this floor has a smaller factor
//  3. written: hashes, rows, columns, metadata, what lies between; input and
//     output side by side, row by row; how well the draws fit the rows
//  4. strata, joint: what holds given another column, and of several together
//  5. nights: the releases before, the record history, the draws made again
//  6. figures, population: the report's other figures
//
// They look at a subject, whose files are a pair, and leave a verdict. Below
// them exact has the arithmetic, table and digest what plans refer to; cells,
// book, records, replay and redraw read and recompute what is not a document.
//
// No text of a check quotes the value of a cell or a label; letters are named
// by their place.
package verify
