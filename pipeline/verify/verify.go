package verify

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/verify/columns"
	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/files"
	"github.com/tacet-privacy/tacet/pipeline/verify/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/verify/releases"
)

// A Request names the files of a release.
type Request = document.Request

// A Member is one file of a data set.
type Member = files.Member

// A Check is one claim, recomputed.
type Check = document.Check

// An Error says that there is nothing to check: a file cannot be read, or does
// not belong to the others.
type Error = document.Error

// A Result is every check, in the order they were made.
type Result = document.Result

// Run makes every check that the files allow. It fails with *Error where a
// file cannot be read or does not belong to the others.
func Run(ctx context.Context, q Request) (*Result, error) {
	v := document.NewView(&document.Report{})
	beside := func(path, name string) string {
		if path == "" {
			return filepath.Join(filepath.Dir(q.Report), name)
		}
		return path
	}
	q.Plan, q.Order = beside(q.Plan, "plan.json"), beside(q.Order, "order.csv")
	reportData, err := document.Read(q.Report, "--report")
	if err != nil {
		return nil, torn(q.Report, err)
	}
	schema, what := document.Members(reportData)
	if what != "" && q.Trust == "" {
		return nil, document.Errorf("it was cut short, changed, or written by another version", "%s %s", q.Report, what)
	}
	if err := CheckStatement(v, q, reportData, schema == document.PublicFormat); err != nil {
		return nil, err
	}
	forged := q.Trust != "" && len(v.Failed()) > 0
	if err := checkDecisions(v, q, schema == document.PublicFormat); err != nil {
		return nil, err
	}
	if err := checkRelease(ctx, v, q, reportData); err != nil {
		// What nobody signed may well be unreadable: the signature is the news.
		var unreadable *document.Error
		if !forged || !errors.As(err, &unreadable) {
			return nil, err
		}
		v.Skip("all else", unreadable.What)
	}
	slices.Sort(v.Beyond)
	v.Beyond = slices.Compact(v.Beyond)
	return &v.Result, ctx.Err()
}

// ownRecords refuses a ledger, a history and a draw key for a report that tells nothing of
// them: what was given and not looked at would be taken for checked.
func ownRecords(format string, q document.Request) error {
	var given []string
	for _, f := range []struct{ flag, path string }{{"--ledger", q.Ledger}, {"--history", q.History},
		{"--key-file", q.Key}} {
		if f.path != "" {
			given = append(given, f.flag)
		}
	}
	flags := strings.Join(given, " and ")
	switch {
	case given == nil:
	case format == document.PublicFormat:
		return document.Errorf("give the internal report, or leave "+flags+" out",
			"%s is a public report, which tells nothing that %s could be compared with", q.Report, flags)
	case format == document.JointFormat:
		return document.Errorf("leave "+flags+" out", "%s is of several columns, which are released without a ledger or a "+
			"draw key", q.Report)
	}
	return nil
}

