package figures

import (
	"math"
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/verify/cells"
	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
	"github.com/tacet-privacy/tacet/pipeline/verify/subject"
	"github.com/tacet-privacy/tacet/pipeline/verify/verdict"
)

// A posterior is what an observer who knows the counts can come to believe of
// a letter.
type posterior struct {
	most    float64
	certain bool
}

// posteriors are the largest P(x|y) by letter, the chance that the best guess
// is right on average, and the largest p(y|x) by output.
func posteriors(v *subject.View) (most []posterior, guess float64, peak []float64) {
	outputs := len(v.Plan.Outputs)
	sum, best, givers := make([]kept, outputs), make([]float64, outputs), make([]int, outputs)
	peak = make([]float64, outputs)
	for x, r := range v.Rows {
		for i, y := range r.Output {
			if v.Count[x] == 0 {
				continue
			}
			p := float64(r.Weight[i]) / float64(r.Total)
			sum[y].add(p * float64(v.Count[x]))
			best[y] = max(best[y], p*float64(v.Count[x]))
			peak[y] = max(peak[y], p)
			givers[y]++
		}
	}
	most = make([]posterior, len(v.Rows))
	for x, r := range v.Rows {
		for i, y := range r.Output {
			if v.Count[x] > 0 {
				most[x].certain = most[x].certain || givers[y] == 1
				most[x].most = max(most[x].most, float64(r.Weight[i])/float64(r.Total)*float64(v.Count[x])/sum[y].value())
			}
		}
	}
	var total kept
	for _, b := range best {
		total.add(b)
	}
	return most, total.value() / float64(v.Total), peak
}

// CheckBeliefs recomputes caps, posteriors, best guesses and the worst case.
func CheckBeliefs(v *subject.View) {
	const name = "beliefs"
	r := v.Report
	if v.Rows == nil || v.Most == nil || v.Total == 0 || len(v.Count) != len(v.Plan.Inputs) {
		ok := len(r.Caps) == 0 && r.Story == nil && r.Scale.Certain == 0
		if v.Empty() || v.Total == 0 && v.Rows != nil {
			v.Add(name, ok, "%s", verdict.Either(ok, "there are no records", "the report tells of beliefs, and there are no records"))
			return
		}
		v.Skip(name, "the factor is not known")
		return
	}
	var w verdict.Faults
	most, mean, peak := posteriors(v)
	worst, certain, held := 0.0, 0, int64(0)
	listed := map[cells.Label]document.CapClaim{}
	for _, c := range r.Caps {
		listed[c.Label] = c
	}
	for x, b := range most {
		n := v.Count[x]
		if n == 0 {
			continue
		}
		worst = max(worst, b.most)
		if b.certain {
			certain++
			held += n
		}
		l := v.Plan.Inputs[x]
		c, ok := listed[l]
		delete(listed, l)
		cap, _ := new(big.Rat).Mul(v.Most, big.NewRat(n, v.Total)).Float64()
		if !ok || c.Records != n || !exact.Near(c.Share, float64(n)/float64(v.Total), 0) || !exact.Near(c.Cap, min(1, cap), 0) {
			w.Addf("the cap of letter %d is not min(1, e^epsilon p)", x+1)
		}
		if ok && (!exact.Near(c.Reached, b.most, 0) || c.Certain != b.certain || c.Certain && c.Reached != 1) {
			w.Addf("the largest belief in letter %d is not what the rows give", x+1)
		}
	}
	if len(listed) > 0 {
		w.Addf("caps are listed of letters without records")
	}
	w.Match(slices.IsSortedFunc(r.Caps, func(a, b document.CapClaim) int { return int(min(1, max(-1, b.Records-a.Records))) }), "the order of the caps")
	w.Match(r.Scale.Certain == certain && exact.Near(r.Scale.CertainShare, float64(held)/float64(v.Total), 0), "the letters that some output confirms")
	w.Match(exact.Near(r.Guess.Before, float64(slices.Max(v.Count))/float64(v.Total), 0) && exact.Near(r.Guess.Mean, mean, 0) && exact.Near(r.Guess.Worst, worst, 0), "how often the best guess is right")
	checkStory(v, &w, peak)
	checkTransitions(v, &w)
	CheckGrid(&w, v.Report.Epsilon.Target, v.Report.Target, v.Report.Grid)
	v.Settle(name, w, "caps and largest posteriors of %d letters, %d of which some output confirms; best guess right %.6g of the time", len(r.Caps), certain, mean)
}

// checkStory holds the worst case to the rows.
func checkStory(v *subject.View, w *verdict.Faults, peak []float64) {
	s, b := v.Report.Story, v.Report.Binding
	if s == nil || b == nil || s.Output != b.Output || s.Factor != v.Most.RatString() {
		w.Addf("the worst case is not that of the largest factor")
		return
	}
	x := slices.Index(v.Plan.Inputs, s.Guess)
	y := slices.Index(v.Plan.Outputs, s.Output)
	if x < 0 || y < 0 || v.Count[x] == 0 {
		w.Addf("the worst case names a letter without records")
		return
	}
	r := v.Rows[x]
	given := false
	for i, o := range r.Output {
		given = given || int(o) == y && exact.Near(float64(r.Weight[i])/float64(r.Total), peak[y], 0)
	}
	before := float64(v.Count[x]) / float64(v.Total)
	f, _ := v.Most.Float64()
	w.Match(given && exact.Near(s.Before, before, 0) && exact.Near(s.After, before*f, 0), "the guess of the worst case")
}

// checkTransitions recomputes the grouped table of what becomes of each letter:
// at most 24 groups of neighbours, their mean over records.
func checkTransitions(v *subject.View, w *verdict.Faults) {
	const groups = 24
	b := v.Report.Becomes
	n, m := len(v.Plan.Inputs), len(v.Plan.Outputs)
	rows, columns := min(n, groups), min(m, groups)
	if b == nil || len(b.Inputs) != rows || len(b.Outputs) != columns || len(b.Share) != rows {
		w.Addf("the table of what becomes of each letter is missing, or of another size")
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
			c := float64(v.Count[x])
			if to-from == 1 {
				c = 1
			}
			records += c
			for k, y := range v.Rows[x].Output {
				sum[column[y]].add(c * float64(v.Rows[x].Weight[k]) / float64(v.Rows[x].Total))
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
			w.Addf("row %d of the table of what becomes of each letter is not what the rows give", i+1)
		}
	}
}

// CheckGrid recomputes e^target, and by it the caps of round shares.
func CheckGrid(w *verdict.Faults, of string, f float64, grid []document.GridClaim) {
	t, ok := exact.ParseTarget(of)
	up, down := new(big.Rat).SetFloat64(f*(1+1e-15)), new(big.Rat).SetFloat64(f*(1-1e-12))
	if !ok || up == nil || down == nil || f < math.MaxFloat64 && (f < 1 || t.Admits(up) && f != 1 || f > 1 && !t.Admits(down)) {
		w.Addf("target_factor is not e^epsilon of the epsilon asked for")
	}
	shares := []float64{.01, .05, .10, .25, .50}
	ok = len(grid) == len(shares)
	for i, g := range grid {
		ok = ok && g.Share == shares[i] && exact.Near(g.Cap, min(1, f*g.Share), 0)
	}
	w.Match(ok, "the cap of a round share")
}
