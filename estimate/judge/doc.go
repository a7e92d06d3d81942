// Package judge decides whether what is published beside a private letter
// gives it away. Whoever sees a cell can guess the letter by a rule that other
// rows teach. Such rules are learnt on one half of the rows, the best are
// chosen there, and what they are worth is measured on the other half, with
// exact binomial bounds [Clopper and Pearson 1934]. So noise is never taken
// for knowledge, however many rules are tried.
//
//  1. sample.go: letters, and the half that each row belongs to
//  2. trial.go: the values of a column, counted by letter in each half
//  3. learn.go: a rule is a key for each value and a letter for each key
//  4. sets.go: keys at which a rare letter is likelier than it may become
//  5. held.go: the held-out half, and the verdict
//  6. kin.go: values of few rows; together.go: all columns at once
//
// It sees letters, values and keys as integers, and reads nothing.
package judge
