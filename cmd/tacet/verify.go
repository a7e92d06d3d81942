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

func verifyCommand() *cli.Command {
	return &cli.Command{
		Name:  "verify",
		Usage: "prove what a release promises from its files",
		Description: `Proves from plan, order, output and input what a release promises, with a small kernel that shares nothing
with the rest of tacet, and tells the report again from what was proven: every member and every view must be the
same. Without --input it checks what it can and names what it could not check.
With --trust it checks the signature first. It lists the decisions that tacet sign-off wrote beside the report;
a release that somebody rejected fails; with --approver it checks their signatures and wants an approval.
With --ledger it checks a release of a series against the ledger and the record history: what every record
leaks, and what the total allowed. With --key-file and --input it repeats every draw.
Ends with code 4 if a check fails, and with code 3 if a file cannot be read or belongs to another release.`,
		Flags: flagsOf(
			&request.Option{Name: "report", Example: "published.report/report.json",
				Usage: "report.json `FILE` of the release, or its folder; without it, the folder that tacet run makes " +
					"beside the output"},
			&request.Option{Name: "plan", Usage: "plan `FILE`; without it, plan.json in the folder of the report",
				Example: "plan.json"},
			&request.Option{Name: "order", Usage: "order `FILE`; without it, order.csv in the folder of the report"},
			&request.Option{Name: "input", Usage: "`FILE` that was privatized"},
			&request.Option{Name: "output", Usage: "`FILE` that was published", Example: "published.parquet",
				Need: "verify", Hint: "give --output published.parquet"},
			&request.Option{Name: "file",
				Usage: "`PATH`, in a release of many files, of the one that --output names: no other is read"},
			&request.Option{Name: "since", Kind: request.Names,
				Usage: "report `FOLDERS` of other releases, or patterns of these: files that they list are left out"},
			&request.Option{Name: "ledger", Usage: "ledger `FILE`, or what tacet ledger export printed"},
			&request.Option{Name: "history", Usage: "record history `FILE` or folder; without it, the folder next to the " +
				"ledger"},
			&request.Option{Name: "key-file", Kind: request.Secret,
				Usage: "draw key `FILE`, to repeat the draws of the input's records"},
			&request.Option{Name: "threads", Kind: request.Whole, Default: "0",
				Usage: "number of row groups to check at once; 0 means one per processor"},
			&request.Option{Name: "format", Default: "text", Choices: []string{"text", "json"},
				Usage: "form of the result: text, or json (one object)"},
			&request.Option{Name: "trust",
				Usage: "public `KEY` that must have signed the release: a file, or its line that begins with RW"},
			&request.Option{Name: "approver", Kind: request.Names,
				Usage: "public `KEYS` of who may decide: one of them must have signed every decision and approved"},
			&request.Option{Name: "approvals", Default: "1", Usage: "`NUMBER` of these keys that must approve"},
			&request.Option{Name: "withdrawn",
				Usage: "`FILE` with public keys, or their ids, that are trusted no more, one a line"},
		),
		Action: func(c *cli.Context) error {
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
		},
	}
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
