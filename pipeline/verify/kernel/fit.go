package kernel

import "math"

// Alarm is how often a file that was drawn from its plan is refused.
const Alarm = 1e-9

// A Fit compares counts with the law they should have. T is the sum over rows
// of n_x D(observed || law) in nats, half of G. For n records of k possible
// outputs E exp(t n D) <= (1-t)^-(k-1), 0 <= t < 1, at every n [Agrawal 2020,
// "Finite-sample concentration of the multinomial in relative entropy"]; rows
// are independent, so with K = sum (k_x - 1), by Chernoff,
//
//	Pr(T >= s) <= exp(-s) (e s/K)^K  for s > K.
type Fit struct {
	Rows     int
	Sum      float64 // T
	Freedom  int     // K
	rowTail  float64 // the least log-bound of one row
	excluded int64   // records that the law excludes
}

// A fitRow is the records of one row so far: n were expected over k possible outputs.
type fitRow struct {
	n     float64
	other int64   // records at none of the outputs
	t     float64 // sum of s log(s/e) - s + e, which is not negative and sums to n D
	known float64 // expected at the outputs that were seen
}

// at adds an output that was expected e times and seen s times.
func (r *fitRow) at(e float64, s int64) {
	if k := float64(s); k > 0 {
		r.t, r.known = r.t+k*math.Log(k/e)-k+e, r.known+e
	}
}

// row adds one with k possible outputs: those not seen add what was expected of them.
func (f *Fit) row(r fitRow, k int) {
	t := max(r.t+max(r.n-r.known, 0), 0)
	if tail := logTail(t, k-1); f.Rows == 0 || tail < f.rowTail {
		f.rowTail = tail
	}
	f.Rows++
	f.Sum += t
	f.Freedom += k - 1
	f.excluded += r.other
}

// Accepted spends half of the alarm on the sum and half on the rows, divided among them.
func (f *Fit) Accepted() bool {
	return f.excluded == 0 && logTail(f.Sum, f.Freedom) >= math.Log(Alarm/2) &&
		(f.Rows == 0 || f.rowTail >= math.Log(Alarm/2/float64(f.Rows)))
}

// logTail is the logarithm of the bound on Pr(T >= s), 0 where it says nothing.
func logTail(s float64, freedom int) float64 {
	k := float64(freedom)
	if freedom == 0 || s <= k {
		return 0
	}
	return k - s + k*math.Log(s/k)
}

// FitPairs compares pairs with the rows of their groups.
func FitPairs(t *Tally, groups []Group) *Fit {
	f := &Fit{}
	for g, of := range groups {
		rows := make([]fitRow, len(of.Rows))
		t.Of(g, func(x, y int, n int64) {
			r, row := &rows[x], of.Rows[x]
			r.n = float64(t.In[g][x])
			if w := row.Of(int32(y)); w > 0 {
				r.at(r.n*(float64(w)/float64(row.Total)), n)
			} else {
				r.other += n
			}
		})
		for x, r := range rows {
			if r.n > 0 {
				f.row(r, len(of.Rows[x].Output))
			}
		}
	}
	return f
}

// fitOutputs compares the outputs alone with the law that rows and counts give their sum.
// The records are independent and not alike; the bound for alike ones holds for them, too.
func fitOutputs(written []int64, all []crowd) *Fit {
	r, k := fitRow{}, 0
	for y, q := range lawOf(all, len(written)) {
		if e, _ := q.Float64(); e > 0 {
			r.n, k = r.n+e, k+1
			r.at(e, written[y])
		} else {
			r.other += written[y]
		}
	}
	f := &Fit{}
	f.row(r, k)
	return f
}

// fit: the draws are as often as the plan says.
func (p *proof) fit() {
	const name = "fit"
	own := p.Plan.Prior == nil && !p.Claimed.Part // the plan's counts are this file's, or those claimed are
	k, why := (*Fit)(nil), ""
	switch {
	case p.Groups == nil && !p.Plan.Empty():
		why = "the rows are not known"
	case sum(p.Tally.Out) == 0:
		why = "there are no records"
	case p.Claimed.Held > 0:
		why = "records are held that only record history and key tell from the others"
	case p.Claimed.ByPerson:
		why = "rows of one person share draws, and only the key tells them from the others"
	case p.In != nil && len(p.Tally.In) == len(p.Groups):
		k = FitPairs(p.Tally, p.Groups)
	case own:
		k = fitOutputs(p.Tally.Out, p.crowds(hereOf))
	default:
		why = "no input, or its rows are not known, and the plan's counts are not this file's"
	}
	if k == nil {
		p.Skip(name, why)
		return
	}
	p.AddFit(k, "the draws")
}

// AddFit notes whether draws fit their plan.
func (r *Result) AddFit(f *Fit, draws string) {
	r.Add("fit", f.Accepted(), "%s %s the plan: G = %.1f over %d rows, %d degrees of freedom (false alarm rate %g)", draws,
		Either(f.Accepted(), "fit", "do not fit"), 2*f.Sum, f.Rows, f.Freedom, Alarm)
}
