package verify

import (
	"context"
	"path/filepath"
	"strconv"

	"github.com/tacet-privacy/tacet/pipeline/verify/columns"
	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/files"
	"github.com/tacet-privacy/tacet/pipeline/verify/mechanism"
)

// checkJoint makes every check of a release of several private columns: those
// of each column, named after its folder, and those of what all tell together. data are the
// bytes of joint.json.
func checkJoint(ctx context.Context, v *document.View, q document.Request, data []byte) error {
	folder := filepath.Dir(q.Report)
	if q.Plan != filepath.Join(folder, "plan.json") || q.Order != filepath.Join(folder, "order.csv") {
		return document.Errorf("leave --plan and --order out, or check a column by its own report",
			"%s is of several columns, which have a plan each", q.Report)
	}
	var of []*document.View
	var public []*document.Report
	var w document.Faults
	var parts []document.Figures
	j, sum := v.Report, files.Hex(data)
	for i := range j.List("parts") {
		name := strconv.Itoa(i + 1)
		own := q
		own.Report, own.Trust = filepath.Join(folder, name, "report.json"), ""
		own.Plan, own.Order = filepath.Join(folder, name, "plan.json"), filepath.Join(folder, name, "order.csv")
		one := document.NewView(nil)
		reportData, err := document.Read(own.Report, "--report")
		if err != nil {
			return err
		}
		if err := checkRelease(ctx, one, own, reportData); err != nil {
			return err
		}
		v.Beyond = append(v.Beyond, one.Beyond...)
		for _, c := range one.Checks {
			v.Checks = append(v.Checks, document.Check{Name: name + " " + c.Name, Outcome: c.Outcome, Detail: c.Detail})
		}
		parts = append(parts, document.Figures{"column": one.Report.Text("column"), "folder": name,
			"plan": document.Figures{"plan_sha256": one.Plan.Plan, "design_sha256": one.Plan.Design}})
		for _, shared := range []string{"joint", "input", "output", "stamp", "version"} {
			w.Match(document.Written(j.At(shared), one.Report.At(shared).Value()), "what a report says of all columns")
		}
		of = append(of, one)
		if p, err := publicBeside(own.Report); err != nil {
			return err
		} else if p != nil {
			public = append(public, p)
		}
	}
	v.Expect(&w, document.Figures{"parts": parts})
	v.Seen("schema", "input", "output", "stamp", "version")
	w.Match(len(of) > 1 && len(j.List("joint.columns")) == len(of), "the number of columns")
	alike := len(w) == 0
	for _, one := range of {
		w.Match(one.Report.Text("joint_sha256") == sum, "the hash of joint.json in a report")
	}
	if v.Settle("joint reports", w, "joint.json and the reports of %d columns say the same of all of them",
		len(of)); !alike {
		return nil
	}
	columns.CheckJointColumns(v, of)
	err := columns.CheckJointFactor(ctx, v, q, of, mechanism.OpenGroups)
	if err == nil && len(public) == len(of) {
		err = checkGuides(v, filepath.Join(folder, publicFolder), public)
	}
	checkMembers(v, beyondJoint)
	return err
}
