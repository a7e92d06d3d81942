// Package audit measures what a column that is published beside the private
// one tells of it: alone, and together with what was drawn. It sees letters,
// codes of strata and integers; which columns these come from is the caller's
// business.
//
// Three leakages are told apart, and none is the sum of the others: that of
// the stratum alone, l(X->w); the worst stratum's own, l(X->y|w), whose prior
// is that of its records; and the total, l(X->(w,y)). All are relative to the
// frequencies of the records that were judged. Nats are rounded up.
package audit
