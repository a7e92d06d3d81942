// Package mechanism recomputes what a release claims of its plan: from letters,
// order and rows what each output tells, that no mechanism at this floor tells
// less, what observers can believe, and what the records keep; and holds input,
// output and all figures of the report to that. What is expected is put down as
// [Figures], by key of the report, and one comparison holds the report to it.
package mechanism

import "github.com/tacet-privacy/tacet/pipeline/verify/document"

type (
	// Figures are what is expected of the report, by key.
	Figures = document.Figures
	// Rounded is a float that is expected but for its last bits.
	Rounded = document.Rounded
	// Stated is a figure that is not looked at.
	Stated = document.Stated
	// A Rule takes some figures and not others.
	Rule = document.Rule
	// A Node is a place of a report.
	Node = document.Node
)

// within is a float and how far a claim may be from it.
func within(value, by float64) document.Near { return document.Near{Value: value, By: by} }

var some, number, truth, rounded = document.Filled, document.Number, document.Truth, document.Round
