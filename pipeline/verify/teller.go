package verify

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/account"
	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/decide"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/records"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"
	"github.com/tacet-privacy/tacet/pipeline/verify/kernel"
)

// A teller tells the report of one private column again, from the plan, from what the kernel
// saw in the files, and from what is stated.
type teller struct {
	*column
	reads   *plan.Plan      // the plan with the counts that its figures are relative to
	records []int64         // of this file by letter, nil where they are not known
	input   *pipeline.Again // nil without the input
	at      int             // of the column among the private ones
	joint   *report.Joint   // what all of these tell together
}

// pairs are the records of input and output by group of the plan; nil where they are not known.
func (c *column) pairs() *kernel.Tally {
	if t := c.Tally; t != nil && t.In != nil && len(t.In) == len(c.plan.Groups) {
		return t
	}
	return nil
}

// outNulls are the nulls of the output that are outside the outputs.
func (c *column) outNulls() int64 {
	switch {
	case c.Tally != nil:
		return c.Tally.OutNulls
	case c.proven.Empty():
		return c.out.rows()
	}
	return 0
}

// again is the report told again. Documents that contradict each other may be such that no
// run could tell anything of them.
func (t *teller) again(ctx context.Context) (r *report.Report, err error) {
	defer func() {
		if recover() != nil {
			r, err = nil, errors.New("plan, report and files contradict each other")
		}
	}()
	f, err := t.facts(ctx)
	if err != nil {
		return nil, err
	}
	r = account.Of(ctx, f)
	if f.Records == nil { // those of a part of the plan's data are known from the input alone
		r.Domain.Observed, r.Prior.Unseen, r.Prior.Late = t.stated.Domain.Observed, t.stated.Prior.Unseen, t.stated.Prior.Late
	}
	if r.Certainty.Same() { // which no run publishes that was not allowed to
		r.Certainty.Allowed = true
	}
	account.Claim(r)
	return r, ctx.Err()
}

// facts are what the report is told from.
func (t *teller) facts(ctx context.Context) (f *account.Facts, err error) {
	r, p := t.stated, t.plan
	f = &account.Facts{Account: t.asked(), Plan: p, Reads: t.reads, Records: t.records,
		Input: r.Input, Output: r.Output, Joint: t.joint, JointHash: r.JointHash, Part: r.Prior.Part}
	f.Input.Dialect = r.Output.Dialect // which the run takes over
	f.Type, _, _ = strings.Cut(r.Type, ", in bins ")
	if pairs := t.pairs(); f.Part != nil && pairs != nil {
		if f.Part, err = pipeline.PartOf(p, pairs.In); err != nil {
			return nil, err
		}
	}
	if f.Written, f.Checks, err = t.written(); err != nil {
		return nil, err
	}
	f.Nulls = t.nulls(f)
	if f.Pinned, err = t.pinned(); err != nil || t.input == nil {
		return f, err
	}
	f.Type, f.Columns = t.input.Type(t.at), t.input.Fates()
	beside, err := t.input.Beside(ctx, t.at, observed(r))
	if err != nil {
		return nil, err
	}
	f.Beside = *beside
	return f, nil
}

// pinned is where a plan of an earlier night stands under the counts of this file; it is as
// stated where that was replaced, or where they are not known.
func (t *teller) pinned() (_ *report.Pinned, err error) {
	r, p, reads := t.stated, t.plan, t.reads
	if !r.Pinned.Followed() {
		return r.Pinned, nil
	}
	if r.Prior.Part != nil { // whose figures are relative to the whole
		pairs := t.pairs()
		if pairs == nil {
			return r.Pinned, nil
		}
		if reads, err = decide.Under(p, pairs.In); err != nil {
			return nil, err
		}
	}
	return pipeline.Pinned(reads, p.Origin()), nil
}

// asked is what is stated, and what was asked for, as far as a report says it.
func (t *teller) asked() *request.Account {
	r := t.stated
	a := &request.Account{Stated: r.Stated, Command: "run", PartOfPlan: r.Prior.Part != nil,
		Unchanged: r.Certainty != nil && r.Certainty.Allowed}
	if _, err := time.Parse(time.DateOnly, r.Made); err != nil || r.Stamp != "" {
		a.Made = "" // which no run writes
	}
	if t.release.Claimed.Followed {
		a.Command = "apply"
	}
	if b, q := r.Population, t.plan.AsMade().Population; b != nil && (q == nil || q.Delta != b.Delta) {
		a.Confidence = b.Delta
	}
	return a
}

