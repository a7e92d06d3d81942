// Package neighbours judges what the other published columns, and the places of
// the rows, reveal about a private value; and it computes exactly
// what several private columns tell together.
//
//  1. sample.go: whole units spread over the file, all columns side by side
//  2. cells.go: cells become keys, and as long as they are few, codes
//  3. codes.go, bins.go: equal cells become equal codes; numbers and times quantiles
//  4. text.go, date.go, number.go: what of a cell is looked at, as rules
//  5. measure.go: the figures of every column, of pairs, and of the places
//  6. verdict.go: what is refused, what is warned of
//  7. joint.go, crossing.go: combinations of several private columns, counted exactly
package neighbours
