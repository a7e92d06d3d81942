package pipeline

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/ledger"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/strata"
	"github.com/tacet-privacy/tacet/pipeline/utility"
)

// agrees refuses choices that the plan was not made with: following it, they
// would be ignored.
func (o *Options) agrees(p *plan.Plan) error {
	var epsilon, floor string
	if o.Epsilon != "" || o.MaxFactor != "" {
		e, err := o.epsilon()
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
	share, err := o.headroom()
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

// listed are those of the letters that stand in the user's files, and so may
// be named: in --domain, or in a utility spec that lists its letters.
func (d *domain) listed(o *Options, letters []int) (names []string) {
	inSpec := d.inSpec(o)
	for _, x := range letters {
		if x < len(d.letters.Label) && (inSpec(x) || d.declared[d.letters.Label[x]]) {
			names = append(names, d.letters.Label[x])
		}
	}
	return names
}

// inSpec reports which letters the utility spec lists.
func (d *domain) inSpec(o *Options) func(x int) bool {
	none := func(int) bool { return false }
	if o.Utility == "" {
		return none
	}
	in := utility.Input{Letters: d.letters, Kind: d.kind, ReadFile: readSpec}
	if o.Labels != "" {
		var err error
		if in.Outputs, err = readLabels(o.Labels, "--labels"); err != nil {
			return none
		}
	}
	r, err := utility.Build(o.Utility, in)
	var missing *utility.MissingError
	switch {
	case errors.As(err, &missing):
		return func(x int) bool { return !slices.Contains(missing.Letters, x) }
	case err != nil || !r.ListsLetters():
		return none
	}
	return func(int) bool { return true }
}

// amongNew names letters where that is allowed.
func (d *domain) amongNew(o *Options, letters []int) string {
	names := d.listed(o, letters)
	if len(names) == 0 {
		return ""
	}
	quoted := []string{}
	for _, n := range names[:min(len(names), shownRows)] {
		quoted = append(quoted, fmt.Sprintf("%q", n))
	}
	text := ": "
	if len(quoted) < len(letters) {
		text = ", among them "
	}
	return text + strings.Join(quoted, ", ")
}

// held counts the records of letters.
func (d *domain) held(letters []int) (n int64) {
	for _, x := range letters {
		n += d.prior.Count(x)
	}
	return n
}

// redesigning is what the ledger is told of a redesign.
func (o *Options) redesigning() (c ledger.Changes) {
	if o.Redesign {
		c.Redesign = "--redesign"
	}
	return c
}

// pinnedFiles opens the pinned plan and its order for a redesign: from the next
// night on they are the ones to follow. Where they lie in the report folder
// they are there already.
func (p *part) pinnedFiles(r *release) error {
	if !p.o.Redesign || p.o.Plan == "" {
		return nil
	}
	folder, err := os.Stat(filepath.Dir(p.o.Plan))
	if err != nil {
		return fault.New(fault.Input, "check the path given to --plan", "%s cannot be read: %v", p.o.Plan, pathCause(err))
	}
	if into, err := os.Stat(p.o.Report); err == nil && os.SameFile(into, folder) && filepath.Base(p.o.Plan) == planFileName {
		return nil
	}
	for i, path := range []string{beside(p.o.Plan, plan.OrderFile), p.o.Plan} {
		if p.replaced[i], err = r.set.Add(publish.Target{Path: path, Overwrite: true, Private: true}); err != nil {
			return err
		}
	}
	return nil
}

// pinnedPlan is what they hold.
func (p *part) pinnedPlan(data []byte) (out []document) {
	for i, d := range [][]byte{p.p.OrderCSV, data} {
		if p.replaced[i] != nil {
			out = append(out, document{p.replaced[i], d})
		}
	}
	return out
}