// read finds the plan with the counts that its figures are relative to, and the records of this
// file by letter: counted, or, where the report states other counts than the plan's, stated.
func (t *teller) read() (err error) {
	p, part, given, all := t.plan, t.stated.Prior.Part != nil, statedCounts(t.stated), int64(0)
	if pairs := t.pairs(); pairs != nil {
		given = pairs.In
	}
	switch t.reads, t.records = p, make([]int64, p.Inputs.Len()); {
	case given == nil && part:
		t.records = nil
	case given == nil && !p.Empty():
		t.records = p.Records().Counts()
	}
	for _, own := range given {
		if len(own) != len(t.records) {
			return nil // of another plan, as the kernel says
		}
		for x, c := range own {
			t.records[x], all = t.records[x]+c, all+c
		}
	}
	if !part && all > 0 && len(given) == len(p.Groups) {
		t.reads, err = decide.Under(p, given)
	}
	return err
}

// written is what was drawn and is in the file, and the checks that it passes. Without pairs
// it is as stated, but for what the output alone shows.
func (t *teller) written() (*plan.Written, []report.Check, error) {
	r, pairs, held, absent := t.stated, t.pairs(), int64(0), int64(0)
	if m := r.History.Mixed(); m != nil {
		held, absent = m.Held.Rows, m.Held.Absent
	}
	w := &plan.Written{Rows: t.out.rows(), Nulls: t.outNulls(), Same: r.Utility.Unchanged, Realised: r.Utility.Realised,
		Reached: r.Utility.Reached}
	if t.Tally != nil {
		w.Output = t.Tally.Out
	}
	for _, g := range r.Strata.All() {
		w.Groups = append(w.Groups, g.Written)
	}
	switch {
	case pairs != nil:
		w.Nulls, w.Moved = pairs.InNulls, pairs.Torn > 0
	case held > 0:
		w.Moved = r.Nulls != nil && r.Nulls.Rule == "public" && r.Nulls.Factor == ""
		if w.Moved || t.plan.Null != "public" {
			w.Nulls = w.Rows - r.Records
		}
	}
	if pairs == nil {
		return w, r.Checks, nil
	}
	counted, checks, err := records.Recounted(t.plan, records.Counted{Rows: w.Rows, Nulls: w.Nulls - absent,
		Units: len(t.out.Units()), Unit: r.Draws.Unit, Held: held, Each: pairs.Of})
	if err != nil {
		return w, r.Checks, nil // the kernel says what is wrong
	}
	w.Same, w.Realised, w.Reached, w.Groups = counted.Same, counted.Realised, counted.Reached, counted.Groups
	for i := range checks {
		if checks[i].Detail == "" && i < len(r.Checks) { // of the fit, which takes draws and not what was published
			checks[i].Detail = r.Checks[i].Detail
		}
	}
	return w, checks, nil
}

// nulls are what the report says of them.
func (t *teller) nulls(f *account.Facts) *report.Nulls {
	p, w := t.plan, f.Written
	switch {
	case p.Null == "public" && (t.pairs() != nil || !w.Moved):
		return count.NullsOf(p.Null, w.Nulls, w.Rows)
	case p.Null == "draw" && f.Records != nil && p.Inputs.Null:
		return count.NullsOf(p.Null, f.Records[len(f.Records)-1], w.Rows)
	}
	return t.stated.Nulls
}

// observed is how other columns were judged, as far as a report says it: what was allowed is
// named by its findings.
func observed(r *report.Report) request.Observed {
	o := request.Observed{Audit: "sample"}
	if r.Beside.State == account.NotAsked {
		o.Audit = "off"
	} else if r.Beside.Records == r.Beside.Of {
		o.Audit = "full"
	}
	if s := r.Setting("audit"); s != "" {
		o.Audit = s
	}
	for _, f := range r.Beside.Found {
		o.AllowSorted = o.AllowSorted || f.Allowed && f.Names == nil
		if f.Allowed {
			o.AllowLinked = append(o.AllowLinked, f.Names...)
		}
	}
	slices.Sort(o.AllowLinked)
	o.AllowLinked = slices.Compact(o.AllowLinked)
	o.Person = r.Setting("person")
	return o
}
