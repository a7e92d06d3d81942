package floors

import (
	"cmp"
	"context"
	"slices"

	"github.com/tacet-privacy/tacet/estimate"
	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/page"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// What tacet simulate does with one design the page does with each, for fewer values.
const (
	outlookValues = 5
	outlookLevel  = .95
	outlookCells  = 1 << 17 // of mechanisms that are kept for it
)

// outlooks tells what analysts would get of the designs, as far as ctx lasts.
func (v *survey) outlooks(ctx context.Context, all []*place) error {
	return v.each(ctx, coarseFirst(len(all)), func(i int) error {
		q := all[i]
		p := q.plan
		if q.plan = nil; p == nil || p.Records().Total() == 0 || q.stop.Nothing || q.stop.Unchanged {
			return nil
		}
		told, err := outlook(p, q.limit)
		if ctx.Err() != nil {
			return nil
		}
		q.stop.Outlook = told
		return err
	})
}

// outlook is what releases of a plan tell of its commonest values. The
// plain count's interval is wider by the limit of the shift, where one is asked for.
func outlook(p *plan.Plan, limit string) (out []page.Outcome, err error) {
	records, labels := p.Records(), p.InputLabels()
	order := make([]int, records.Letters())
	for x := range order {
		order[x] = x
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(records.Count(b), records.Count(a)) })
	stands := plan.Stands(p.Inputs, p.Outputs)
	var sets []estimate.Set
	for _, x := range order[:min(outlookValues, len(order))] {
		set := estimate.Set{Letters: []int{x}}
		if y := slices.Index(stands, x); y >= 0 {
			set.Outputs = []int{y}
		}
		sets = append(sets, set)
	}
	off := 0.
	if d, err := (&request.Options{MaxShift: limit}).ParseMaxShift(); err == nil && d != nil {
		off = mechanism.FloatUp(d)
	}
	o, err := estimate.NewOutlook([]*estimate.Channel{estimate.NewChannel(p.Mechanism())}, []mechanism.Prior{records})
	if err != nil {
		return nil, err
	}
	all, err := o.Forecast(sets, outlookLevel, off)
	if err != nil {
		return nil, err
	}
	for i, f := range all {
		out = append(out, page.Outcome{Label: labels[sets[i].Letters[0]], True: f.Share, Counted: f.Counted, Plain: f.Plain,
			PlainCovers: f.Covers, Told: f.Told, Half: f.Width / 2})
	}
	return out, nil
}
