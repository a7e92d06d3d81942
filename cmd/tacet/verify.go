package main

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/tacet-privacy/tacet/pipeline/decide"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/request"
	"github.com/tacet-privacy/tacet/pipeline/verify"
)

var _ = does("verify", verifyRelease)

func verifyRelease(c *cli.Context) error {
	a := askedOf(c)
	if n := value[int](a, "threads"); n > 0 {
		runtime.GOMAXPROCS(n)
	}
	growth.Store(200) // its arrays live for a batch: to collect seldom saves a tenth of the time
	path := a.text("report")
	if path == "" {
		var err error
		if path, err = reportBeside(a.text("output")); err != nil {
			return err
		}
	}
	path = reportIn(path)
	approvals, err := strconv.Atoi(cmp.Or(a.text("approvals"), "1"))
	if err != nil || approvals < 1 || approvals > 1 && len(value[[]string](a, "approver")) < approvals {
		return usagef("give a number from 1 to that of the keys given to --approver", "--approvals is %s",
			a.text("approvals"))
	}
	q := verify.Request{Report: path, Plan: a.text("plan"), Order: a.text("order"),
		Input: a.text("input"), Output: a.text("output"), File: a.text("file"), Trust: a.text("trust"),
		Approvers: value[[]string](a, "approver"), Approvals: approvals, Withdrawn: a.text("withdrawn"),
		Since: value[[]string](a, "since"), Ledger: a.text("ledger"), History: a.text("history"),
		Key: a.text("key-file"), Version: version}
	var r *verify.Result
	err = decide.Interruptible(c.Context, func() (err error) { // nothing is written
		r, err = verify.Run(c.Context, q)
		return err
	})
	if err != nil {
		return unreadable(err)
	}
	write := func() error { return r.WriteText(people(c)) }
	if a.text("format") == "json" {
		write = func() error { return r.WriteJSON(c.App.Writer) }
	}
	if err := write(); err != nil {
		return err
	}
	if failed := r.Failed(); len(failed) > 0 {
		return &fault.Fault{Class: fault.Privacy, What: "the release is not what its report claims: " +
			strings.Join(failed, ", "), Hint: rejected(q)}
	}
	return nil
}

// unreadable is an error of verify as one of the program.
func unreadable(err error) error {
	var of *verify.Error
	if errors.As(err, &of) {
		return &fault.Fault{Class: fault.Input, What: of.What, Hint: of.Hint, Err: err}
	}
	return err
}

// rejected is what to do about a release that failed. Who has its internal report made
// it, or has it from who did; others have what was published.
func rejected(q verify.Request) string {
	if filepath.Base(filepath.Dir(q.Report)) == "public" && q.Input == "" {
		return "do not rely on this release; ask its publisher"
	}
	return "do not rely on this release: take its files as the run wrote them, all of one run, or make it again"
}

// reportBeside is the report that a run writes where --report is left out.
func reportBeside(output string) (path string, err error) {
	folder := request.ReportOf(output)
	if path = reportIn(folder); path != folder {
		return path, nil
	}
	return "", usagef("give the report.json of the release with --report", "--report is missing, and there is no %s",
		filepath.Join(folder, "report.json"))
}

// reportIn is the report in the folder that a run makes, that of all columns where there
// are several; any other path is left as it is.
func reportIn(path string) string {
	for _, name := range []string{"joint.json", "report.json"} {
		if path == "" {
			break // none was given
		}
		in := filepath.Join(path, name)
		if _, err := os.Stat(in); err == nil {
			return in
		}
	}
	if st, err := os.Stat(path); err == nil && st.IsDir() { // whose report an ended run may have left out
		return filepath.Join(path, "report.json")
	}
	return path
}
