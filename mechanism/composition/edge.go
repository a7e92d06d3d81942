package composition

import (
	"fmt"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism"
)

// Target is what a plan is designed for so that ordinary drift does not stop
// it: the largest factor e^eps / (1+headroom), where e^eps is as in
// mechanism.Epsilon.Factor. Let the counts drift so that no letter's share falls
// below 1/(1+headroom) of what it was, and no letter without records gains one:
// every q_y keeps at least that part and no maximum over letters grows, so the
// plan keeps to eps. It fails where even a factor 1 leaves no such headroom.
func Target(eps mechanism.Epsilon, headroom *big.Rat) (mechanism.Epsilon, error) {
	if headroom.Sign() < 0 {
		return mechanism.Epsilon{}, fmt.Errorf("the headroom %s is negative", headroom.RatString())
	}
	if headroom.Sign() == 0 {
		return eps, nil
	}
	whole := new(big.Rat).Add(headroom, big.NewRat(1, 1))
	f := eps.Factor()
	if f.Quo(f, whole).Cmp(big.NewRat(1, 1)) < 0 {
		return mechanism.Epsilon{}, fmt.Errorf("epsilon %v is too small for %s headroom: it must be at least %.6g",
			eps, headroom.RatString(), mechanism.Nats(whole))
	}
	return mechanism.LogOf(f), nil
}
