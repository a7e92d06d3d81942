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

var _ = []string{
	does("ledger list", onLedger(listReleases)),
	does("ledger show", onLedger(showRelease)),
	does("ledger verify", onLedger(verifyLedger)),
	does("ledger export", onLedger(exportLedger)),
	does("ledger void", onLedger(voidRelease)),
}

// onLedger is what a command does with an open ledger, to which void alone writes.
func onLedger(do func(*cli.Context, *ledger.Ledger) error) cli.ActionFunc {
	return func(c *cli.Context) error {
		l, err := ledger.Open(c.Context, askedOf(c).text("ledger"), ledger.Options{ReadOnly: c.Command.Name != "void"})
		if err != nil {
			return err
		}
		defer l.Close()
		return do(c, l)
	}
}

func exportLedger(c *cli.Context, l *ledger.Ledger) error { return l.Export(c.Context, c.App.Writer) }

func listReleases(c *cli.Context, l *ledger.Ledger) error {
	r, err := l.Look(c.Context)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(people(c), 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tNIGHT\tWHEN\tSTATE\tDATASET\tCOLUMN\tROWS\tEPSILON\tCUMULATIVE\tLABEL\tCHANGED\tKEY")
	for _, e := range r.Entries {
		rows, changed, claim := "-", "-", e.Claim
		if r := e.Realised; r != nil {
			rows, changed, claim = fmt.Sprint(r.Rows), fmt.Sprint(r.Changed), r.Cumulative
		}
		fmt.Fprintf(w, "%d\t%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", e.ID, e.Night, e.ReservedAt, e.State, e.Dataset,
			e.Column, rows, inNats(e.Factor), inNats(claim.Factor), claim.Label, changed, dash(e.KeyID))
	}
	return w.Flush()
}

func showRelease(c *cli.Context, l *ledger.Ledger) error {
	r, err := l.Look(c.Context)
	if err != nil {
		return err
	}
	e, err := r.Entry(releaseID(c))
	if err != nil {
		return err
	}
	w := people(c)
	for _, f := range [][2]string{
		{"release", fmt.Sprint(e.ID)}, {"night", fmt.Sprint(e.Night)}, {"state", e.State}, {"dataset", e.Dataset},
		{"column", e.Column}, {"population", e.Population},
		{"reserved", e.ReservedAt}, {"sealed", e.SealedAt}, {"committed", e.CommittedAt}, {"voided", e.VoidedAt},
		{"reason", e.Reason},
		{"plan", e.PlanSHA256}, {"design", e.DesignSHA256}, {"key", e.KeyID}, {"input", e.InputSHA256},
		{"epsilon", figure(e.Factor)},
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
		field(w, "records", fmt.Sprintf("%d changed visibly (no cumulative figure covers them), %d rows held, "+
			"%d records new, %d vanished", r.Changed, r.Held, r.New, r.Vanished))
		if h := r.History; h != nil {
			field(w, "history", fmt.Sprintf("%s, %d records, %d entries, sha256 %s", h.File, h.Records, h.Entries, h.SHA256))
		}
	}
	return nil
}

func verifyLedger(c *cli.Context, l *ledger.Ledger) error {
	v, err := l.Verify(c.Context, askedOf(c).text("head"))
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(people(c),
		"ledger %s holds: %d events, %d releases, %d documents, %d record histories\nhead %s\n",
		v.Ledger, v.Events, v.Releases, v.Documents, v.Histories, v.Head)
	return err
}

func voidRelease(c *cli.Context, l *ledger.Ledger) error {
	if err := l.Void(c.Context, releaseID(c), askedOf(c).text("reason"),
		value[bool](askedOf(c), "never-published")); err != nil {
		return err
	}
	_, err := fmt.Fprintf(people(c), "release %d is voided and no longer counts\n", releaseID(c))
	return err
}

func releaseID(c *cli.Context) int64 { return int64(value[int](askedOf(c), "id")) }

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
