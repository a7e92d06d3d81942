package pipeline

import (
	"os"
	"path/filepath"

	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/documents"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/options"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/strata"
)

// agrees refuses choices that the plan was not made with: following it, they
// would be ignored.
func agrees(o *options.Options, p *plan.Plan) error {
	var epsilon, floor string
	if o.Epsilon != "" || o.MaxFactor != "" {
		e, err := o.ParseEpsilon()
		if err != nil {
			return err
		}
		epsilon = e.String()
	}
	switch {
	case o.FloorRank != nil:
		floor = mechanism.RankFloor(*o.FloorRank).String()
	case o.FloorValue != nil:
		floor = mechanism.ValueFloor(*o.FloorValue).String()
	}
	share, err := o.ParseHeadroom()
	if err != nil {
		return err
	}
	spared := "0"
	if p.Headroom != nil {
		spared = p.Headroom.RatString()
	}
	for _, c := range []struct {
		flag, asked, made string
		any               bool // asked says nothing
	}{
		{"epsilon", epsilon, p.Target, epsilon == ""},
		{"utility", o.Utility, p.Spec.Spec, o.Utility == ""},
		{"null", o.Null, p.Null, o.Null == "" || o.Null == "refuse"},
		{"design", o.Design, p.Kind, o.Design == "" || o.Design == "auto"},
		{"floor", floor, p.Asked, floor == ""},
		{"prefer", o.Prefer, p.Prefer, o.Prefer != "unchanged"},
		{"headroom", share.RatString(), spared, o.Headroom == ""},
		{"strata", o.Strata, strataOf(p), o.Strata == ""},
	} {
		if !c.any && c.asked != c.made {
			return fault.New(fault.Usage, "leave it out, or make a new plan with --redesign", "--%s is %s, and the plan was made with %s", c.flag, c.asked, orNone(c.made))
		}
	}
	return nil
}

func strataOf(p *plan.Plan) string {
	if p.Strata == nil {
		return ""
	}
	return strata.Spec{Column: p.Strata.Column, Function: p.Strata.Function}.String()
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// pinnedFiles opens the pinned plan and its order for a redesign: from the next
// night on they are the ones to follow. Where they lie in the report folder
// they are there already.
func (p *part) pinnedFiles(r *release) error {
	if !p.Options.Redesign || p.Options.Plan == "" {
		return nil
	}
	folder, err := os.Stat(filepath.Dir(p.Options.Plan))
	if err != nil {
		return fault.New(fault.Input, "check the path given to --plan", "%s cannot be read: %v", p.Options.Plan, fault.PathCause(err))
	}
	if into, err := os.Stat(p.Options.Report); err == nil && os.SameFile(into, folder) && filepath.Base(p.Options.Plan) == plan.File {
		return nil
	}
	for i, path := range []string{filepath.Join(filepath.Dir(p.Options.Plan), plan.OrderFile), p.Options.Plan} {
		if p.replaced[i], err = r.set.Add(publish.Target{Path: path, Overwrite: true, Private: true}); err != nil {
			return err
		}
	}
	return nil
}

// pinnedPlan is what they hold.
func (p *part) pinnedPlan(data []byte) (out []documents.Document) {
	for i, d := range [][]byte{p.Plan.OrderCSV, data} {
		if p.replaced[i] != nil {
			out = append(out, documents.Document{To: p.replaced[i], Data: d})
		}
	}
	return out
}
