// Package claim holds what a report says in words to its own figures, which other
// rooms recompute: claims, warnings, options, the letters and the draws, and the
// public report to the internal one. It reads documents, and no rows of a plan.
package claim

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

var some = document.Filled
