package decide

import (
	"context"
	"fmt"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// decider says which stratum differs most from all records in what it holds, and so is told
// most of by outputs that keep its shares, and what is reached without that stratum or where
// the largest of the others takes its records; "" where there is one stratum.
func (w *problem) decider(ctx context.Context) (what, help string) {
	at, most := -1, 1.0
	for i, g := range w.group {
		for x, c := range g.prior.Counts() {
			if c == 0 {
				continue
			}
			lift := float64(c) / float64(g.prior.Total()) * float64(w.d.Prior.Total()) / float64(w.d.Prior.Count(x))
			if lift > most {
				at, most = i, lift
			}
		}
	}
	if at < 0 {
		return "", ""
	}
	what = fmt.Sprintf("; stratum %d of %d, with %s, differs most: a value is %.3g times as common there as in all", at+1,
		len(w.group), report.Several(int(w.group[at].prior.Total()), "record", "records"), most)
	largest := -1
	for i, g := range w.group {
		if i != at && (largest < 0 || g.prior.Total() > w.group[largest].prior.Total()) {
			largest = i
		}
	}
	if largest < 0 {
		return what, ""
	}
	solve, cancel := Solving(ctx, helpTime)
	defer cancel()
	return what, fmt.Sprintf("without that stratum %s, merged with stratum %d %s; ", w.reached(solve, at, -1), largest+1,
		w.reached(solve, at, largest))
}

// reached is what a stratum's records leave to the others where they are left out, or where
// another stratum takes them.
func (w *problem) reached(ctx context.Context, at, into int) string {
	less, d := *w, *w.d
	less.d, less.group, d.Groups = &d, slices.Clone(w.group), slices.Clone(w.d.Groups)
	if into >= 0 {
		from, to, group := less.group[at], &less.group[into], &d.Groups[into]
		to.prior, to.records = sumOf(to.prior, from.prior), sumOf(to.records, from.records)
		group.Prior, group.Sample = sumOf(group.Prior, d.Groups[at].Prior), sumOf(group.Sample, d.Groups[at].Sample)
		if len(to.also) > 0 {
			to.also = []mechanism.Prior{to.records}
		}
		if from.limit != nil && from.limit.Cmp(to.limit) < 0 {
			to.limit = from.limit
		}
	}
	less.group, d.Groups = slices.Delete(less.group, at, at+1), slices.Delete(d.Groups, at, at+1)
	less.first = nil
	d.Prior, d.Sample = mechanism.Prior{}, mechanism.Prior{}
	for i, g := range d.Groups {
		d.Prior, d.Sample = sumOf(d.Prior, g.Prior), sumOf(d.Sample, g.Sample)
		less.first = append(less.first, i)
	}
	best, _, _ := less.compare(ctx)
	if best == nil {
		return "no design is found either"
	}
	less.weigh(best)
	if w.goal.Floor != nil {
		return "a design is found"
	}
	return fmt.Sprintf("rank %d of %d is reached", best.WorstRank, w.order.Order.Outputs())
}

// sumOf adds counts; a prior without letters is 0.
func sumOf(a, b mechanism.Prior) mechanism.Prior {
	if a.Letters() == 0 {
		return b
	}
	count := slices.Clone(b.Counts())
	for x := range count {
		count[x] += a.Count(x)
	}
	sum, err := mechanism.NewPrior(count)
	if err != nil {
		return a
	}
	return sum
}
