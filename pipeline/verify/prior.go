package verify

import "math/big"

// A planPrior is there where the plan's counts are not those of the records.
type planPrior struct {
	Of      string   `json:"of"`
	Smooth  string   `json:"smooth"`
	Records []string `json:"records"`
}

// sample are the records that the plan was made from.
func (v *verifier) sample() []int64 {
	if v.plan.Prior == nil {
		return v.count
	}
	out := make([]int64, len(v.count))
	for x := range out {
		if x < len(v.plan.Prior.Records) {
			out[x], _ = whole(v.plan.Prior.Records[x])
		}
	}
	return out
}

// checkOwn recomputes what is leaked relative to the file's own counts, and
// how these make a smoothed prior.
func (v *verifier) checkOwn(f *files) {
	const name = "own counts"
	r, p := v.report.Prior, v.plan.Prior
	if p == nil && r.Own == "" && (r.Of == "this file" || r.Of == "the plan") {
		return
	}
	if v.rows == nil || len(v.count) != len(v.plan.Inputs) {
		v.skip(name, "the rows are not known")
		return
	}
	var w wrong
	want := "the plan"
	if p != nil {
		if len(p.Records) != len(v.count) {
			w.addf("the plan has %d letters with records for %d inputs", len(p.Records), len(v.count))
		}
		for x, s := range p.Records {
			if _, ok := whole(s); !ok {
				w.addf("the records of input %d are no number", x+1)
			}
		}
		switch p.Of {
		case "declared":
			want = "declared prior"
		case "smoothed":
			want = "this file, smoothed"
			v.checkSmoothed(&w)
		default:
			w.addf("the plan does not say what its prior is")
		}
	}
	if v.report.Command != "apply" {
		w.match(r.Of == want, "what the prior is")
	}
	own := v.sample()
	if v.report.Command == "apply" {
		if f.in == nil || v.pairs == nil {
			v.skip(name, "no input")
			return
		}
		own = v.pairs.in
	}
	most := big.NewRat(1, 1)
	for _, k := range factors(v.rows, own, sum(own), len(v.plan.Outputs)) {
		if k != nil && k.Cmp(most) > 0 {
			most = k
		}
	}
	if sum(own) > 0 {
		w.match(r.Own == most.RatString() && natsOf(r.OwnNats, most), "the factor relative to the file's own counts")
	}
	v.settle(name, w, "relative to the counts of the file itself the factor is %s", most.RatString())
}

// checkSmoothed holds the prior to the records and what was added to each.
func (v *verifier) checkSmoothed(w *wrong) {
	p := v.plan.Prior
	t, ok := parseTarget(p.Smooth)
	add := t.nats
	if !ok {
		if add, ok = fraction(p.Smooth); !ok && ratio.MatchString(p.Smooth) {
			add, ok = new(big.Rat).SetString(p.Smooth)
		}
	}
	if !ok || add == nil || !add.Denom().IsInt64() {
		w.addf("what was added to every letter is no number")
		return
	}
	w.match(v.report.Command == "apply" || v.report.Prior.Smooth == p.Smooth, "what was added to every letter")
	for x, n := range v.sample() {
		want := new(big.Int).Mul(big.NewInt(n), add.Denom())
		if want.Add(want, add.Num()).Cmp(big.NewInt(v.count[x])) != 0 {
			w.addf("the prior of input %d is not its records and what was added", x+1)
		}
	}
}