// checkRelease makes the checks that need no signature.
func checkRelease(ctx context.Context, v *document.View, q document.Request, reportData []byte) error {
	var err error
	if v.Report, err = document.ReadReport(reportData, q.Report); err != nil {
		return err
	}
	q.Dialect = v.Report.Dialect()
	format := v.Report.Text("schema")
	if err := ownRecords(format, q); err != nil {
		return err
	}
	switch format {
	case document.PublicFormat:
		return checkPublic(ctx, v, q)
	case document.JointFormat:
		return checkJoint(ctx, v, q, reportData)
	}
	planData, err := document.Read(q.Plan, "--plan")
	if err != nil {
		return err
	}
	if err := document.Decode(planData, q.Plan, v.Plan); err != nil {
		return err
	}
	if v.Plan.Plan != v.Report.Text("plan.plan_sha256") || v.Plan.Column != v.Report.Text("column") {
		return document.Errorf("give the plan.json of the same run", "%s is not the plan of %s (plan_sha256 differs)", q.Plan,
			q.Report)
	}
	orderData, err := document.Read(q.Order, "--order")
	if err != nil {
		return err
	}
	weights, err := openWeights(v, q.Plan)
	if err != nil {
		return err
	}
	defer weights.Close()
	files, err := document.Open(q, v.Plan)
	if err != nil {
		return err
	}
	defer files.Close()

	mechanism.CheckHashes(v, planData, orderData)
	mechanism.CheckBins(v)
	usable := mechanism.CheckLetters(v) && mechanism.CheckCounts(v)
	if usable {
		mechanism.CheckOrder(v, orderData)
		mechanism.CheckRows(v)
	}
	if apart := v.Plan.Weights() != ""; Stated(q.Report) && statesWeights(q.Report) != apart {
		v.Add("stated weights", false, "the statement of the release and the plan do not say the same of a file of weights")
	}
	mechanism.CheckDesignHash(v)
	if usable {
		mechanism.CheckMade(v)
	}
	mechanism.CheckFloor(v)
	mechanism.CheckFactors(v)
	v.AsMade(mechanism.CheckLevel)
	mechanism.CheckStrata(v)
	mechanism.CheckTarget(v)
	v.AsMade(mechanism.CheckHeadroom)
	mechanism.CheckCertificate(v)
	mechanism.CheckMaxShift(v)
	if err := mechanism.CheckFiles(ctx, v, files); err != nil {
		return err
	}
	if err := CheckList(ctx, v, q, files); err != nil {
		return err
	}
	if usable {
		if err := mechanism.Compare(ctx, v, files); err != nil {
			return err
		}
		if err := mechanism.CompareStrata(ctx, v, q, files); err != nil {
			return err
		}
	}
	if err := releases.CheckNights(ctx, v, q, files); err != nil {
		return err
	}
	mechanism.CheckWritten(v, files)
	checkFigures(v, files)
	if err := columns.CheckBeside(ctx, v, q, files); err != nil {
		return err
	}
	// The joint report has what all columns tell, and what it says is held to the files there;
	// the statement has its hash.
	v.Seen("schema", "joint", "joint_sha256")
	checkMembers(v, beyond)
	return checkPublicBeside(v, q.Report)
}

// checkFigures recomputes the report's figures that nothing else has.
func checkFigures(v *document.View, f *document.Files) {
	mechanism.CheckPinned(v, f)
	mechanism.CheckRecords(v, f)
	mechanism.CheckNulls(v, f)
	mechanism.CheckPrior(v, f)
	mechanism.CheckOwn(v)
	mechanism.CheckPart(v, f)
	v.AsMade(mechanism.CheckOther)
	v.AsMade(func(v *document.View) { mechanism.CheckPopulation(v, f) })
	mechanism.CheckBeliefs(v)
	mechanism.CheckCertain(v)
	mechanism.CheckAnalysts(v)
	mechanism.CheckShares(v)
	mechanism.CheckShift(v)
	mechanism.CheckUtility(v, f)
	mechanism.CheckMadeUtility(v)
	mechanism.CheckFloors(v)
	checkStamp(v)
	mechanism.CheckSeries(v)
	mechanism.CheckPublished(v, f)
	checkDomain(v, f)
	checkDraws(v)
	checkPersons(v)
	columns.CheckNeighbours(v, f)
	checkOptions(v)
	checkWarnings(v)
	checkClaims(v)
}

// torn says so where the report is missing, and with it the statement without
// which a folder holds no release: a run takes an earlier one away before it
// replaces anything, and puts its own in place after all others.
func torn(report string, err error) error {
	folder, name := filepath.Dir(report), filepath.Base(report)
	if !errors.Is(err, fs.ErrNotExist) || name != "report.json" && name != "joint.json" || Stated(report) {
		return err
	}
	files, listed := os.ReadDir(folder)
	beside := slices.ContainsFunc(files, func(e fs.DirEntry) bool { return !strings.HasPrefix(e.Name(), ".tacet-") })
	if listed != nil || !beside {
		return err
	}
	return NoRelease(folder)
}
