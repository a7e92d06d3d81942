package shares

import (
	"context"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism"
)

// A Verdict says whether a mechanism within a factor and a shift exists: there is
// one, a proof that there is none, or neither.
type Verdict struct {
	Mechanism *mechanism.Mechanism // within both; nil where none was found
	// Bracket is that of the least shift, as far as it was looked for. Above the
	// limit, its Lower refuses.
	Bracket Bracket
	Refused bool // Lower is above the limit
}

// Decide looks for a mechanism of the support whose factor is at most t and whose
// shift is at most limit. It fails as Least does.
func Decide(ctx context.Context, g Problem, t, limit *big.Rat, opt Options) (Verdict, error) {
	m, b, err := decide(ctx, g, t, limit, opt)
	if err != nil {
		return Verdict{}, err
	}
	v := Verdict{Bracket: b, Refused: b.Lower.Cmp(limit) > 0}
	if b.Shift.Cmp(limit) <= 0 {
		v.Mechanism = m
	}
	return v, nil
}

// decide is Least as far as the limit asks for it.
func decide(ctx context.Context, g Problem, t, limit *big.Rat, opt Options) (*mechanism.Mechanism, Bracket, error) {
	s, err := newShiftSearch(g, t)
	if err != nil {
		return nil, Bracket{}, err
	}
	return s.run(ctx, opt, limit)
}
