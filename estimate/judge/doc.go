// Package judge decides whether the columns published beside a private letter
// give the letter away. Whoever sees a cell can guess the letter by a rule that
// other rows teach. The package learns such rules on one half of the rows and
// chooses the best there. It measures these on the other half, with exact
// binomial bounds [Clopper and Pearson 1934]. So noise is never taken for
// knowledge, however many rules are tried.
//
//  1. sample.go: letters, and the half that each row belongs to
//  2. trial.go: the values of a column, counted by letter in each half
//  3. learn.go: a rule is a key for each value and a letter for each key
//  4. sets.go: keys at which a rare letter is likelier than it may become
//  5. held.go: the held-out half, and the verdict
//  6. untaught.go: rules that nothing taught, on both halves
//  7. kin.go: values of few rows; together.go: all columns at once
//
// The package sees letters, values and keys as integers, and reads no file.
package judge
