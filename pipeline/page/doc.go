// Package page says in words and pictures what a report holds, and makes the page to
// choose a floor on. A section is one function from a report to fields, notes and
// tables, in a list; every view shows every section, so a new line is written once.
//
// The words are held to the mathematics: pointwise maximal leakage multiplies
// the chance that a guess is right, so bounds are said as "at most so many in
// 100", and never of odds; epsilon comes with its scale; and what the report
// supports is not called more than that.
package page
