package verify

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/big"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
)

// A Request names the files of a release.
type Request struct {
	Report string // Required. report.json.
	Plan   string // "": plan.json beside the report
	Order  string // "": order.csv beside the report
	Input  string // "": what needs the input is not checked
	Output string // Required.
	Trust  string // public key, or a file that holds it; "": signatures are not checked

	Ledger  string // ledger, or its export; "": the releases before are not looked at
	History string // record history, or the folder where it lies; "": beside the ledger
	Key     string // draw key: with it and the input every draw is made again
}

// Outcome of a check.
type Outcome int

// The outcomes.
const (
	NotChecked Outcome = iota
	Passed
	Failed
)

func (o Outcome) String() string { return [...]string{"not checked", "passed", "FAILED"}[o] }

// A Check is one claim, recomputed.
type Check struct {
	Name    string
	Outcome Outcome
	Detail  string
}

// A Result is every check, in the order they were made.
type Result struct{ Checks []Check }

// Failed names the checks that failed.
func (r *Result) Failed() []string {
	var names []string
	for _, c := range r.Checks {
		if c.Outcome == Failed {
			names = append(names, c.Name)
		}
	}
	return names
}

// WriteText prints the table of checks.
func (r *Result) WriteText(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	count := map[Outcome]int{}
	for _, c := range r.Checks {
		count[c.Outcome]++
		fmt.Fprintf(t, "%s\t%s\t%s\n", c.Name, c.Outcome, strings.Join(strings.Fields(c.Detail), " "))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "%d checks: %d passed, %d failed, %d not checked\n", len(r.Checks), count[Passed], count[Failed], count[NotChecked])
	return err
}

// A verifier holds the documents and what was recomputed from them. What
// could not be is nil, and what needs it is not checked.
type verifier struct {
	Result
	report *reportFile
	plan   *planFile

	count  []int64 // of plan.counts, by input
	total  int64   // their sum
	rows   []row   // of the mechanism; nil for a plan without letters
	order  *order  // nil where order.csv is not a table of utilities
	allow  *support
	laws   [][]row    // of the mechanisms of strata
	strata []stratum  // by group; nil without strata
	factor []*big.Rat // e^l(y); nil where y is never produced
	most   *big.Rat   // the largest, 1 where there is none
	worst  struct {
		rank  int
		value float64
	}
	pairs   *tally    // of input and output, or of the output alone
	again   *replayed // nil where draws were not made again
	replays bool      // figures of the series were recomputed
}

// Run makes every check that the files allow. It fails with *Error where a
// file cannot be read or does not belong to the others.
func Run(ctx context.Context, q Request) (*Result, error) {
	v := &verifier{report: &reportFile{}, plan: &planFile{}}
	beside := func(path, name string) string {
		if path == "" {
			return filepath.Join(filepath.Dir(q.Report), name)
		}
		return path
	}
	q.Plan, q.Order = beside(q.Plan, "plan.json"), beside(q.Order, "order.csv")
	reportData, err := readFile(q.Report, "--report")
	if err != nil {
		return nil, err
	}
	if q.Trust != "" {
		if err := v.checkTrust(ctx, q, reportData); err != nil {
			return nil, err
		}
	}
	forged := len(v.Failed()) > 0
	if err := v.checkRelease(ctx, q, reportData); err != nil {
		// What nobody signed may well be unreadable: the signature is the news.
		var unreadable *Error
		if !forged || !errors.As(err, &unreadable) {
			return nil, err
		}
		v.skip("all else", unreadable.What)
	}
	return &v.Result, ctx.Err()
}

// checkRelease makes the checks that need no signature.
func (v *verifier) checkRelease(ctx context.Context, q Request, reportData []byte) error {
	switch schema, _ := members(reportData); schema {
	case publicFormat:
		return v.checkPublic(ctx, q, reportData)
	case jointFormat:
		return v.checkJoint(ctx, q, reportData)
	}
	if err := decode(reportData, q.Report, v.report); err != nil {
		return err
	}
	planData, err := readFile(q.Plan, "--plan")
	if err != nil {
		return err
	}
	if err := decode(planData, q.Plan, v.plan); err != nil {
		return err
	}
	if v.plan.Plan != v.report.Plan.Plan || v.plan.Column != v.report.Column {
		return errorf("give the plan.json of the same run", "%s is not the plan of %s (plan_sha256 differs)", q.Plan, q.Report)
	}
	orderData, err := readFile(q.Order, "--order")
	if err != nil {
		return err
	}
	files, err := openFiles(q, v.plan.Column)
	if err != nil {
		return err
	}
	defer files.close()

	v.following()
	v.checkHashes(planData, orderData)
	v.checkCommitment(q, reportData)
	usable := v.checkLetters() && v.checkCounts()
	if usable {
		v.checkOrder(orderData)
		v.checkRows()
	}
	v.checkDesignHash()
	if v.plan.Strata == nil {
		v.checkFloor()
		v.checkFactors()
	}
	v.checkStrata()
	v.checkTarget()
	v.checkHeadroom()
	v.checkCertificate()
	if err := v.checkFiles(ctx, files); err != nil {
		return err
	}
	if usable {
		if err := v.compare(ctx, files); err != nil {
			return err
		}
		if err := v.compareStrata(ctx, q, files); err != nil {
			return err
		}
	}
	if err := v.checkNights(ctx, q, files); err != nil {
		return err
	}
	v.checkWritten(files)
	v.checkFigures(files)
	return nil
}

func (v *verifier) add(name string, ok bool, format string, args ...any) bool {
	outcome := Failed
	if ok {
		outcome = Passed
	}
	v.Checks = append(v.Checks, Check{name, outcome, fmt.Sprintf(format, args...)})
	return ok
}

func (v *verifier) skip(name, why string) {
	v.Checks = append(v.Checks, Check{name, NotChecked, why})
}

// wrong collects the faults of one check.
type wrong []string

func (w *wrong) addf(format string, args ...any) { *w = append(*w, fmt.Sprintf(format, args...)) }

// match notes a figure that is not the one recomputed.
func (w *wrong) match(ok bool, figure string) {
	if !ok {
		w.addf("%s is not what the files give", figure)
	}
}

// settle passes where nothing is wrong; else it shows the first faults.
func (v *verifier) settle(name string, w wrong, format string, args ...any) bool {
	if len(w) == 0 {
		return v.add(name, true, format, args...)
	}
	w = slices.Compact(w)
	detail := strings.Join(w[:min(len(w), 3)], "; ")
	if n := len(w) - 3; n > 0 {
		detail += fmt.Sprintf("; and %d more", n)
	}
	return v.add(name, false, "%s", detail)
}

// empty reports a plan without letters: no rows, or public nulls only.
func (v *verifier) empty() bool { return len(v.plan.Inputs) == 0 }
