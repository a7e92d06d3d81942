package verify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/decide"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// checkColumns proves columns one by one, and tells their reports again.
func (v *Result) checkColumns(ctx context.Context, q Request, all []*column, joint []byte) error {
	for _, c := range all {
		defer c.close()
		err := c.check(ctx)
		if errors.Is(err, errNoReport) {
			v.Add(c.name+"told again", false, "%v", err)
			return nil
		}
		if err != nil {
			return err
		}
	}
	if err := retell(ctx, q, all); err != nil {
		return err
	}
	for _, c := range all {
		if err := c.checkTold(); err != nil {
			return err
		}
		for _, k := range c.Checks {
			k.Name = c.name + k.Name
			v.Checks = append(v.Checks, k)
		}
		v.Stated = append(v.Stated, c.unseen()...)
	}
	return v.checkTogether(ctx, q, all, joint)
}

// retell tells the report of every column again, and what all of them tell together.
func retell(ctx context.Context, q Request, all []*column) error {
	var plans []*plan.Plan
	for _, c := range all {
		if plans = append(plans, c.plan); c.plan == nil {
			return nil
		}
	}
	first := 0 // of them among the plans of the release
	if len(all) == 1 {
		plans, first = all[0].siblings()
	}
	var input *pipeline.Again
	if q.Input != "" && plans != nil {
		var err error
		if input, err = pipeline.OpenAgain(ctx, readingOf(q, all[0].stated, plans), plans); err != nil {
			all[0].Add("told again", false, "the input: %v", err)
			return ctx.Err()
		}
		defer input.Close()
	}
	var reads []*plan.Plan
	var tellers []*teller
	for i, c := range all {
		t := &teller{column: c, input: input, at: first + i}
		if err := t.read(); err != nil {
			c.Add("told again", false, "%v", err)
			return ctx.Err()
		}
		reads, tellers = append(reads, t.reads), append(tellers, t)
	}
	joint := all[0].stated.Joint
	if input != nil && joint != nil && len(all) > 1 {
		var err error
		if joint, err = jointly(ctx, input, reads, joint); err != nil {
			return err
		}
	}
	for i, c := range all {
		tellers[i].joint, c.found = joint, input != nil
		var err error
		if c.told, err = tellers[i].again(ctx); err != nil {
			c.Add("told again", false, "%v", err)
		}
	}
	return ctx.Err()
}

// siblings are the plans of all private columns of the release that the column is one of, and
// its place among them; nil where these are not in the folders beside.
func (c *column) siblings() (plans []*plan.Plan, at int) {
	if c.stated.Joint == nil {
		return []*plan.Plan{c.plan}, 0
	}
	above := filepath.Dir(filepath.Dir(c.q.Report))
	for i, of := range c.stated.Joint.Columns {
		if of.Column == c.plan.Column {
			plans, at = append(plans, c.plan), i
			continue
		}
		p, err := decide.LoadPlan(filepath.Join(above, request.PartFolder(i), plan.File))
		if err != nil || p.Column != of.Column {
			return nil, 0
		}
		plans = append(plans, p)
	}
	return plans, at
}

// readingOf is how a run read its input, as far as a report of it says so.
func readingOf(q Request, told *report.Report, plans []*plan.Plan) request.Reading {
	r := request.Reading{Path: q.Input, Since: q.Since, Own: q.own(), Bins: map[string]string{}}
	for _, f := range told.Columns {
		if f.Fate == "dropped" {
			r.Drop = append(r.Drop, f.Name)
		}
	}
	if d := told.Input.Dialect; d != nil {
		r.Delimiter, r.Header = d.Delimiter, "no"
		if d.Header {
			r.Header = "yes"
		}
	}
	for _, p := range plans {
		r.Bins[p.Column] = p.Bins.Asked()
		if p.Given.Column != "" {
			r.Strata = p.Given.Column
		}
	}
	return r
}

// jointly is what all private columns tell together, told again.
func jointly(ctx context.Context, in *pipeline.Again, reads []*plan.Plan, stated *report.Joint) (*report.Joint, error) {
	var target *mechanism.Epsilon
	if e, err := mechanism.ParseEpsilon(stated.Target); err == nil && stated.Target != "" {
		target = &e
	}
	return in.Joint(ctx, reads, target)
}

// checkTold compares the report with what is told again, member by member, and its views
// byte for byte.
func (c *column) checkTold() error {
	const name = "told again"
	if c.plan == nil {
		c.Add(name, false, "plan.json %v", c.refuse)
		return nil
	}
	if c.told == nil {
		return nil
	}
	var want bytes.Buffer
	if err := c.told.WriteJSON(&want); err != nil {
		c.Add(name, false, "the report cannot be written again: %v", err)
		return nil
	}
	differ := differences(c.reportData, want.Bytes())
	told := members(want.Bytes())
	for path, proven := range c.Figures() {
		if text, there := told[path].(string); there && text != proven {
			differ = append(differ, path+", which is proven to be another,")
		}
	}
	detail := "every member of report.json follows from plan, files and what is stated"
	if len(differ) > 0 {
		detail = "what the files give differs in " + firstOf(differ)
		if v := c.stated.Version; v != c.q.Version {
			detail += fmt.Sprintf("; version %.40q wrote it, and this is %s, which may say it in other words", v, c.q.Version)
		}
	}
	c.Add(name, len(differ) == 0, "%s", detail)
	c.checkSpec()
	c.checkOptions()
	views, err := c.views()
	return c.q.checkViews(&c.Result, c.stated.Version, views, err)
}

// unseen names what the report says that no file shows: the members of what is stated that
// were not found otherwise.
func (c *column) unseen() []string {
	r := c.stated
	found := map[string]bool{"stamp": true, "columns": c.found, "conditional": c.found || r.Beside.Records == 0,
		"randomness": r.Draws.KeyID == "" || c.q.Key != "", "history": r.History.Series == nil || c.q.Ledger != "",
		"pinned": r.Pinned.Followed(), "person_figures": c.q.Key != ""}
	names := slices.DeleteFunc(r.Stated.Members(), func(name string) bool { return found[name] })
	if c.in == nil {
		names = append(names, "counts of the input")
	}
	if r.Draws.Kind == "memoised" {
		names = append(names, "fit of keyed draws")
	}
	return append(names, "paths")
}
