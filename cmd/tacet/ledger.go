package main

import (
	"fmt"
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
	facts := func(group string, of any) {
		words().Each(group, of, func(key, text string) { fmt.Fprintf(w, "%-12s %s\n", key+":", text) })
	}
	facts("release", e)
	for _, d := range e.Documents {
		fmt.Fprintf(w, "%-12s %s\n", d.Name+":", d.SHA256)
	}
	if e.Realised != nil {
		facts("realised", e.Realised)
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
