package verify

import (
	"math"
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/verify/cells"
)

// A posterior is what an observer who knows the counts can come to believe of
// a letter.
type posterior struct {
	most    float64
	certain bool
}

// posteriors are the largest P(x|y) by letter, the chance that the best guess
// is right on average, and the largest p(y|x) by output.
func (v *verifier) posteriors() (most []posterior, guess float64, peak []float64) {
	outputs := len(v.plan.Outputs)
	sum, best, givers := make([]kept, outputs), make([]float64, outputs), make([]int, outputs)
	peak = make([]float64, outputs)
	for x, r := range v.rows {
		for i, y := range r.output {
			if v.count[x] == 0 {
				continue
			}
			p := float64(r.weight[i]) / float64(r.total)
			sum[y].add(p * float64(v.count[x]))
			best[y] = max(best[y], p*float64(v.count[x]))
			peak[y] = max(peak[y], p)
			givers[y]++
		}
	}
	most = make([]posterior, len(v.rows))
	for x, r := range v.rows {
		for i, y := range r.output {
			if v.count[x] > 0 {
				most[x].certain = most[x].certain || givers[y] == 1
				most[x].most = max(most[x].most, float64(r.weight[i])/float64(r.total)*float64(v.count[x])/sum[y].value())
			}
		}
	}
	var total kept
	for _, b := range best {
		total.add(b)
	}
	return most, total.value() / float64(v.total), peak
}

// checkBeliefs recomputes caps, posteriors, best guesses and the worst case.
func (v *verifier) checkBeliefs() {
	const name = "beliefs"
	r := v.report
	if v.rows == nil || v.most == nil || v.total == 0 || len(v.count) != len(v.plan.Inputs) {
		ok := len(r.Caps) == 0 && r.Story == nil && r.Scale.Certain == 0
		if v.empty() || v.total == 0 && v.rows != nil {
			v.add(name, ok, "%s", either(ok, "there are no records", "the report tells of beliefs, and there are no records"))
			return
		}
		v.skip(name, "the factor is not known")
		return
	}
	var w wrong
	most, mean, peak := v.posteriors()
	worst, certain, held := 0.0, 0, int64(0)
	listed := map[cells.Label]capClaim{}
	for _, c := range r.Caps {
		listed[c.Label] = c
	}
	for x, b := range most {
		n := v.count[x]
		if n == 0 {
			continue
		}
		worst = max(worst, b.most)
		if b.certain {
			certain++
			held += n
		}
		l := v.plan.Inputs[x]
		c, ok := listed[l]
		delete(listed, l)
		cap, _ := new(big.Rat).Mul(v.most, big.NewRat(n, v.total)).Float64()
		if !ok || c.Records != n || !near(c.Share, float64(n)/float64(v.total), 0) || !near(c.Cap, min(1, cap), 0) {
			w.addf("the cap of letter %d is not min(1, e^epsilon p)", x+1)
		}
		if ok && (!near(c.Reached, b.most, 0) || c.Certain != b.certain || c.Certain && c.Reached != 1) {
			w.addf("the largest belief in letter %d is not what the rows give", x+1)
		}
	}
	if len(listed) > 0 {
		w.addf("caps are listed of letters without records")
	}
	w.match(slices.IsSortedFunc(r.Caps, func(a, b capClaim) int { return int(min(1, max(-1, b.Records-a.Records))) }), "the order of the caps")
	w.match(r.Scale.Certain == certain && near(r.Scale.CertainShare, float64(held)/float64(v.total), 0), "the letters that some output confirms")
	w.match(near(r.Guess.Before, float64(slices.Max(v.count))/float64(v.total), 0) && near(r.Guess.Mean, mean, 0) && near(r.Guess.Worst, worst, 0), "how often the best guess is right")
	v.checkStory(&w, peak)
	v.checkTransitions(&w)
	w.checkGrid(v.report.Epsilon.Target, v.report.Target, v.report.Grid)
	v.settle(name, w, "caps and largest posteriors of %d letters, %d of which some output confirms; best guess right %.6g of the time", len(r.Caps), certain, mean)
}

// checkStory holds the worst case to the rows.
func (v *verifier) checkStory(w *wrong, peak []float64) {
	s, b := v.report.Story, v.report.Binding
	if s == nil || b == nil || s.Output != b.Output || s.Factor != v.most.RatString() {
		w.addf("the worst case is not that of the largest factor")
		return
	}
	x := slices.Index(v.plan.Inputs, s.Guess)
	y := slices.Index(v.plan.Outputs, s.Output)
	if x < 0 || y < 0 || v.count[x] == 0 {
		w.addf("the worst case names a letter without records")
		return
	}
	r := v.rows[x]
	given := false
	for i, o := range r.output {
		given = given || int(o) == y && near(float64(r.weight[i])/float64(r.total), peak[y], 0)
	}
	before := float64(v.count[x]) / float64(v.total)
	f, _ := v.most.Float64()
	w.match(given && near(s.Before, before, 0) && near(s.After, before*f, 0), "the guess of the worst case")
}

// A gridClaim is the cap of a round share.
type gridClaim = struct {
	Share float64 `json:"share"`
	Cap   float64 `json:"cap"`
}

// checkTransitions recomputes the grouped table of what becomes of each letter:
// at most 24 groups of neighbours, their mean over records.
func (v *verifier) checkTransitions(w *wrong) {
	const groups = 24
	b := v.report.Becomes
	n, m := len(v.plan.Inputs), len(v.plan.Outputs)
	rows, columns := min(n, groups), min(m, groups)
	if b == nil || len(b.Inputs) != rows || len(b.Outputs) != columns || len(b.Share) != rows {
		w.addf("the table of what becomes of each letter is missing, or of another size")
		return
	}
	column := make([]int, m)
	for k := range columns {
		for y := k * m / columns; y < (k+1)*m/columns; y++ {
			column[y] = k
		}
	}
	for i := range rows {
		sum, records := make([]kept, columns), 0.0
		possible := make([]bool, columns)
		from, to := i*n/rows, (i+1)*n/rows
		for x := from; x < to; x++ {
			c := float64(v.count[x])
			if to-from == 1 {
				c = 1
			}
			records += c
			for k, y := range v.rows[x].output {
				sum[column[y]].add(c * float64(v.rows[x].weight[k]) / float64(v.rows[x].total))
				possible[column[y]] = true
			}
		}
		ok := len(b.Share[i]) == columns
		for k := 0; ok && k < columns; k++ {
			want := 0.0
			if records > 0 {
				want = sum[k].value() / records
			}
			ok = math.Abs(b.Share[i][k]-want) <= 1e-12 && (b.Share[i][k] > 0) == possible[k]
		}
		if !ok {
			w.addf("row %d of the table of what becomes of each letter is not what the rows give", i+1)
		}
	}
}

// checkGrid recomputes e^target, and by it the caps of round shares.
func (w *wrong) checkGrid(of string, f float64, grid []gridClaim) {
	t, ok := parseTarget(of)
	up, down := new(big.Rat).SetFloat64(f*(1+1e-15)), new(big.Rat).SetFloat64(f*(1-1e-12))
	if !ok || up == nil || down == nil || f < math.MaxFloat64 && (f < 1 || t.admits(up) && f != 1 || f > 1 && !t.admits(down)) {
		w.addf("target_factor is not e^epsilon of the epsilon asked for")
	}
	shares := []float64{.01, .05, .10, .25, .50}
	ok = len(grid) == len(shares)
	for i, g := range grid {
		ok = ok && g.Share == shares[i] && near(g.Cap, min(1, f*g.Share), 0)
	}
	w.match(ok, "the cap of a round share")
}
