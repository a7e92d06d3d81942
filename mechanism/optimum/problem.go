package optimum

import (
	"fmt"
	"math"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism"
)

// A Problem is what mechanisms are looked for in.
type Problem struct {
	Prior   mechanism.Prior
	Also    []mechanism.Prior // further ones under which factors are counted
	Support *mechanism.Support
	// Stands is the letter that each output stands for, -1 for none; nil where nothing is
	// said of the shift.
	Stands []int
}

// Options bound a search. The zero value is usual.
type Options struct {
	// Near is a mechanism for the same letters that may do, such as the one found for a
	// neighbouring floor; nil for none. It is used when it stays within the support, and is the
	// answer of Least when Weight proves it within Gap.
	Near *mechanism.Mechanism
	// Bytes is the most memory the float solver may take; 0 means 4 GiB. A
	// support that needs more gets what needs no solver.
	Bytes int64

	// Decide, if set, ends a search of the least factor, or the least shift, as soon as it is
	// proven whether that is above Decide or a mechanism within it is known.
	Decide *big.Rat
	// Gap is the relative width of the bracket of Least that is good enough; 0 means
	// 1e-9.
	Gap float64
	// Weight is for Least the certificate of a neighbouring support; it proves
	// something for every support.
	Weight []int64

	// Least is for Largest a factor proven that no mechanism of the support goes below, such
	// as the Lower of Least's certificate; nil means not known. It spares work.
	Least *big.Rat
	// Tighten asks Largest for less than the factor where the utility found, given up to
	// 1e-7 of the range of the weights, does not need all of it: as far as a few solves tell.
	Tighten bool
}

// A FactorError says that no mechanism of the support was found within the
// factor asked for.
type FactorError struct {
	Factor *big.Rat // what was asked for
	Lower  *big.Rat // the least factor of the support lies in Lower .. Upper
	Upper  *big.Rat
}

func (e *FactorError) Error() string {
	const digits = 9
	word := "was found"
	if e.Factor.Cmp(e.Lower) < 0 {
		word = "exists"
	}
	return fmt.Sprintf("mechanism: none within factor %s %s: the least is in %s .. %s",
		e.Factor.FloatString(digits), word, e.Lower.FloatString(digits), e.Upper.FloatString(digits))
}

// A LimitError says that no mechanism was found within a shift.
type LimitError struct {
	Limit *big.Rat // what was asked for
	Lower *big.Rat // no mechanism has less: above Limit, there is none
}

func (e *LimitError) Error() string {
	word := "was found"
	if e.Lower.Cmp(e.Limit) > 0 {
		word = "exists"
	}
	return fmt.Sprintf("mechanism: none within shift %s %s: the least is at least %s", e.Limit.FloatString(9), word,
		e.Lower.FloatString(9))
}

// power is 2^s.
func power(s int) *big.Rat {
	v := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(max(s, -s))))
	if s < 0 {
		v.Inv(v)
	}
	return v
}

func rounded(v *big.Rat) float64 {
	f, _ := v.Float64()
	return f
}

var one = big.NewRat(1, 1)

// exceeds reports whether factor is above least by more than the share gap.
func exceeds(factor, least *big.Rat, gap float64) bool {
	return least == nil || rounded(new(big.Rat).Quo(factor, least))-1 > gap
}

// Gap is how far a shift, or a weight in shares of its range, may be from what is
// proven for a search to be content.
const Gap = 1e-6

// tight is the gap below which no better rounding is looked for.
const tight = 1e-9

// A Bracket says where the best of a support within a factor lies: the largest expected
// weight within a limit of the shift, or the least shift.
type Bracket struct {
	// Of the mechanism that came with it, and of all: its weight is Lower, and none has
	// more than Upper; or none has a shift of less than Lower, and its own is Upper.
	Lower, Upper *big.Rat
	Factor       *big.Rat // e^eps of the mechanism
	Shift        *big.Rat // of the mechanism; nil where nothing is said of it
	Proof        *Proof   // nil where each letter's best output proves Upper, or Lower is 0
	Gap          float64  // of a weight: Upper - Lower in shares of the range of the weights
}

