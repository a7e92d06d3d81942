package verify

import (
	"math/big"
	"math/bits"
)

// factors computes e^l(y) = n max_x p(y|x) / sum_k c_k p(y|k) of every output
// over the letters with records, as fractions; nil where y is never produced.
// All rows are brought to one denominator, the least common multiple of their
// totals.
func factors(rows []row, count []int64, total int64, outputs int) []*big.Rat {
	common := big.NewInt(1)
	for x, r := range rows {
		if count[x] > 0 {
			d := big.NewInt(r.total)
			common.Mul(common, new(big.Int).Quo(d, new(big.Int).GCD(nil, nil, common, d)))
		}
	}
	type top struct{ w, d int64 }
	peak, sum := make([]top, outputs), make([]*big.Int, outputs)
	scale, term := new(big.Int), new(big.Int)
	for x, r := range rows {
		if count[x] == 0 {
			continue
		}
		scale.Quo(common, scale.SetInt64(r.total)).Mul(scale, term.SetInt64(count[x]))
		for i, y := range r.output {
			w := r.weight[i]
			if sum[y] == nil {
				sum[y], peak[y] = new(big.Int), top{w, r.total}
			}
			sum[y].Add(sum[y], term.Mul(scale, term.SetInt64(w)))
			if less(peak[y].w, r.total, w, peak[y].d) {
				peak[y] = top{w, r.total}
			}
		}
	}
	f := make([]*big.Rat, outputs)
	for y := range f {
		if sum[y] == nil {
			continue
		}
		num := new(big.Int).Mul(big.NewInt(total), big.NewInt(peak[y].w))
		den := new(big.Int).Mul(sum[y], big.NewInt(peak[y].d))
		f[y] = new(big.Rat).SetFrac(num.Mul(num, common), den)
	}
	return f
}

// less reports a b < c d, for numbers that are not negative.
func less(a, b, c, d int64) bool {
	h, l := bits.Mul64(uint64(a), uint64(b))
	k, m := bits.Mul64(uint64(c), uint64(d))
	return h < k || h == k && l < m
}

// checkFactors recomputes the factor of every output and what is said of them.
func (v *verifier) checkFactors() {
	const name = "factors"
	if v.rows == nil && !v.empty() {
		v.skip(name, "the rows are not known")
		return
	}
	v.factor = factors(v.rows, v.count, v.total, len(v.plan.Outputs))
	v.most = big.NewRat(1, 1)
	at := -1
	giving := make([]int, len(v.plan.Outputs))
	for _, r := range v.rows {
		for _, y := range r.output {
			giving[y]++
		}
	}
	var w wrong
	produced := 0
	for y, f := range v.factor {
		if f == nil {
			continue
		}
		if produced++; at < 0 || f.Cmp(v.most) > 0 {
			at, v.most = y, f
		}
		claim := v.claimOf(y)
		if claim == nil {
			w.addf("output %d is missing", y+1)
			continue
		}
		if claim.Factor != f.RatString() {
			w.addf("the factor of output %d is not e^l(y)", y+1)
		}
		if !natsOf(claim.Nats, f) {
			w.addf("the nats of output %d are not the logarithm rounded up", y+1)
		}
		if claim.Support != giving[y] {
			w.addf("the support of output %d is %d letters", y+1, giving[y])
		}
	}
	if len(v.report.Outputs) != produced {
		w.addf("%d outputs are listed, %d can occur", len(v.report.Outputs), produced)
	}
	v.settle(name, w, "e^l(y) of %d outputs, exactly, their logarithms and the letters that may give them", produced)

	w = nil
	p, r := v.plan.Epsilon, v.report.Epsilon
	w.match(p.Factor == v.most.RatString() && r.Factor == p.Factor, "the factor")
	w.match(natsOf(p.Nats, v.most) && r.Nats == p.Nats, "epsilon in nats, rounded up,")
	v.settle("epsilon", w, "the largest of them is the factor stated, and epsilon its logarithm rounded up")
	v.checkBinding(at)
}

func (v *verifier) claimOf(y int) *outputClaim {
	for i := range v.report.Outputs {
		if v.report.Outputs[i].Label == v.plan.Outputs[y] {
			return &v.report.Outputs[i]
		}
	}
	return nil
}

// checkBinding recomputes the set of letters that decides epsilon.
func (v *verifier) checkBinding(at int) {
	const name = "binding set"
	b := v.report.Binding
	if at < 0 || b == nil {
		v.add(name, at < 0 && b == nil, "%s", either(at < 0 && b == nil, "no output is ever produced", "the report and the plan do not agree whether there is one"))
		return
	}
	letters, records := 0, int64(0)
	for x, r := range v.rows {
		for _, y := range r.output {
			if int(y) == at && v.count[x] > 0 {
				letters++
				records += v.count[x]
			}
		}
	}
	var w wrong
	w.match(b.Output == v.plan.Outputs[at], "the output that decides epsilon")
	w.match(b.Letters == letters && b.Records == records, "the set of letters behind it")
	v.settle(name, w, "epsilon is decided by %d letters that %d records hold", letters, records)
}
