package verify

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/law"
	"github.com/tacet-privacy/tacet/pipeline/verify/nights"
	"github.com/tacet-privacy/tacet/pipeline/verify/pair"
	"github.com/tacet-privacy/tacet/pipeline/verify/strata"
	"github.com/tacet-privacy/tacet/pipeline/verify/subject"
	"github.com/tacet-privacy/tacet/pipeline/verify/trust"
	"github.com/tacet-privacy/tacet/pipeline/verify/verdict"
	"github.com/tacet-privacy/tacet/pipeline/verify/written"
)

// A Request names the files of a release.
type Request = document.Request

// An Error says that there is nothing to check: a file cannot be read, or does
// not belong to the others.
type Error = document.Error

// A Result is every check, in the order they were made.
type Result = verdict.Result

// Run makes every check that the files allow. It fails with *Error where a
// file cannot be read or does not belong to the others.
func Run(ctx context.Context, q Request) (*Result, error) {
	v := &subject.View{Report: &document.Report{}, Plan: &document.Plan{}}
	beside := func(path, name string) string {
		if path == "" {
			return filepath.Join(filepath.Dir(q.Report), name)
		}
		return path
	}
	q.Plan, q.Order = beside(q.Plan, "plan.json"), beside(q.Order, "order.csv")
	reportData, err := document.Read(q.Report, "--report")
	if err != nil {
		return nil, err
	}
	if q.Trust != "" {
		if err := trust.CheckTrust(ctx, v, q, reportData); err != nil {
			return nil, err
		}
	}
	forged := len(v.Failed()) > 0
	if err := checkRelease(ctx, v, q, reportData); err != nil {
		// What nobody signed may well be unreadable: the signature is the news.
		var unreadable *document.Error
		if !forged || !errors.As(err, &unreadable) {
			return nil, err
		}
		v.Skip("all else", unreadable.What)
	}
	return &v.Result, ctx.Err()
}

// checkRelease makes the checks that need no signature.
func checkRelease(ctx context.Context, v *subject.View, q document.Request, reportData []byte) error {
	switch schema, _ := document.Members(reportData); schema {
	case document.PublicFormat:
		return checkPublic(ctx, v, q, reportData)
	case document.JointFormat:
		return checkJoint(ctx, v, q, reportData)
	}
	if err := document.Decode(reportData, q.Report, v.Report); err != nil {
		return err
	}
	planData, err := document.Read(q.Plan, "--plan")
	if err != nil {
		return err
	}
	if err := document.Decode(planData, q.Plan, v.Plan); err != nil {
		return err
	}
	if v.Plan.Plan != v.Report.Plan.Plan || v.Plan.Column != v.Report.Column {
		return document.Errorf("give the plan.json of the same run", "%s is not the plan of %s (plan_sha256 differs)", q.Plan, q.Report)
	}
	orderData, err := document.Read(q.Order, "--order")
	if err != nil {
		return err
	}
	files, err := pair.Open(q, v.Plan.Column)
	if err != nil {
		return err
	}
	defer files.Close()

	v.Following()
	law.CheckHashes(v, planData, orderData)
	trust.CheckCommitment(v, q, reportData)
	usable := law.CheckLetters(v) && law.CheckCounts(v)
	if usable {
		law.CheckOrder(v, orderData)
		law.CheckRows(v)
	}
	law.CheckDesignHash(v)
	if v.Plan.Strata == nil {
		law.CheckFloor(v)
		law.CheckFactors(v)
	}
	strata.CheckStrata(v)
	law.CheckTarget(v)
	law.CheckHeadroom(v)
	law.CheckCertificate(v)
	if err := written.CheckFiles(ctx, v, files); err != nil {
		return err
	}
	if usable {
		if err := written.Compare(ctx, v, files); err != nil {
			return err
		}
		if err := strata.CompareStrata(ctx, v, q, files); err != nil {
			return err
		}
	}
	if err := nights.CheckNights(ctx, v, q, files); err != nil {
		return err
	}
	written.CheckWritten(v, files)
	checkFigures(v, files)
	return nil
}
