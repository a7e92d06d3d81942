package verify

import (
	"bytes"
	"context"
	"path/filepath"
	"strconv"

	"github.com/tacet-privacy/tacet/pipeline/page"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/verify/kernel"
	"github.com/tacet-privacy/tacet/pipeline/verify/kernel/files"
)

// checkJoint makes every check of a release of several private columns: those
// of each column, named after its folder, and those of what all tell together. data are the
// bytes of joint.json.
func (v *Result) checkJoint(ctx context.Context, q Request, data []byte) error {
	folder := filepath.Dir(q.Report)
	if q.Plan != filepath.Join(folder, "plan.json") || q.Order != filepath.Join(folder, "order.csv") {
		return kernel.Errorf("leave --plan and --order out, or check a column by its own report",
			"%s is of several columns, which have a plan each", q.Report)
	}
	joint := &report.JointFile{}
	if err := kernel.Decode(data, q.Report, report.JointSchema, joint); err != nil {
		return err
	}
	var all []*column
	for i := range joint.Parts {
		name := strconv.Itoa(i + 1)
		own := q
		own.Report, own.Trust = filepath.Join(folder, name, "report.json"), ""
		own.Plan, own.Order = filepath.Join(folder, name, "plan.json"), filepath.Join(folder, name, "order.csv")
		data, err := read(own.Report, "--report")
		if err != nil {
			return err
		}
		all = append(all, &column{q: own, name: name + " ", reportData: data})
	}
	if len(all) < 2 {
		return kernel.Errorf("it was cut short, changed, or written by another version", "%s is of fewer than two columns",
			q.Report)
	}
	return v.checkColumns(ctx, q, all, data)
}

// checkTogether proves what several columns tell together, and holds joint.json and the
// files for all columns to the reports that were told again.
func (v *Result) checkTogether(ctx context.Context, q Request, all []*column, stated []byte) error {
	if len(all) < 2 {
		return nil
	}
	var of []*kernel.Facts
	var releases []*kernel.Release
	for _, c := range all {
		of, releases = append(of, c.Facts), append(releases, c.release)
	}
	result, err := kernel.ProveJoint(ctx, releases, of, jointClaim(all[0].stated.Joint))
	if err != nil {
		return err
	}
	v.Checks = append(v.Checks, result.Checks...)
	var told []*report.Report
	for _, c := range all {
		if c.told == nil {
			return nil
		}
		told = append(told, c.told)
	}
	var want bytes.Buffer
	if told[0].Joint == nil || report.JointOf(told).WriteJSON(&want) != nil {
		v.Add("joint reports", false, "the reports do not say what the columns tell together")
		return nil
	}
	var w kernel.Faults
	if differ := differences(stated, want.Bytes()); differ != nil {
		w.Addf("joint.json differs from the reports in %s", firstOf(differ))
	}
	for i, c := range all {
		if c.stated.JointHash != files.Hex(stated) {
			w.Addf("%d/report.json names another joint.json", i+1)
		}
	}
	v.Settle("joint reports", w, "joint.json says what the reports say of all columns")
	pages, err := page.Pages(told)
	return q.checkViews(&v.Result, all[0].stated.Version, pages, err)
}

// jointClaim is what reports say of all columns together.
func jointClaim(j *report.Joint) (c kernel.JointClaim) {
	if j == nil {
		return c
	}
	c = kernel.JointClaim{Factor: j.Factor, Exact: j.Exact, Target: j.Target}
	if j.Shown != nil {
		c.Presence = j.Shown.Factor
	}
	if j.Unaware != nil {
		c.Unaware = j.Unaware.Factor
	}
	return c
}
