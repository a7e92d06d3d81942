package pipeline

import (
	"bytes"
	"context"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/io/store"
	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/neighbours"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/records"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// jointFile is the report of all columns of a release together.
const jointFile = "joint.json"

// A jointReport is what the parts of a release tell together, and its file. One part
// tells together what its own report says: the joint report has no figures and no file.
type jointReport struct {
	figures *report.Joint
	count   *neighbours.Crossing // that pass two fills in; nil once the figures are there
	file    *publish.File
}

// jointly computes what all parts tell together where a bound on that was
// given, and scales their epsilons to keep it. Nothing is drawn yet. Without a
// bound the combinations are counted later, while records are drawn,
// unless that takes too much memory.
func (r *release) jointly(ctx context.Context) error {
	if len(r.parts) == 1 {
		return nil
	}
	in, _ := records.AllAlphabets(drawnOf(r.parts))
	count, err := neighbours.NewCrossing(in, groupsOf(r.parts), r.s.Rows)
	if err != nil {
		return err
	}
	target := r.o.Joint
	if target == nil && !count.Alone(r.s.Workers()) && !r.nullsStay() {
		r.joint.count = count
		return nil
	}
	cells, err := count.Cross(ctx, r.s, in, groupersOf(r.parts))
	if err != nil {
		return err
	}
	all := neighbours.Of(plansOf(r.parts), everyPart(r.parts), cells)
	var factor *big.Rat
	if target != nil {
		search := &scaling{o: r.o, parts: r.parts, cells: cells}
		if all, factor, err = search.scale(ctx, all); err != nil {
			return err
		}
	}
	if err := refusePatterns(r.o.Observed, neighbours.Patterns(plansOf(r.parts), cells)); err != nil {
		return err
	}
	r.joint.figures = neighbours.Tell(plansOf(r.parts), cells, all, target, factor)
	return nil
}

// nullsStay reports whether some column has nulls that stay: what they tell of
// the others is judged before anything is drawn.
func (r *release) nullsStay() bool {
	return slices.ContainsFunc(r.parts, func(p *part) bool { return p.d.Nulls != nil && p.Plan.Null == "public" })
}

// refusePatterns refuses nulls that stay where they give another column away, as
// a column that is published in clear is refused.
func refusePatterns(o request.Observed, all []neighbours.Pattern) error {
	var what, linked []string
	for _, p := range all {
		if !p.Refused || o.Audit == "off" || p.Allowed(all, o.AllowLinked) {
			continue
		}
		what = append(what, p.Says())
		for _, n := range p.By {
			if !slices.Contains(linked, n) {
				linked = append(linked, n)
			}
		}
	}
	if len(what) == 0 {
		return nil
	}
	names := strings.Join(linked, ",")
	return fault.New(fault.Privacy,
		fmt.Sprintf("randomize the nulls of %s with --null letter, leave a column out, or publish the nulls nevertheless "+
			"with --allow-linked %[1]s",
			names),
		"published nulls reveal another private column: %s", strings.Join(what, "; "))
}

// counted tells what was counted while records were drawn.
func (j *jointReport) counted(parts []*part) {
	if j.count == nil {
		return
	}
	cells := j.count.Cells()
	j.figures = neighbours.Tell(plansOf(parts), cells, neighbours.Of(plansOf(parts), everyPart(parts), cells), nil, nil)
	j.count = nil
}

// noOther refuses to leave reports of an earlier release of other columns
// beside those of this one.
func (r *release) noOther() error {
	other := []string{jointFile, filepath.Join(request.PartFolder(0), jsonFile)}
	if len(r.parts) > 1 {
		other = []string{jsonFile, filepath.Join(request.PartFolder(len(r.parts)), jsonFile)}
	}
	for _, name := range other {
		path := store.In(r.o.Report, name)
		if _, err := os.Lstat(path); err == nil {
			return fault.New(fault.Usage, "give another folder with --report, or remove the file",
				"%s belongs to an earlier release of other private columns", path)
		}
	}
	return nil
}

// jointTarget opens joint.json where there are several parts.
func (r *release) jointTarget() (err error) {
	if len(r.parts) == 1 {
		return nil
	}
	path := store.In(r.o.Report, jointFile)
	r.joint.file, err = r.add(path, true)
	return err
}

// jointDocuments are joint.json, whose hash every report names from here on; none where
// there is one part.
func (r *release) jointDocuments(reports []*report.Report) ([]publish.Document, error) {
	if r.joint.file == nil {
		return nil, nil
	}
	f := report.JointFile{Schema: report.JointSchema, Version: r.o.Version, Stamp: reports[0].Stamp,
		Input: reports[0].Input, Output: reports[0].Output, Joint: *r.joint.figures}
	for i, rep := range reports {
		f.Parts = append(f.Parts, report.JointPart{Column: rep.Column, Folder: request.PartFolder(i), Plan: rep.Plan})
	}
	var data bytes.Buffer
	if err := f.WriteJSON(&data); err != nil {
		return nil, err
	}
	for _, rep := range reports {
		rep.JointHash = report.SubjectOf("", data.Bytes()).Digest.SHA256
	}
	return []publish.Document{{To: r.joint.file, Data: data.Bytes()}}, nil
}

// groupsOf are the numbers of groups of every plan, none where no plan has strata.
func groupsOf(parts []*part) (n []int) {
	strata := false
	for _, p := range parts {
		n, strata = append(n, len(p.Plan.Groups)), strata || p.Plan.Given.Column != ""
	}
	if !strata {
		return nil
	}
	return n
}

// groupersOf know the groups of records, one for every plan.
func groupersOf(parts []*part) (by []*count.Grouper) {
	for _, p := range parts {
		by = append(by, count.NewGrouper(p.Plan))
	}
	return by
}

// plansOf are the plans of all parts, as they read with this file.
func plansOf(parts []*part) []*plan.Plan {
	var out []*plan.Plan
	for _, p := range parts {
		out = append(out, p.reads())
	}
	return out
}
