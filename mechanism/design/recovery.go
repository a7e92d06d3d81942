package design

import (
	"cmp"
	"context"
	"errors"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
	"github.com/tacet-privacy/tacet/mechanism/recovery"
)

// recoveryDesign is what a search finds of mechanisms from which the shares of letters are estimated
// with a small error.
type recoveryDesign struct{}

func (recoveryDesign) kind() string  { return "recovery" }
func (recoveryDesign) settles() bool { return true }
func (recoveryDesign) words() string {
	return "of the mechanisms found at this floor and epsilon, the one from which shares are estimated " +
		"with the least error"
}
func (recoveryDesign) fits(t *task) bool { return t.goal.Recover && optimalDesign{}.fits(t) }

// least is one below which nothing can be undone at a floor; nil where that is not why nothing was found.
func (recoveryDesign) least(ctx context.Context, t *task, f mechanism.Floor) (*big.Rat, error) {
	least, err := optimalDesign{}.least(ctx, t, f)
	if err != nil {
		return nil, err
	}
	needed := recovery.Needed(t.prior, t.Support(f))
	if needed != nil && needed.Cmp(least) > 0 {
		least = needed
	}
	if least = spare(least, 1+2*spared); needed == nil || t.goal.Epsilon.Admits(least) {
		return nil, nil
	}
	return least, nil
}

// spare is a factor times so much.
func spare(factor *big.Rat, by float64) *big.Rat {
	return new(big.Rat).Mul(factor, new(big.Rat).SetFloat64(by))
}

const (
	// mostOver is the standard error, in those of randomised response within the same epsilon, up to
	// which a better floor is worth more than a smaller error.
	mostOver = 1.3
	// spared is left of the factor for the integers that floats become.
	spared = 1e-6
)

// make is at the floor that is given, or at the best where the error is at most mostOver times that of
// randomised response: a worse floor allows all that a better one does.
func (d recoveryDesign) make(ctx context.Context, t *task, _ *offer) (*offer, error) {
	if f := t.goal.Floor; f != nil {
		return d.at(ctx, t, *f, 0)
	}
	factor, _ := t.goal.Epsilon.Factor().Float64()
	enough := mostOver * mostOver * recovery.Responded(t.prior, factor)
	search, cancel := first(ctx, 1-searchShare)
	defer cancel()
	var found *offer
	lo, hi := 0, t.Len()-1
	for lo < hi && search.Err() == nil {
		mid := (lo + hi) / 2
		o, err := d.at(search, t, t.At(mid), enough)
		switch {
		case err == nil && o.spread <= enough:
			found, hi = o, mid
		case err == nil || errors.Is(err, errNothingFits):
			lo = mid + 1
		case search.Err() == nil:
			return nil, err
		}
	}
	o, err := d.at(ctx, t, t.At(hi), 0)
	if found != nil && (err != nil || found.spread < o.spread) {
		o, err = found, nil
	}
	if err == nil {
		o.cut = search.Err() != nil
	}
	return o, err
}

// at is the best that is found at a floor, or the first that is good enough.
func (recoveryDesign) at(ctx context.Context, t *task, f mechanism.Floor, enough float64) (*offer, error) {
	factor, s := spare(t.goal.Epsilon.Factor(), 1-spared), t.Support(f)
	if needed := recovery.Needed(t.prior, s); needed == nil || needed.Cmp(factor) > 0 {
		return nil, errNothingFits
	}
	near, least, err := t.bracket(ctx, f, optimum.Options{})
	if err != nil {
		return nil, err
	}
	if least.Upper.Cmp(factor) > 0 {
		return nil, cmp.Or(ctx.Err(), errNothingFits)
	}
	m, spread, err := recovery.Problem{Prior: t.prior, Also: t.goal.Also, Support: s, Stands: t.stands(), Factor: factor,
		Near: near, Least: least.Lower}.Search(ctx, enough)
	if m == nil {
		return nil, cmp.Or(err, errNothingFits)
	}
	o := t.offer(m, f)
	o.Certificate, o.spread = &least, spread
	return o, nil
}
