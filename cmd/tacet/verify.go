package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/tacet-privacy/tacet/pipeline/account"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/page"
	"github.com/tacet-privacy/tacet/pipeline/request"
	"github.com/tacet-privacy/tacet/pipeline/verify"
)

func verifyCommand() *cli.Command {
	return &cli.Command{
		Name:  "verify",
		Usage: "recompute a release's claims from its files",
		Description: `Recomputes what a report claims from report, plan, order, output and input, with code that shares
nothing with the rest of tacet. Without --input it checks what can be checked, and says what could not.
With --trust the signature comes first.
With --ledger it holds a release of a series to the ledger and to its record history: what every record
tells, what the total let be published, what was reserved. With --key-file and --input it makes every draw again.
With --plan and --counts it tells instead how far these counts are from making the plan fail.
Ends with code 4 when a check fails, and with code 3 when a file cannot be read or belongs to another release.`,
		Flags: flagsOf(
			&request.Option{Name: "report", Usage: "report.json `FILE` of the release", Example: "report/report.json",
				Need: "verify", Or: "counts", Hint: "give --report report/report.json"},
			&request.Option{Name: "plan", Usage: "plan `FILE`; plan.json beside the report unless given", Example: "plan.json"},
			&request.Option{Name: "order", Usage: "order `FILE`; order.csv beside the report unless given"},
			&request.Option{Name: "counts", Usage: "counts `FILE` that tacet estimate wrote, to hold a plan to"},
			&request.Option{Name: "input", Usage: "`FILE` that was privatized"},
			&request.Option{Name: "output", Usage: "`FILE` that was published", Example: "published.parquet",
				Need: "verify", Or: "counts", Hint: "give --output published.parquet"},
			&request.Option{Name: "ledger", Usage: "ledger `FILE`, or what tacet ledger export printed"},
			&request.Option{Name: "history", Usage: "record history `FILE` or folder; beside the ledger unless given"},
			&request.Option{Name: "key-file", Kind: request.Secret,
				Usage: "draw key `FILE`, to make the draws of the input's records again"},
			&request.Option{Name: "trust",
				Usage: "public `KEY` in whose name the release must be signed: a file, or its line that begins with RW"},
		),
		Action: func(c *cli.Context) error {
			a := askedOf(c)
			if a.text("counts") != "" {
				return verifyEdge(c)
			}
			q := verify.Request{Report: a.text("report"), Plan: a.text("plan"), Order: a.text("order"), Input: a.text("input"),
				Output: a.text("output"), Trust: a.text("trust"),
				Ledger: a.text("ledger"), History: a.text("history"), Key: a.text("key-file")}
			r, err := verify.Run(c.Context, q)
			var unreadable *verify.Error
			if errors.As(err, &unreadable) {
				return &fault.Fault{Class: fault.Input, What: unreadable.What, Hint: unreadable.Hint, Err: err}
			}
			if err != nil {
				return err
			}
			compareViews(r, q.Report)
			if err := r.WriteText(people(c)); err != nil {
				return err
			}
			if failed := r.Failed(); len(failed) > 0 {
				return &fault.Fault{Class: fault.Privacy, What: "the release is not what its report says: " +
					strings.Join(failed, ", "),
					Hint: "do not rely on it; ask whoever made it"}
			}
			return nil
		},
	}
}

// compareViews renders the views of the report again. Unlike all other checks it
// is made by the code that wrote them.
func compareViews(r *verify.Result, path string) {
	const name = "views"
	v, err := page.Compare(path, version, account.Claim)
	switch {
	case err != nil:
		r.Skip(name, "the report cannot be rendered")
	case v.Version != version:
		r.Skip(name, fmt.Sprintf("written by version %.60s", v.Version))
	case len(v.Differ) > 0:
		r.Add(name, false, "not what this version makes of the report: %s", strings.Join(v.Differ, ", "))
	default:
		r.Add(name, true, "%d files and all sentences are what this version makes of the report (not independent)", v.Same)
	}
}
