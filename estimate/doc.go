// Package estimate goes from records to what is known about their law, and from
// published outputs back to the shares of letters.
//
// From records: counts of letters, the priors that are made of them, bounds on what a
// sample says about its population, and the test of whether a released file has the law
// of its mechanism.
//
// From outputs: the law of the outputs is q = p^T P for a mechanism p and the shares P of
// letters [Warner 1965; Chaudhuri and Mukerjee 1988].
//
//  1. channel.go: a mechanism, and which sums c.P it lets be estimated at all:
//     c = p a
//  2. sample.go: the outputs that were counted, and how many draws they are worth
//  3. linear.go: the unbiased estimate a.q^ of least variance, with its covariance
//  4. likely.go: the most likely shares, by accelerated EM, with a proof of how near
//  5. forecast.go: what all this will tell of a file that is known, before its
//     release
//
// There are two questions, with two variances. That of the file: its letters
// are fixed, and only draws are random. That of its population: the rows, too,
// are independent draws. Shares are in [0, 1]; errors are standard deviations of
// shares.
//
// Letters are 0..N-1; a negative letter is a null outside the alphabet. Counts
// are exact integers. Leakages and log probabilities are in nats.
package estimate
