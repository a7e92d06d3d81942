package verify

import (
	"bytes"
	"context"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/decide"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"
	"github.com/tacet-privacy/tacet/pipeline/verify/document"
)

// TEMPORARY
func checkRetold(ctx context.Context, v *document.View, q document.Request, data []byte, files *document.Files) error {
	stated, _, err := report.Read(data)
	if err != nil {
		v.Add("told again", false, "report.json: %v", err)
		return nil
	}
	p, err := decide.LoadPlan(q.Plan)
	if err != nil {
		v.Add("told again", false, "plan.json: %v", err)
		return nil
	}
	s := &seen{rows: files.Out.Rows(), units: len(files.Out.Units())}
	if v.Pairs == nil && !v.Empty() {
		v.Skip("told again", "no pairs")
		return nil
	}
	if t := v.Pairs; t != nil {
		s.output, s.nulls = t.Out, t.OutNulls
		if files.In != nil && len(p.Groups) == 1 {
			s.given, s.absent, s.torn = [][]int64{t.In}, t.InNulls, t.Torn > 0
			if v.Back == nil || v.Back.Loose == 0 {
				s.each = func(_ int, count func(x, y int, n int64)) { t.Each(count) }
			}
		}
	} else {
		s.nulls = s.rows
	}
	t := &teller{stated: stated, plan: p, seen: s}
	if files.In != nil {
		r := request.Reading{Path: q.Input, Bins: map[string]plan.Binning{p.Column: p.Bins.Asked()}}
		r.Strata = plan.Spec{Column: p.Given.Column, Function: p.Given.Function}
		for _, c := range stated.Columns {
			if c.Fate == "dropped" {
				r.Drop = append(r.Drop, c.Name)
			}
		}
		if d := stated.Input.Dialect; d != nil {
			r.Delimiter, r.Header = d.Delimiter, map[bool]string{true: "yes", false: "no"}[d.Header]
		}
		t.input, err = pipeline.OpenAgain(ctx, r, []*plan.Plan{p})
		if err != nil {
			v.Add("told again", false, "input: %v", err)
			return nil
		}
		defer t.input.Close()
	}
	again, err := t.again(ctx)
	if err != nil {
		v.Add("told again", false, "again: %v", err)
		return nil
	}
	var is, want bytes.Buffer
	stated.WriteJSON(&is)
	again.WriteJSON(&want)
	names := differences(is.Bytes(), want.Bytes())
	v.Add("told again", names == nil, "%s", firstOf(append(names, "")))
	return nil
}
