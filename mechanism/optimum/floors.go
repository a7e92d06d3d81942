package optimum

import (
	"context"
	"errors"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism"
)

// Floors are candidate floors from the best at place 0 down, each allowing what
// the one before it does: package frontier has those of an order.
type Floors interface {
	Len() int
	At(place int) mechanism.Floor
	Support(f mechanism.Floor) *mechanism.Support
}

// A FloorBracket says at which of the floors a mechanism within a factor and a
// shift exists. What a floor allows a worse one does, so that verdicts are
// monotone.
type FloorBracket struct {
	// Place is the best floor at which a mechanism was found; the number of floors
	// where none was.
	Place int
	// Refused is the worst floor at which none exists, -1 where that is known of
	// no floor. Floors between the two are undecided.
	Refused int
	// Bracket is that of the least shift at Refused, and Factor the error there
	// where the factor alone is out of reach; both are nil without such a floor.
	Bracket *Bracket
	Factor  *FactorError
}

// BestFloor returns a mechanism at the best floor at which one of factor at most t
// and shift at most limit was found, by bisection. from is a place with only worse
// ones to look at, such as the best floor within t alone; 0 where nothing is known.
// The mechanism is nil where no floor will do. Where the context ends, what was
// found and refused by then stands.
func BestFloor(ctx context.Context, p mechanism.Prior, stands []int, floors Floors, from int, t, limit *big.Rat,
	opt Options) (*mechanism.Mechanism, FloorBracket, error) {
	out := FloorBracket{Place: floors.Len(), Refused: -1}
	var best *mechanism.Mechanism
	lo, hi := from, floors.Len()
	for lo < hi {
		mid := (lo + hi) / 2
		g := Problem{Prior: p, Support: floors.Support(floors.At(mid)), Stands: stands}
		m, b, err := Decide(ctx, g, t, limit, opt)
		var none *FactorError
		switch {
		case errors.As(err, &none):
			if none.Factor.Cmp(none.Lower) < 0 {
				out.Refused, out.Bracket, out.Factor = mid, nil, none
			}
			lo = mid + 1
		case err != nil:
			return best, out, err
		case m != nil:
			best, hi, out.Place = m, mid, mid
		default:
			if b.Lower.Cmp(limit) > 0 {
				out.Refused, out.Bracket, out.Factor = mid, &b, nil
			}
			lo = mid + 1
		}
		if ctx.Err() != nil {
			break
		}
	}
	return best, out, nil
}
