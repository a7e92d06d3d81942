package pipeline

import (
	"os"
	"path/filepath"

	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// agrees refuses choices that the plan was not made with: following it, they
// would be ignored.
func agrees(chosen []request.Chosen, p *plan.Plan) error {
	by := p.Bins.Asked()
	made := map[string]string{"bins": by.Spec, "bin-as": by.As, "epsilon": p.Target, "utility": p.Spec.Spec,
		"null": p.Null, "design": p.Kind,
		"floor": p.Asked, "prefer": p.Prefer, "headroom": "0", "strata": p.Given.String()}
	if p.Least {
		made["epsilon"], made["at-most"] = request.LeastEpsilon, p.Wanted
	}
	if p.Headroom != nil {
		made["headroom"] = p.Headroom.RatString()
	}
	if s := p.Shares; s != nil && s.Limit != nil {
		made["max-shift"] = s.Limit.RatString()
	}
	if p.Given.Only {
		made["given-only"] = "given"
	}
	if p.PriorOnly {
		made["prior-only"] = "given"
	}
	for _, c := range chosen {
		if c.Value != made[c.Name] {
			return fault.New(fault.Usage, "remove the flag, or make a new plan with --redesign",
				"--%s is %s, but the plan was made with %s", c.Name, c.Value, orNone(made[c.Name]))
		}
	}
	return nil
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
		return fault.Unreadable("--plan", p.Options.Plan, err)
	}
	if into, err := os.Stat(p.Options.Report); err == nil && os.SameFile(into, folder) &&
		filepath.Base(p.Options.Plan) == plan.File {
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
func (p *part) pinnedPlan(data []byte) (out []publish.Document) {
	for i, d := range [][]byte{p.Plan.OrderCSV, data} {
		if p.replaced[i] != nil {
			out = append(out, publish.Document{To: p.replaced[i], Data: d})
		}
	}
	return out
}