// Verify recomputes in exact arithmetic what is proven of the largest weight w within
// factor t and the limit of the shift, nil for none, or of the least shift where w is nil. It
// fails where the proof gives less than is said.
func (b Bracket) Verify(g Problem, t, limit *big.Rat, w mechanism.Weights) error {
	if w == nil {
		proven := new(big.Rat)
		if b.Proof != nil {
			var err error
			if proven, err = b.Proof.Shift(g, t); err != nil {
				return err
			}
		}
		return atLeast(proven, b.Lower)
	}
	k, err := patternOf(g, w)
	if err != nil {
		return err
	}
	proven := k.ceiling()
	if b.Proof != nil {
		if proven, err = b.Proof.Weight(g, t, limit, w); err != nil {
			return err
		}
	}
	if b.Upper == nil {
		return errProof
	}
	return atLeast(new(big.Rat).Neg(proven), new(big.Rat).Neg(b.Upper))
}

// A search holds the best mechanism so far, and what is proven of all.
type search struct {
	*Pattern
	Bracket
	t      *big.Rat // the most that the factor may be; nil where it is made least
	limit  *big.Rat // of the shift, where a weight is made large; nil for none
	decide *big.Rat // a shift, or a factor, that is to be decided on; nil for none
	edge   bool     // below the factor there is nothing: it is the least one
	best   *mechanism.Mechanism
	price  []float64 // of the last solve; nil before
	weight []int64   // proves Lower of a factor
}

// newSearch is one for a weight or, where w is nil, for the least shift.
func newSearch(g Problem, t, limit *big.Rat, w mechanism.Weights) (*search, error) {
	k, err := patternOf(g, w)
	if err != nil {
		return nil, err
	}
	s := &search{Pattern: k, t: t, limit: limit}
	if s.Lower = new(big.Rat); w != nil {
		s.Lower, s.Upper = nil, k.ceiling()
	}
	return s, nil
}

// offer takes m where its exact factor, and its shift if that is limited, are within their
// limits, and it is the best so far; it reports whether the former is so.
func (s *search) offer(m *mechanism.Mechanism) bool {
	f := s.FactorOf(m)
	if f == nil || s.t != nil && f.Cmp(s.t) > 0 {
		return false
	}
	if s.t == nil {
		if s.best == nil || f.Cmp(s.Upper) < 0 {
			s.best, s.Upper, s.Factor = m, f, f
		}
		return true
	}
	var d *big.Rat
	if s.stands != nil {
		d = m.Shares(s.Prior, s.stands).Shift
	}
	if s.limit != nil && d.Cmp(s.limit) > 0 {
		return false
	}
	if s.weights == nil {
		if s.best == nil || d.Cmp(s.Upper) < 0 {
			s.best, s.Upper, s.Shift, s.Factor = m, d, d, f
		}
		return true
	}
	if v := s.value(m); s.best == nil || v.Cmp(s.Lower) > 0 {
		s.best, s.Lower, s.Shift, s.Factor = m, v, d, f
	}
	return true
}

// prove takes prices, by place in letter, where they prove more than is known.
func (s *search) prove(price []float64) {
	s.price = price
	if s.weights == nil {
		if f, v := s.provenShift(price, s.t); f != nil && v.Cmp(s.Lower) > 0 {
			s.Lower, s.Proof = v, f
		}
		return
	}
	f := s.proof(price, s.t, s.limit)
	if v, err := f.Weight(s.problem(), s.t, s.limit, s.weights); err == nil && v.Cmp(s.Upper) < 0 {
		s.Upper, s.Proof = v, f
	}
}

// closed reports whether nothing is left to look for.
func (s *search) closed() bool {
	if d := s.decide; d != nil && (s.Lower.Cmp(d) > 0 || s.best != nil && s.Upper.Cmp(d) <= 0) {
		return true
	}
	return s.best != nil && (s.Upper.Cmp(s.Lower) <= 0 || s.weights != nil && s.open() <= tight)
}

// open is what the bracket leaves, of a weight in shares of the range, of a factor in parts of
// Lower; +Inf where there is no mechanism yet.
func (s *search) open() float64 {
	if s.best == nil {
		return math.Inf(1)
	}
	if s.t == nil {
		return rounded(new(big.Rat).Quo(s.Upper, s.Lower)) - 1
	}
	v := rounded(new(big.Rat).Sub(s.Upper, s.Lower))
	if s.weights == nil {
		return v
	}
	return s.part(v)
}

// left is what open says, and 0 once nothing is to be looked for.
func (s *search) left() float64 {
	if s.closed() {
		return 0
	}
	return s.open()
}
