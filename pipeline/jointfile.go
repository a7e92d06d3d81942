package pipeline

import (
	"bytes"
	"context"
	"math/big"
	"os"
	"path/filepath"

	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/pipeline/documents"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/joint"
	"github.com/tacet-privacy/tacet/pipeline/options"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/records"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// jointFile is put in place last of all files of a release of several columns.
const jointFile = "joint.json"

// A jointReport is what the parts of a release tell together, and its file.
type jointReport struct {
	figures *report.Joint
	count   *joint.Crossing // that pass two fills in; nil once the figures are there
	file    *publish.File
}

// told are the figures, nil where there is one part.
func (j *jointReport) told() *report.Joint {
	if j == nil {
		return nil
	}
	return j.figures
}

// jointly computes what all parts tell together where a bound on that was
// given, and scales their epsilons to keep it. Nothing is drawn yet. Without a
// bound the combinations are counted later, while records are drawn,
// unless that takes too much memory.
func (r *release) jointly(ctx context.Context) error {
	if r.joint == nil {
		return nil
	}
	in, _ := records.AllAlphabets(drawnOf(r.parts))
	count, err := joint.NewCrossing(in, r.s.Rows)
	if err != nil {
		return err
	}
	target, err := r.o.ParseJoint()
	if err != nil {
		return err
	}
	if target == nil && !count.Alone(options.Threads(r.o)) {
		r.joint.count = count
		return nil
	}
	cells, err := count.Cross(ctx, r.o, r.s, in)
	if err != nil {
		return err
	}
	all := joint.Of(plansOf(r.parts), everyPart(r.parts), cells)
	var factor *big.Rat
	if target != nil {
		search := &scaling{o: r.o, target: *target, parts: r.parts, cells: cells}
		if all, factor, err = search.scale(ctx, all); err != nil {
			return err
		}
	}
	r.joint.figures = joint.Tell(plansOf(r.parts), cells, all, r.o.JointEpsilon, factor)
	return nil
}

// counted tells what was counted while records were drawn.
func (j *jointReport) counted(parts []*part) {
	if j == nil || j.count == nil {
		return
	}
	cells := j.count.Cells()
	j.figures = joint.Tell(plansOf(parts), cells, joint.Of(plansOf(parts), everyPart(parts), cells), "", nil)
	j.count = nil
}

// crossing is what pass two counts into, nil where it does not.
func (j *jointReport) crossing() *joint.Crossing {
	if j == nil {
		return nil
	}
	return j.count
}

// noOther refuses to leave reports of an earlier release of other columns
// beside those of this one.
func (r *release) noOther() error {
	other := []string{jointFile, filepath.Join(options.PartFolder(0), jsonFile)}
	if len(r.parts) > 1 {
		other = []string{jsonFile, filepath.Join(options.PartFolder(len(r.parts)), jsonFile)}
	}
	for _, name := range other {
		path := filepath.Join(r.o.Report, name)
		if _, err := os.Lstat(path); err == nil {
			return fault.New(fault.Usage, "name another folder with --report, or remove it", "%s is of an earlier release of other private columns", path)
		}
	}
	return nil
}

// jointTarget opens joint.json where there are several parts.
func (r *release) jointTarget() (err error) {
	if len(r.parts) == 1 {
		return nil
	}
	path := filepath.Join(r.o.Report, jointFile)
	if err := r.signed.addReport(r, path, true); err != nil {
		return err
	}
	r.joint = &jointReport{}
	r.joint.file, err = r.add(path, true)
	return err
}

// jointDocuments are joint.json and its signatures.
func (r *release) jointDocuments(reports []*report.Report) ([]documents.Document, error) {
	if r.joint == nil {
		return nil, nil
	}
	f := report.JointFile{Schema: report.JointSchema, Version: r.o.Version, Stamp: reports[0].Stamp, Input: reports[0].Input, Output: reports[0].Output, Joint: *r.joint.figures}
	for i, rep := range reports {
		f.Parts = append(f.Parts, report.JointPart{Column: rep.Column, Folder: options.PartFolder(i), Plan: rep.Plan})
	}
	var data bytes.Buffer
	if err := f.WriteJSON(&data); err != nil {
		return nil, err
	}
	signatures, err := r.signed.signReport(r, filepath.Join(r.o.Report, jointFile), data.Bytes(), f.Output.SHA256)
	return append([]documents.Document{{To: r.joint.file, Data: data.Bytes()}}, signatures...), err
}

// plansOf are the plans of all parts.
func plansOf(parts []*part) []*plan.Plan {
	var out []*plan.Plan
	for _, p := range parts {
		out = append(out, p.Plan)
	}
	return out
}
