package composition

import (
	"fmt"
	"math/big"
	"slices"

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

// Shifted is the largest p_w(y|x) / q_y of any part w, letter x with records there
// and output y, exactly: what whoever does not know the part learns at most,
// however the records of a letter are shared among the parts that hold it. Let the
// counts drift so that no share of a letter in a part, among all records, falls
// below 1/(1+headroom) of what it was, and none is gained where there was none:
// p(y|x) stays a mean of the p_w(y|x) of these parts, and q_y keeps that share. So
// parts designed for Target, and with Shifted within it, keep to eps.
func Shifted(part []mechanism.Part) *big.Rat {
	most := big.NewRat(1, 1)
	total := int64(0)
	for _, p := range part {
		total += p.Prior.Total()
	}
	if total == 0 {
		return most
	}
	for y := range part[0].Mechanism.Outputs() {
		peak, sum := new(big.Rat), new(big.Rat) // the largest p_w(y|x), and n q_y
		for _, p := range part {
			own := peakOf(p, y)
			if own.Sign() == 0 {
				continue
			}
			if own.Cmp(peak) > 0 {
				peak = own
			}
			n := new(big.Rat).Mul(own, new(big.Rat).SetInt64(p.Prior.Total()))
			sum.Add(sum, n.Quo(n, p.Leakage.Output[y])) // l = max p/q
		}
		if sum.Sign() == 0 {
			continue
		}
		f := new(big.Rat).Mul(peak, new(big.Rat).SetInt64(total))
		if f.Quo(f, sum); f.Cmp(most) > 0 {
			most = f
		}
	}
	return most
}

// peakOf is the largest p(y|x) of a letter with records, 0 where none gives y.
func peakOf(p mechanism.Part, y int) *big.Rat {
	peak := new(big.Rat)
	for x := range p.Mechanism.Inputs() {
		r := p.Mechanism.Row(x)
		i, ok := slices.BinarySearch(r.Output, uint16(y))
		if !ok || p.Prior.Count(x) == 0 {
			continue
		}
		if v := big.NewRat(r.At(i), r.Total); v.Cmp(peak) > 0 {
			peak = v
		}
	}
	return peak
}
