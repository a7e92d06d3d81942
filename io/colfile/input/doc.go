// Package input says what a column file is to those who read one: where its
// bytes come from, which of its columns are asked for, and what is told where
// it cannot be worked on.
package input
