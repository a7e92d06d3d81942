// Package count opens the input and counts its private columns: values, nulls, declared
// values and priors, rare values, groups. It is every pass over the input but the
// draw and the judgement of other columns, and it designs nothing.
//
//   - source.go, formats.go: the input, by its columns
//   - counted.go, counts.go: what is counted of a column: it is written to a file,
//     read again, and added to that of another input
//   - domain.go, declaration.go: values that occur or may occur; labels, counts and
//     priors that a user declares in files
//   - prior.go: priors beside the histogram
//   - strata.go: the records of every group
package count
