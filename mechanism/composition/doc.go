// Package composition says what repeated releases of one record tell together.
//
// A Channel is one independent draw per record: a design under one key. All
// nights under one design and key with memoised draws are one draw; a new
// design or a new key is a new one. For a record whose letter never changed,
// the published outputs y_1, ..., y_k of k channels have the likelihood
//
//	L(x) = prod_j p_j(y_j | x)
//
// and the factor by which they can raise any guess about the letter is
//
//	max_x L(x) / sum_x P_x L(x),
//
// the maximum over letters with records, P the prior of the record's first
// plan. Factors do not multiply, not even those of independent draws: the
// uniform 3x3 circulant that allows two of three outputs has factor 3/2, and
// twice it has factor 3.
//
// Two outputs under one channel, or outputs that no letter can give together,
// show that the letter changed. The state is then Visible and no factor bounds
// what was told.
//
// A Series computes factors from published outputs alone, and by the total of a
// channel decides from them, before a draw, whether a record is drawn tonight or
// shows its last output again: Decide. States are shared by all records with
// the same history, so that a record costs a walk along pointers. Floats with an
// enclosure of their error settle what they can; what they cannot, and every
// factor that is answered, is exact.
//
// Person is the account of several rows of one person, and Target of how far
// counts may drift from a plan.
package composition
