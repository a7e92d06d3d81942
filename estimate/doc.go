// Package estimate goes from records to what is known about their law: counts
// of letters, the priors that are made of them, bounds on what a sample says
// about its population, and the test of whether a released file has the law of
// its mechanism.
//
// Letters are 0..N-1; a negative letter is a null outside the alphabet. Counts
// are exact integers. Leakages and log probabilities are in nats.
package estimate
