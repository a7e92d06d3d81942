// Package mechanism recomputes what a plan and a report say: letters and rows, order
// and floor, e^l(y) of every output, target and certificate, groups and columns, the
// population, beliefs, other floors and baselines, the words of claims, and the
// written file beside the input.
package mechanism
