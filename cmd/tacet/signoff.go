package main

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/verify"
)

var _ = does("sign-off", signOff)

func signOff(c *cli.Context) error {
	a := askedOf(c)
	folder := a.text("report")
	if filepath.Ext(folder) == ".json" { // the report itself, as verify takes it
		folder = filepath.Dir(folder)
	}
	s := pipeline.SignOff{Report: folder, Decision: a.text("decision"), By: a.text("by"), Note: a.text("note"),
		Date: now(), Key: a.text("key"), Public: value[bool](a, "public")}
	if s.Decision == "" {
		return leftOpen(people(c), s, "whoever")
	}
	if err := lacking(a); err != nil {
		return err
	}
	s.Verify = func() error { return passes(c, folder, a.text("output")) }
	d, path, err := s.Write()
	if err != nil {
		return err
	}
	if err := leftOpen(people(c), s, d.By); err != nil {
		return err
	}
	_, err = fmt.Fprintf(people(c), "decision: %s, by %s\nrelease:  %s\nwritten:  %s\n", d.Decision, d.By, d.Release,
		path)
	return err
}

// lacking wants all that a decision needs.
func lacking(a *asked) error {
	for _, needed := range []struct{ name, hint string }{{"by", `"A. Approver"`}, {"key", "approver.key"}} {
		if a.text(needed.name) == "" {
			return usagef("give --"+needed.name+" "+needed.hint, "--%s is missing", needed.name)
		}
	}
	if a.text("decision") == "approve" && a.text("output") == "" {
		return usagef("give --output published.parquet", "--output is missing: who approves has the published file at hand")
	}
	return nil
}

// leftOpen prints what whoever signs accepts, and what nobody declared.
func leftOpen(w io.Writer, s pipeline.SignOff, who string) error {
	open, err := s.Open()
	if err != nil {
		return err
	}
	if len(open.Warnings) > 0 && s.Decision != "reject" {
		fmt.Fprintf(w, "by signing, %s accepts:\n", cmp.Or(s.By, who))
		for i, warning := range open.Warnings {
			fmt.Fprintf(w, "%3d. %s\n", i+1, report.Clean(warning))
		}
	}
	if len(open.Missing) > 0 {
		fmt.Fprintf(w, "not declared: %s\n", strings.Join(open.Missing, ", "))
	}
	return nil
}

// passes runs the checks of verify, all of which an approval needs; decisions are looked at
// elsewhere.
func passes(c *cli.Context, folder, output string) error {
	r, err := verify.Run(c.Context, verify.Request{Report: reportIn(folder), Output: output, Version: version})
	if err != nil {
		return unreadable(err)
	}
	if failed := undecided(r); len(failed) > 0 {
		return fault.New(fault.Privacy, "do not approve it; tacet verify says what is wrong", "the release is not what its "+
			"report claims: %s", strings.Join(failed, ", "))
	}
	return nil
}

// undecided are the checks that failed, but for what others decided.
func undecided(r *verify.Result) []string {
	return slices.DeleteFunc(r.Failed(), func(name string) bool {
		return strings.HasPrefix(name, "decision") || name == "approval"
	})
}
