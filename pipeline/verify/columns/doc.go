// Package columns recomputes what columns tell of each other: several private
// columns together, by the combinations of letters of the input and the rows of
// every plan, and what columns published in clear tell about the private one.
package columns

import "github.com/tacet-privacy/tacet/pipeline/verify/document"

type (
	// Figures are what is expected of the report, by key.
	Figures = document.Figures
	// Stated is a figure that is not looked at.
	Stated = document.Stated
	// A Rule takes some figures and not others.
	Rule = document.Rule
	// A Node is a place of a report.
	Node = document.Node
)

var some, number, truth, rounded = document.Filled, document.Number, document.Truth, document.Round
