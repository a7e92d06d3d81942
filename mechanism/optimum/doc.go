// Package optimum finds the best of all mechanisms with a given support. Least finds
// one of least factor, Largest one of largest expected weight within a factor. The
// float solver of package interior proposes. Every mechanism that is returned has
// integer weights and is measured exactly. A Certificate or a Worth proves in integers
// how far the mechanism may be from the best, and Verify recomputes that proof.
//
// A Pattern is a support by its columns, over the letters with records. A Draft
// makes an exact mechanism of a proposal: rows of integers within the support,
// and where a factor is asked for, of that factor exactly.
//
// LowerBound and UtilityBound say without any search what no mechanism goes
// beyond. Factors are e^eps, as fractions.
package optimum
