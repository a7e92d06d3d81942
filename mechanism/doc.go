// Package mechanism says what mechanisms are and measures them: channels p(y|x)
// that replace a private letter x by a published letter y, such that no output
// tells an observer more than epsilon about its record (pointwise maximal
// leakage) and no record is replaced by anything worse than a floor.
//
// A prior is counts, and a mechanism is integer weights over the outputs
// that are allowed. A forbidden output thus cannot be written down, e^leakage
// is a fraction, and every comparison that decides is exact. Floating point
// only proposes: what a solver finds is rounded to integers and measured anew.
//
// Leakage and the other measures describe any mechanism, whoever made it. The
// packages below this one make them; each imports only those before it here:
//
//	interior                     floating point: the solver, normal equations
//	optimum                      Least, LeastShift and Largest, with proofs; bounds
//	frontier                     what every floor costs, and why
//	design                       Make answers a Goal; the registry of designs
//	draw, composition            sampling; what repeated releases tell together
//	mechtest                     what their tests are given
//
// # Notation
//
//	paper          here                        source
//	X, P_X(x)      letter x, Prior             counts c_x over n
//	Y, P_Y(y)      output y, OutputLaw         q_y = sum_x P_x p_xy
//	P_{Y|X}(y|x)   Mechanism, Row              p_xy = w_xy / D_x, integers
//	u(x,y)         Order, rank 1..M            [SO, section II], M is best
//	u'(x,y)        Order, value                -Inf forbids
//	h, tau         RankFloor, ValueFloor       the worst that may occur
//	B_x, S_y       Support                     outputs for x, letters for y
//	n P(S_y)       Support.Mass
//	l(x->y)        Leakage.Output              log max_x p_xy / q_y [S23, Theorem 1]
//	epsilon        Epsilon, Leakage.Max        max of l over q_y > 0; nats
//	e^epsilon      factor                      big.Rat
//	M*(h)          Safe                        [SO, Theorem 1]
//	-log P(S_y)    optimum.LowerBound          [SO, Lemma 2]
//	eps(h)         frontier.CurvePoint.Here    [SO, Corollary 1]; not monotone
//
// Leakages are in nats where they are floats and factors where they are
// fractions. The maximum in l runs over letters with records; the floor holds
// for all letters.
//
// # References
//
// [SO] Song and Oechtering, "Worst-case utility privacy mechanism design via
// pointwise maximal leakage".
//
// [S23] Saeidian, Cervia, Oechtering and Skoglund, "Pointwise maximal
// leakage", IEEE Transactions on Information Theory 69 (2023).
//
// [G24] Grosse, Saeidian and Oechtering, "Extremal mechanisms for pointwise
// maximal leakage", IEEE Transactions on Information Forensics and Security 19
// (2024).
package mechanism
