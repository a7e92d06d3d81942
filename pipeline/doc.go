// Package pipeline is the job: the one place where data and mathematics meet.
//
// A run goes through these steps, each a file of this package or a room below:
//
//  1. package options: what was asked for, checked before anything is read
//  2. package source: open the input, pass one: alphabet and counts of the column
//  3. there, too: null rule, declared domain, columns that look like identifiers
//  4. package decide: utility order, floor and mechanism, gathered in one Plan
//  5. package plan: the Plan prints, saves, loads and verifies
//  6. package records: pass two: every record is redrawn from the plan, and counted
//  7. there, too: the written file is read again, compared with that, and judged
//  8. package account: the report's figures
//  9. finish.go: output and report are put in place together
//
// Package survey stops after step 3 and searches what every floor would cost.
// Packages joint and booking have what columns and releases tell together.
// What goes wrong in any of them is a fault of package fault.
//
// Everything that is decided is decided before step 6; steps 6 to 9 cannot
// change it. Mathematics is in package mechanism and
// the rooms below it, files are in io.
package pipeline
