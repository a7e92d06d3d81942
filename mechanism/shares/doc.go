// Package shares finds mechanisms whose published column can be counted: those of
// least shift at a support and factor, those of largest expected weight within a
// factor and a shift, those of least factor within a shift, and the best floor at
// which a factor and a shift can be kept.
//
// With pi_y the share of the letter that output y stands for and q the output
// law, the shift of a mechanism is D = sum_y (q_y - pi_y)^+, see mechanism.Shares.
// Write a mechanism as columns p_xy = q_y v_xy. Factor t means 0 <= v_xy <= t with
// sum_x P_x v_xy = 1. Rows sum to 1, so that for any numbers A_x and any c
//
//	sum_x P_x sum_y p_xy w_xy = sum_x P_x A_x + sum_y q_y sum_x P_x (w_xy - A_x) v_xy
//	                         <= sum_x P_x A_x + c + sum_y q_y s_y
//	                         <= sum_x P_x A_x + c + sum_y pi_y s_y + D max_y s_y
//
// over the outputs with t P(S_y) >= 1, where s_y = (kappa_y - c)^+ and kappa_y is
// the most that sum_x P_x (w_xy - A_x) v_x comes to over all such v. A Proof is
// made of that, for either side: with D at most a limit it bounds the weight, and
// with w = 0 and s_y <= 1 it bounds D from below.
//
// The solver of package interior proposes in floating point. What is returned is
// integers, measured exactly, with proofs that Verify recomputes.
package shares
