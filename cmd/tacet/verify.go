package main

import (
	"errors"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/verify"
)

func verifyCommand() *cli.Command {
	return &cli.Command{
		Name:  "verify",
		Usage: "recompute a release's claims from its files",
		Description: `Recomputes what a report claims from report, plan, order, output and input, with code that shares
nothing with the rest of tacet. Without --input it checks what can be checked, and says what could not.
With --trust the signatures come first.
With --ledger it holds a release of a series to the ledger and to its record history: what every record
tells, what the total let be published, what was reserved. With --key-file and --input it makes every draw again.
With --plan and --counts it tells instead how far these counts are from making the plan fail.
Ends with code 4 when a check fails, and with code 3 when a file cannot be read or belongs to another release.`,
		Flags: []cli.Flag{
			text("report", "", "report.json `FILE` of the release"),
			text("plan", "", "plan `FILE`; plan.json beside the report unless given"),
			text("order", "", "order `FILE`; order.csv beside the report unless given"),
			text("counts", "", "counts `FILE` that tacet estimate wrote, to hold a plan to"),
			text("input", "", "`FILE` that was privatized"),
			text("output", "", "`FILE` that was published"),
			text("ledger", "", "ledger `FILE`, or what tacet ledger export printed"),
			text("history", "", "record history `FILE` or folder; beside the ledger unless given"),
			text("key-file", "", "draw key `FILE`, to make the draws of the input's records again"),
			text("trust", "", "public `KEY` in whose name the release must be signed: a file, or its line that begins with RW"),
		},
		Action: func(c *cli.Context) error {
			if c.String("counts") != "" {
				return verifyEdge(c)
			}
			q := verify.Request{Report: c.String("report"), Plan: c.String("plan"), Order: c.String("order"), Input: c.String("input"), Output: c.String("output"), Trust: c.String("trust"),
				Ledger: c.String("ledger"), History: c.String("history"), Key: c.String("key-file")}
			switch {
			case q.Report == "":
				return usagef("name report.json with --report", "no report is given")
			case q.Output == "":
				return usagef("name the published file with --output", "no output is given")
			}
			r, err := verify.Run(c.Context, q)
			var unreadable *verify.Error
			if errors.As(err, &unreadable) {
				return &fault.Fault{Class: fault.Input, What: unreadable.What, Hint: unreadable.Hint, Err: err}
			}
			if err != nil {
				return err
			}
			if err := r.WriteText(c.App.Writer); err != nil {
				return err
			}
			if failed := r.Failed(); len(failed) > 0 {
				return &fault.Fault{Class: fault.Privacy, What: "the release is not what its report says: " + strings.Join(failed, ", "),
					Hint: "do not rely on it; ask whoever made it"}
			}
			return nil
		},
	}
}
