// Package verify says whether a release is what it claims, from its files alone.
//
// What a promise rests on is proven by package kernel and the packages below it, which share
// nothing with the code that designs and writes: counts, pairs, factors, floors, shifts,
// certificates, kept columns. All else is told again: package account tells the report from
// the plan, from what the kernel counted and from what is stated (what people declared, what
// a ledger holds), package page the views, and every member and byte must be the same. With
// the input the other columns are judged again, too.
//
// The checks are made in this order:
//
//  1. signature, statement, commitment, decisions
//  2. hashes of input and output, and the kernel's proofs
//  3. the releases before, the draws made again
//  4. the report told again, its options, its order as asked for, its views
//  5. what several private columns tell together
//
// No text of a check quotes the value of a cell or a label; letters are named by their place.
package verify
