// Package optimum finds the best of all mechanisms with a given support: Least one of
// least factor, LeastShift one of least shift within a factor, and Largest one of largest
// expected weight within a factor and a limit of the shift. The float solver of package
// interior proposes. Every mechanism that is returned has integer weights and is measured
// exactly. A Certificate or a Bracket proves in integers how far it may be from the best,
// and Verify recomputes that proof.
//
// With pi_y the share of the letter that output y stands for and q the output law, the
// shift of a mechanism is D = sum_y (q_y - pi_y)^+, see mechanism.Shares. Write a mechanism
// as columns p_xy = q_y v_xy. Factor t means 0 <= v_xy <= t with sum_x P_x v_xy = 1. Rows
// sum to 1, so that for any numbers A_x and any c
//
//	sum_x P_x sum_y p_xy w_xy = sum_x P_x A_x + sum_y q_y sum_x P_x (w_xy - A_x) v_xy
//	                         <= sum_x P_x A_x + c + sum_y q_y s_y
//	                         <= sum_x P_x A_x + c + sum_y pi_y s_y + D max_y s_y
//
// over the outputs with t P(S_y) >= 1, where s_y = (kappa_y - c)^+ and kappa_y is
// the most that sum_x P_x (w_xy - A_x) v_x comes to over all such v. A Proof is
// made of that: with D at most a limit it bounds the weight, with c = max kappa_y at any
// shift, and with w = 0 and s_y <= 1 it bounds D from below.
//
// A Pattern is a support by its columns, over the letters with records. A Draft
// makes an exact mechanism of a proposal: rows of integers within the support,
// and where a factor is asked for, of that factor exactly.
//
// LowerBound and UtilityBound say without any search what no mechanism goes
// beyond. Factors are e^eps, as fractions.
package optimum
