// Package interior is a primal-dual interior-point method for the two linear
// programs of a mechanism with a given support. It works in floating point
// and returns proposals only: package mechanism rounds them to integers and
// decides in exact arithmetic what they are worth.
//
// With P the prior, t = e^eps, and u_j = t q_j, q the output law:
//
//	min  sum c_ij p_ij
//	s.t. sum_j p_ij - e_i   = 1        dual y_i
//	     sum_i P_i p_ij     = u_j/t    dual nu_j
//	     s_ij = u_j - p_ij >= 0        dual z_ij
//	     p_ij, e_i         >= 0        duals d_ij, y_i
//
// Least takes c_ij = P_i: the value is 1 exactly when t is feasible, and there
// is always a strictly feasible point, so it needs no first phase; t itself
// moves during the run. Best takes c_ij = P_i (max w - w_ij) without e.
//
// A column j can be used only when t P(S_j) >= 1. At equality p_ij = u_j on
// all of S_j: such a column is flat and is one variable with the reduced cost
// D_j. One step, with the residuals r, first eliminates the cells, then the
// pair (dnu_j, du_j) of every column, in this order (the other pivot cancels
// as c goes to 0), and leaves an N x N system for dy:
//
//	per cell   g = z/s, h = 1/(d/p + g)
//	per column a = sum P^2 h, b = sum P g h - 1/t, c = sum g h d/p, D = a c + b^2
//	S = diag(sum_j h + e/y) - sum_j X_j X_j' + sum_j Y_j Y_j'
//	X_j = P h / sqrt(a), Y_j = sqrt(a/D) (g h - (b/a) P h); flat: Y_j = sqrt(u/D_j) on S_j
//
// Best may hold the output law to given shares, too: see Shares.
//
// The result is the same for any number of threads: sums over columns are
// always formed in two halves that are added in one order.
package interior
