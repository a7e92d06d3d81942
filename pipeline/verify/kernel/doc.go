// Package kernel proves what a release promises, from its files alone: from plan, order,
// output and, where it is there, input. It is the part of verify that has to be right, and
// it shares nothing with the code that makes releases: it reads JSON and CSV with the
// standard library, columns with package files, and computes in math/big.
//
// [Prove] makes one proof after another, a function each, with its formula and where that
// is from: section and equation of [SO] Song and Oechtering, "Worst-case utility privacy
// mechanism design via pointwise maximal leakage"; [S23] Saeidian et al., "Pointwise
// maximal leakage"; docs/verify.md has all of them in a page. What was proven are the
// [Facts], from which the rest of verify tells the report again.
//
// Throughout, letter x has c_x of the n records of a prior, P_x = c_x/n; its row says that
// output y is written with p(y|x) = w_xy/D_x; and q_y = sum_x P_x p(y|x).
//
// No check and no error quotes a value of a cell.
package kernel
