// Package draw replaces private letters by drawn ones: what touches every
// record.
//
// A Table is a mechanism made ready for sampling. A Source is one stream of
// random 16-bit words, and every draw is a function of the words it takes, in
// order. So the output of a unit depends on its key, its letters and their
// order, never on how the letters are batched or on which goroutine draws.
//
// Every draw has exactly the law of its mechanism row: integers and rejection,
// never a float and never a remainder. A row of m equal weights takes
// [Lemire 2019] one word w and answers the output number floor(w m / 2^16),
// taking another word when w m mod 2^16 < 2^16 mod m: what is left gives each
// number floor(2^16/m) words. A row of unequal weights is an alias table
// [Vose 1991] over the row's own outputs: one word chooses the slot in that
// way, a second one is compared with the first base-2^16 digit of the slot's
// threshold. Only if the two are equal (one draw in 65,536) are further words
// compared with further digits, so the comparison is one of real numbers.
//
// The second way serves all rows of a mechanism as soon as one of them has
// unequal weights. A row with one output takes words like any other.
//
// A Keyed is another way to draw, for releases that are repeated: its output is
// a function of key, design, column, record and letter (docs/draws.md).
//
// References
//
//	D. Lemire, Fast random integer generation in an interval, ACM TOMACS 29, 2019.
//	M. D. Vose, A linear algorithm for generating random numbers with a given
//	distribution, IEEE Trans. Software Engineering 17, 1991.
//	H. C. Chen and Y. Asau, On generating random variates from an empirical
//	distribution, AIIE Transactions 6, 1974.
//	R. Durstenfeld, Algorithm 235: Random permutation, CACM 7, 1964.
//	J. Song et al., The AES-CMAC algorithm, RFC 4493, 2006.
package draw
