package claim

// A Standing is how a claim is meant.
type Standing string

// Standings.
const (
	Promised Standing = "promised" // held to by design, for everybody to read
	Reached  Standing = "reached"  // what the release keeps, from its counts
	Told     Standing = "told"     // what is known to be told, and bounded by nothing
	Nothing  Standing = "nothing"  // what is expressly not promised
)

// A Bound is what a claim is about.
type Bound string

// Bounds.
const (
	Leakage    Bound = "leakage"    // factor by which a guess may become likelier
	Floor      Bound = "floor"      // worst replacement
	Cumulative Bound = "cumulative" // leakage of several releases together
	Joint      Bound = "joint"      // leakage of several private columns together
	Neighbours Bound = "neighbours" // leakage together with a published column
	Choice     Bound = "choice"     // what was chosen from the data
	Change     Bound = "change"     // what becomes of records
	Values     Bound = "values"     // which values are published
	Shift      Bound = "shift"      // how far shares of published values are off
)

// An Observer is whom a claim is about: what is seen, and what is known before.
type Observer string

// Observers.
const (
	Anyone        Observer = "anyone"              // the claim does not depend on it
	SeesCell      Observer = "cell"                // one published cell; knows the prior
	KnowsStratum  Observer = "cell, given stratum" // one published cell; knows the record's stratum and its prior
	MissesStratum Observer = "cell, no stratum"    // one published cell; never sees the stratum
	LearnsStratum Observer = "cell and stratum"    // both together
	OnlyStratum   Observer = "stratum"             // the stratum alone
	SeesCells     Observer = "cells"               // the cells of all private columns of one record
	SeesColumn    Observer = "cell and column"     // one published cell and another published column
	// one published cell; certain that the record's value never changed
	SeesRow Observer = "cell, value never changed"
	// all releases of one record; certain that its value never changed
	SeesReleases Observer = "releases"
	SeesChanges  Observer = "changes"  // all releases of one record; values may have changed
	SeesPresence Observer = "presence" // whether a cell is null
)

// A Prior is what the observer believes before.
type Prior string

// Priors.
const (
	ThisFile   Prior = "this file"        // the histogram of the file
	Declared   Prior = "declared"         // a prior that the user declared
	Smoothed   Prior = "smoothed"         // the histogram with records added for every value
	PlanData   Prior = "data of the plan" // the histogram that the plan was made from
	OwnStratum Prior = "own stratum"      // the histogram of the record's stratum
	FirstPlan  Prior = "first plan"       // the prior of the plan of the record's first release
	Together   Prior = "combinations"     // the combinations of all private columns in the file
	Population Prior = "population"       // the law that the records were drawn from
	NoPrior    Prior = "no prior"         // the claim needs none
)

// Records are those that a claim is about.
type Records string

// Records of claims.
const (
	All         Records = "all"                      // every record of the file
	Valued      Records = "with a value"             // those that are not null, where nulls are public
	Drawn       Records = "drawn anew"               // those drawn by this release's mechanism
	DrawnValued Records = "drawn anew, with a value" // those of them that are not null, where nulls are public
	Earlier     Records = "not drawn anew"           // those that may show an earlier draw
	Held        Records = "held"                     // those that show an earlier draw
	Nulls       Records = "null"                     // those that are null, where nulls are public
	WholeData   Records = "whole data"               // of which this file is a part
)
