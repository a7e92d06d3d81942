// Package verify recomputes what a release claims, from its files alone:
// report.json, plan.json, order.csv, the output, and the input where there is
// one. It shares no code with the packages that designed and wrote them: it
// has its own structs, its own integers, its own reading of the files' formats
// as docs/files.md and docs/formats.md give them. A test of the import graph
// holds it and the rooms below it to that.
//
// The checks are made in this order:
//
//  0. the signature, where a public key is given, and the commitment
//  1. the documents, read strictly (document)
//  2. hashes, letters, rows; the order table, ranks, the support that the floor
//     leaves, no row outside it; e^l(y) of every output as a fraction, its
//     logarithm, the target; no mechanism at this floor has a smaller factor
//  3. the files: hashes, rows, columns, metadata, what lies between; input and
//     output side by side, row by row; how well the draws fit the rows
//  4. what holds given another column, and of several columns together
//  5. the releases before, the record history, the draws made again (releases)
//  6. the report's other figures
//
// Room mechanism makes those of 2 and 3, and of 6 what rows and counts give;
// columns those of 4; the words of the report are held to its figures here. All look
// at one view of the documents, and leave their outcomes there. Below them exact
// has the arithmetic, and files reads Parquet, Arrow, tables of utilities and hashes.
//
// No text of a check quotes the value of a cell or a label; letters are named
// by their place.
package verify
