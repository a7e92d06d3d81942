// Package neighbours judges what the other published columns, and the places of
// the rows, reveal about a private value; and it computes exactly
// what several private columns tell together.
//
//  1. sample.go: whole units spread over the file, one column at a time; view.go: of nested ones the leaves
//  2. cells.go, value.go: cells become keys and values, those of texts numbers where they are some
//  3. rule.go: a rule is a key of a cell, in one table by type: text.go, date.go, number.go
//  4. copy.go, period.go: what needs no learning, and remainders that letters follow
//  5. jury.go, stage.go: every column on few rows first; pairs, the places, all together
//  6. verdict.go, drop.go: what is refused, and a small set without which nothing is
//  7. joint.go, crossing.go, presence.go: combinations of several private columns, counted exactly
package neighbours
