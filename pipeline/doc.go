// Package pipeline is the job: the one place where data and mathematics meet.
//
// File run.go tells a run as a story: open, count, decide, draw, check, tell,
// publish. Each step is a method of what the step before returns, and takes the
// settings that it needs; what is asked for never changes. Files release.go and
// finish.go have the steps. What the steps work on has files of its own: column.go and
// part.go one private column, parts.go all of them, place.go where the release is put,
// rerun.go a run that can be repeated. The steps, in the packages below:
//
//  1. package request: what was asked for, checked before anything is read
//  2. package count: open the input, pass one: alphabet and counts of the column
//  3. there, too: null rule, declared domain, rare values, prior, and the groups of records
//  4. package decide: utility order, floor and mechanism, gathered in one Plan
//  5. package plan: the Plan prints, saves, loads and verifies
//  6. package neighbours: what the other columns reveal is judged
//  7. package records: pass two: every record is redrawn from the plan, and counted
//  8. there, too: the written file is read again, compared with that, and judged
//  9. packages account and claim: the report's figures and sentences
//  10. package page: views; all files and their statement are put in place together
//
// Package floors stops after step 3 and searches what every floor would cost.
// Package releases has what a release remembers of the ones before, package
// ledger where that is kept. What goes wrong in any of them is a fault of
// package fault. Package verify is the independent program that checks a release.
//
// A plan is groups of records and the mechanisms that draw them: one of each where
// no column is given. Steps walk the groups; what holds of several only asks how many
// there are.
//
// Everything that is decided is decided before step 7; what comes after cannot
// change it. Mathematics is in package mechanism and the packages below it, files are
// in io. One word for one idea:
//
//	value       what the user has in a cell
//	letter      a value inside the mathematics, as a number
//	mechanism   the chance of every output given every letter
//	neighbours  the other published columns, and the places of the rows
//	releases    the same data, or what became of it, published again
//	groups      records that share a stratum
package pipeline
