package verify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"text/tabwriter"

	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/verify/kernel"
)

// A Request names the files of a release.
type Request struct {
	Report string // Required. report.json.
	Plan   string // "": plan.json beside the report
	Order  string // "": order.csv beside the report
	Input  string // "": what needs the input is not checked
	Output string // Required.
	File   string // path in a data set of the one file that Output is; "" for all
	Trust  string // public key, or a file that holds it; "": signatures are not checked
	// Approvers are the keys, given as Trust is, of who may decide; nil: decisions are
	// read, and their signatures are not checked.
	Approvers []string
	Approvals int    // how many of them must approve; 0 is 1
	Withdrawn string // list of keys that are trusted no more; "" for none

	gone   []string          // that are on it
	stated *report.Statement // that the report belongs to; nil where none can be read

	Since   []string // report folders of releases whose files are left out of input and output, or patterns of these
	Ledger  string   // ledger, or its export; "": the releases before are not looked at
	History string   // record history, or the folder where it lies; "": beside the ledger
	Key     string   // draw key: with it and the input every draw is made again

	Version string // of this program: another version may tell a report in other words

	failed *atomic.Pointer[error] // first answer that a store did not give
}

// A Check is one claim, proven or told again.
type Check = kernel.Check

// An Error says that there is nothing to check: a file cannot be read, or does
// not belong to the others.
type Error = kernel.Error

// A Result is every check, in the order they were made.
type Result struct {
	kernel.Result
	Stated []string // what the report says and no file shows, by name
}

// Run makes every check that the files allow. It fails with *Error where a
// file cannot be read or does not belong to the others.
func Run(ctx context.Context, q Request) (_ *Result, err error) {
	q.failed = &atomic.Pointer[error]{}
	defer func() {
		if failed := q.failed.Load(); failed != nil {
			err = *failed
		}
	}()
	beside := func(path, name string) string {
		if path == "" {
			return filepath.Join(filepath.Dir(q.Report), name)
		}
		return path
	}
	q.Plan, q.Order = beside(q.Plan, "plan.json"), beside(q.Order, "order.csv")
	data, err := read(q.Report, "--report")
	if err != nil {
		return nil, torn(q.Report, err)
	}
	if q.Withdrawn != "" {
		if q.gone, err = readWithdrawn(q.Withdrawn); err != nil {
			return nil, err
		}
	}
	schema, err := legible(data, q.Report)
	if err != nil && q.Trust == "" {
		return nil, err
	}
	v := &Result{}
	if err := v.checkStatement(&q, data, schema == report.PublicSchema); err != nil {
		return nil, err
	}
	forged := q.Trust != "" && len(v.Failed()) > 0
	if err := v.checkDecisions(q, schema == report.PublicSchema); err != nil {
		return nil, err
	}
	if err := v.checkRelease(ctx, q, schema, data); err != nil {
		// What nobody signed may well be unreadable: the signature is the news.
		var unreadable *Error
		if !forged || !errors.As(err, &unreadable) {
			return nil, err
		}
		v.Skip("all else", unreadable.What)
	}
	slices.Sort(v.Stated)
	v.Stated = slices.Compact(v.Stated)
	return v, ctx.Err()
}

// checkRelease makes the checks that need no signature.
func (v *Result) checkRelease(ctx context.Context, q Request, schema string, data []byte) error {
	if err := ownRecords(schema, q); err != nil {
		return err
	}
	if q.File != "" {
		return v.checkFile(ctx, q, data)
	}
	switch schema {
	case report.PublicSchema:
		return v.checkPublic(ctx, q, data)
	case report.JointSchema:
		return v.checkJoint(ctx, q, data)
	}
	return v.checkColumns(ctx, q, []*column{{q: q, reportData: data}}, nil)
}

// ownRecords refuses a ledger, a history and a draw key for a report that tells nothing of
// them: what was given and not looked at would be taken for checked.
func ownRecords(schema string, q Request) error {
	var given []string
	for _, f := range []struct{ flag, path string }{{"--ledger", q.Ledger}, {"--history", q.History},
		{"--key-file", q.Key}} {
		if f.path != "" {
			given = append(given, f.flag)
		}
	}
	if given == nil || schema != report.PublicSchema && schema != report.JointSchema {
		return nil
	}
	flags := strings.Join(given, " and ")
	return kernel.Errorf("give the internal report of one column, or leave "+flags+" out", "%s is %s, which tells "+
		"nothing that %s could be compared with", q.Report, kernel.Either(schema == report.PublicSchema, "a public report",
		"of several columns"), flags)
}

// torn says so where the report is missing, and with it the statement without
// which a folder holds no release: a run takes an earlier one away before it
// replaces anything, and puts its own in place after all others.
func torn(report string, err error) error {
	folder, name := filepath.Dir(report), filepath.Base(report)
	if !errors.Is(err, fs.ErrNotExist) || name != "report.json" && name != "joint.json" {
		return err
	}
	if path, _ := stating(report, filepath.Base(folder) == publicFolder); exists(path) {
		return err
	}
	files, listed := os.ReadDir(folder)
	beside := slices.ContainsFunc(files, func(e fs.DirEntry) bool { return !strings.HasPrefix(e.Name(), ".tacet-") })
	if listed != nil || !beside {
		return err
	}
	return noRelease(folder)
}

// counts are how many checks have an outcome, by outcome.
func (v *Result) counts() (n [3]int) {
	for _, c := range v.Checks {
		n[c.Outcome]++
	}
	return n
}

// WriteText prints the table of checks, and what none of them looks at.
func (v *Result) WriteText(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, c := range v.Checks {
		fmt.Fprintf(t, "%s\t%s\t%s\n", c.Name, c.Outcome, strings.Join(strings.Fields(c.Detail), " "))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if len(v.Stated) > 0 {
		if _, err := fmt.Fprintf(w, "stated, in no other file: %s\n", strings.Join(v.Stated, ", ")); err != nil {
			return err
		}
	}
	n := v.counts()
	_, err := fmt.Fprintf(w, "%d checks: %d passed, %d failed, %d not checked\n", len(v.Checks), n[kernel.Passed],
		n[kernel.Failed], n[kernel.NotChecked])
	return err
}

// WriteJSON prints the checks as one object.
func (v *Result) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	n := v.counts()
	return e.Encode(struct {
		Checks     []Check  `json:"checks"`
		Stated     []string `json:"stated"`
		Passed     int      `json:"passed"`
		Failed     int      `json:"failed"`
		NotChecked int      `json:"not_checked"`
	}{append([]Check{}, v.Checks...), append([]string{}, v.Stated...), n[kernel.Passed], n[kernel.Failed],
		n[kernel.NotChecked]})
}

// maxDocument bounds a report, plan or order, in bytes.
const maxDocument = 4 << 30

// read reads a whole file of a release.
func read(path, flag string) ([]byte, error) {
	st, err := os.Stat(path)
	if err == nil && st.Size() > maxDocument {
		return nil, kernel.Errorf("name another file", "%s is larger than %d GiB", path, maxDocument>>30)
	}
	var data []byte
	if err == nil {
		data, err = os.ReadFile(path)
	}
	if err != nil {
		return nil, unreadable(path, flag, err)
	}
	return data, nil
}

// unreadable is the Error of a file that cannot be opened or read.
func unreadable(path, flag string, err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	e := kernel.Errorf("check the path given to "+flag, "%s cannot be read: %v", path, err)
	e.Err = err
	return e
}
