package main

import (
	"fmt"
	"io"
	"math"
	"math/big"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/ledger"
)

var ledgerFlag = text("ledger", "", "ledger `FILE`")

func ledgerCommand() *cli.Command {
	idFlag := &cli.Int64Flag{Name: "id", Usage: "`ID` of the release, as list shows it"}
	return &cli.Command{
		Name:  "ledger",
		Usage: "what was released when, at which cumulative leakage",
		Description: `Shows, checks and exports a ledger. It is append-only: a release that died before it was
published is taken out of the count by void, which says why and stays in the ledger.`,
		Flags: []cli.Flag{ledgerFlag},
		Subcommands: []*cli.Command{
			onLedger("list", "every release, one a line", false, nil, listReleases),
			onLedger("show", "all that is known of one release", false, []cli.Flag{idFlag}, showRelease),
			onLedger("verify", "check the chain, every state, the documents and the record histories", false,
				[]cli.Flag{text("head", "", "`HASH` of an event that must be in the chain, from a report or an export")}, verifyLedger),
			onLedger("export", "write every event as a line of JSON, whose chain can be checked without SQLite", false, nil,
				func(c *cli.Context, l *ledger.Ledger) error { return l.Export(c.Context, c.App.Writer) }),
			onLedger("void", "take a release out of the count, of which nothing was published", true, []cli.Flag{idFlag,
				text("reason", "", "`TEXT` that says why"),
				flag("never-published", "of a sealed release: somebody made sure that no copy of its output was published")}, voidRelease),
		},
	}
}

// onLedger is a command that works on an open ledger.
func onLedger(name, usage string, writes bool, flags []cli.Flag, do func(*cli.Context, *ledger.Ledger) error) *cli.Command {
	return &cli.Command{Name: name, Usage: usage, Flags: append([]cli.Flag{ledgerFlag}, flags...), Action: func(c *cli.Context) error {
		path := ""
		for _, above := range c.Lineage() { // before or after the name of the command
			if path == "" && above != nil {
				path = above.String("ledger")
			}
		}
		if path == "" {
			return usagef("give --ledger FILE", "no ledger is named")
		}
		l, err := ledger.Open(c.Context, path, ledger.Options{ReadOnly: !writes})
		if err != nil {
			return err
		}
		defer l.Close()
		return do(c, l)
	}}
}

func listReleases(c *cli.Context, l *ledger.Ledger) error {
	list, err := l.List(c.Context)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(c.App.Writer, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tNIGHT\tWHEN\tSTATE\tDATASET\tCOLUMN\tROWS\tEPSILON\tCUMULATIVE\tLABEL\tCHANGED\tKEY")
	for _, e := range list {
		rows, changed, claim := "-", "-", e.Claim
		if r := e.Realised; r != nil {
			rows, changed, claim = fmt.Sprint(r.Rows), fmt.Sprint(r.Changed), r.Cumulative
		}
		fmt.Fprintf(w, "%d\t%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", e.ID, e.Night, e.ReservedAt, e.State, e.Dataset, e.Column, rows,
			inNats(e.Factor), inNats(claim.Factor), claim.Label, changed, dash(e.KeyID))
	}
	return w.Flush()
}

func showRelease(c *cli.Context, l *ledger.Ledger) error {
	e, err := l.Show(c.Context, c.Int64("id"))
	if err != nil {
		return err
	}
	w := c.App.Writer
	for _, f := range [][2]string{
		{"release", fmt.Sprint(e.ID)}, {"night", fmt.Sprint(e.Night)}, {"state", e.State}, {"dataset", e.Dataset}, {"column", e.Column}, {"population", e.Population},
		{"reserved", e.ReservedAt}, {"sealed", e.SealedAt}, {"committed", e.CommittedAt}, {"voided", e.VoidedAt}, {"reason", e.Reason},
		{"plan", e.PlanSHA256}, {"design", e.DesignSHA256}, {"key", e.KeyID}, {"input", e.InputSHA256}, {"epsilon", figure(e.Factor)},
		{"budget", e.Budget}, {"on change", e.OnChange}, {"over budget", e.OverBudget}, {"worst case", claimed(e.Claim)},
	} {
		field(w, f[0], f[1])
	}
	for _, d := range e.Documents {
		field(w, d.Name, d.SHA256)
	}
	if r := e.Realised; r != nil {
		field(w, "output", r.OutputSHA256)
		field(w, "rows", fmt.Sprint(r.Rows))
		field(w, "realised", figure(r.Factor))
		field(w, "cumulative", claimed(r.Cumulative))
		field(w, "records", fmt.Sprintf("%d changed visibly (they have no cumulative figure), %d rows held, %d limited, %d records new, %d vanished",
			r.Changed, r.Held, r.Limited, r.New, r.Vanished))
		if h := r.History; h != nil {
			field(w, "history", fmt.Sprintf("%s, %d records, %d entries, sha256 %s", h.File, h.Records, h.Entries, h.SHA256))
		}
	}
	return nil
}

func verifyLedger(c *cli.Context, l *ledger.Ledger) error {
	v, err := l.Verify(c.Context, c.String("head"))
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.App.Writer, "ledger %s holds: %d events, %d releases, %d documents, %d record histories\nhead %s\n",
		v.Ledger, v.Events, v.Releases, v.Documents, v.Histories, v.Head)
	return err
}

func voidRelease(c *cli.Context, l *ledger.Ledger) error {
	if err := l.Void(c.Context, c.Int64("id"), c.String("reason"), c.Bool("never-published")); err != nil {
		return err
	}
	_, err := fmt.Fprintf(c.App.Writer, "release %d is voided\n", c.Int64("id"))
	return err
}

func field(w io.Writer, name, value string) {
	if value != "" {
		fmt.Fprintf(w, "%-12s %s\n", name+":", value)
	}
}

// claimed is a figure of a series with its label.
func claimed(c ledger.Claim) string {
	return strings.TrimSpace(strings.Join([]string{figure(c.Factor), c.Label, c.Rule}, " "))
}

// figure is a factor and its logarithm.
func figure(factor string) string {
	if factor == "" {
		return ""
	}
	return inNats(factor) + " (factor " + factor + ")"
}

// inNats is the logarithm of a factor, rounded up.
func inNats(factor string) string {
	f, ok := new(big.Rat).SetString(factor)
	if !ok || f.Sign() <= 0 {
		return "-"
	}
	return fmt.Sprintf("%.4f", math.Ceil(mechanism.Nats(f)*1e4)/1e4)
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
