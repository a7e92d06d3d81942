package verify

import (
	"context"
	"path/filepath"
	"reflect"
	"strconv"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/mechanism"
)

// checkJoint makes every check of a release of several private columns: those
// of each column, named after its folder, and those of what all tell together.
func checkJoint(ctx context.Context, v *document.View, q document.Request, data []byte) error {
	j := &document.Joint{}
	if err := document.Decode(data, q.Report, j); err != nil {
		return err
	}
	folder := filepath.Dir(q.Report)
	if q.Plan != filepath.Join(folder, "plan.json") || q.Order != filepath.Join(folder, "order.csv") {
		return document.Errorf("leave --plan and --order out, or check a column by its own report",
			"%s is of several columns, which have a plan each", q.Report)
	}
	var of []*document.View
	var w document.Faults
	for i, p := range j.Parts {
		if p.Folder != strconv.Itoa(i+1) {
			return document.Errorf("it was changed", "%s names a folder of no column", q.Report)
		}
		own := q
		own.Report = filepath.Join(folder, p.Folder, "report.json")
		own.Plan, own.Order, own.Trust = filepath.Join(folder, p.Folder, "plan.json"), filepath.Join(folder, p.Folder,
			"order.csv"), ""
		one := &document.View{Report: &document.Report{}, Plan: &document.Plan{}}
		reportData, err := document.Read(own.Report, "--report")
		if err != nil {
			return err
		}
		schema, _ := document.Members(reportData)
		if err := checkRelease(ctx, one, own, reportData, schema); err != nil {
			return err
		}
		v.Beyond = append(v.Beyond, beyondIn(reportData, schema)...)
		for _, c := range one.Checks {
			v.Checks = append(v.Checks, document.Check{Name: p.Folder + " " + c.Name, Outcome: c.Outcome, Detail: c.Detail})
		}
		w.Match(one.Report.Column == p.Column && one.Plan.Plan == p.Plan.Plan && one.Plan.Design == p.Plan.Design,
			"a column or its plan")
		w.Match(one.Report.Joint != nil && reflect.DeepEqual(*one.Report.Joint, j.Joint), "what a report says of all columns")
		w.Match(one.Report.Input == j.Input && one.Report.Output == j.Output && one.Report.Stamp == j.Stamp, "a file")
		of = append(of, one)
	}
	w.Match(len(of) > 1 && len(j.Joint.Columns) == len(of), "the number of columns")
	if !v.Settle("joint reports", w, "joint.json and the reports of %d columns say the same of all of them", len(of)) {
		return nil
	}
	mechanism.CheckJointColumns(v, of, &j.Joint)
	return mechanism.CheckJointFactor(ctx, v, q, of, &j.Joint)
}
