// Package kept judges the columns that are published beside the private one,
// and the places of the rows: what each tells of the private letter, alone and
// together with what was drawn.
//
//  1. sample.go: whole units spread over the file, all columns side by side
//  2. key.go, cells.go: cells become keys, and as long as they are few, codes
//  3. number.go: equal cells become equal codes, by sorting
//  4. bins.go: numbers and times of too many values become quantiles
//  5. measure.go: the figures of every column, of pairs, and of the places
//  6. verdict.go: what is refused, what is warned of
package kept
