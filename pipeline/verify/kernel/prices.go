package kernel

import "math/big"

// refused says why weights W (plan.certificate.pi) and prices do not prove that
// no mechanism has the factor T = lower_factor under two priors P and R; "" where
// they do.
//
// Such a mechanism has columns v = p_.y with v_x <= T min(q_y, r_y), the output
// laws q_y = sum P_x v_x and r_y = sum R_x v_x of the priors under which x occurs.
// Take prices Y, Z >= 0 for output y and
//
//	n_x = max(0, W_x + T (P_x Y + R_x Z)) for x in S_y.
//
// Let the n_x of the letters of P alone add up to Y at most, those of R alone to
// Z, and all of them to Y + Z. Then the n_x can be dealt out, each to priors of its
// letter, so that neither prior gets more than its price, and
//
//	sum W_x v_x <= sum n_x v_x - T (Y q_y + Z r_y) <= 0.
//
// The rows of a mechanism sum to 1, so that over all outputs this gives sum W_x
// <= 0; yet the weights add up to more.
func (p *proof) refused(count [][]int64, lower *big.Rat) (why string) {
	c := p.Plan.Certificate
	if len(count) < 2 || len(p.Groups) > 1 {
		return "prices stand for two priors, and this plan is held to one"
	}
	if len(c.Pi) != len(p.Plan.Inputs) || len(c.Prices) != len(p.Plan.Outputs) {
		return "there is not one weight per input and one pair of prices per output"
	}
	total := [2]*big.Int{big.NewInt(sum(count[0])), big.NewInt(sum(count[1]))}
	if total[0].Sign() == 0 || total[1].Sign() == 0 {
		return "a prior has no records"
	}
	weight, gain := make([]*big.Int, len(c.Pi)), new(big.Int)
	for x, s := range c.Pi {
		w, ok := integer(s)
		if !ok {
			return "the weights are no numbers"
		}
		if w.Sign() != 0 && count[0][x] == 0 && count[1][x] == 0 {
			return "a value that occurs under no prior has a weight"
		}
		weight[x] = w
		gain.Add(gain, w)
	}
	if gain.Sign() <= 0 {
		return "the weights do not add up to more than 0"
	}
	// All is in units of 1 / (denominator of T, n, m).
	unit := new(big.Int).Mul(lower.Denom(), new(big.Int).Mul(total[0], total[1]))
	per := [2]*big.Int{new(big.Int).Mul(lower.Num(), total[1]), new(big.Int).Mul(lower.Num(), total[0])}
	need := make([][4]big.Int, len(p.Plan.Outputs)) // by the set of priors that a letter occurs under
	price := make([][2]*big.Int, len(p.Plan.Outputs))
	for y, pair := range c.Prices {
		if len(pair) != 2 {
			return "there is not one price per prior"
		}
		for k, s := range pair {
			z, ok := integer(s)
			if !ok || z.Sign() < 0 {
				return "the prices are no numbers of 0 or more"
			}
			price[y][k] = z
		}
	}
	n, term := new(big.Int), new(big.Int)
	for x, w := range weight {
		set := 0
		for k := range count {
			if count[k][x] > 0 {
				set |= 1 << k
			}
		}
		if set == 0 {
			continue
		}
		p.Allow.Each(x, func(y int) {
			n.Mul(w, unit)
			for k := range count {
				term.Mul(per[k], big.NewInt(count[k][x]))
				n.Add(n, term.Mul(term, price[y][k]))
			}
			if n.Sign() > 0 {
				need[y][set].Add(&need[y][set], n)
			}
		})
	}
	for y := range need {
		all := new(big.Int)
		for k := range count {
			room := new(big.Int).Mul(price[y][k], unit)
			if all.Add(all, room); need[y][1<<k].Cmp(room) > 0 {
				return "the prices do not prove lower_factor: values of one prior take more than its price"
			}
		}
		for set := range need[y] {
			all.Sub(all, &need[y][set])
		}
		if all.Sign() < 0 {
			return "the prices do not prove lower_factor: a mechanism at it is not excluded"
		}
	}
	return ""
}
