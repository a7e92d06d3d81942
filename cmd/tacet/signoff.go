package main

import (
	"fmt"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

func signOffCommand() *cli.Command {
	return &cli.Command{
		Name:  "sign-off",
		Usage: "approve or reject a release, and sign that",
		Description: `Writes what a person decided of a release, with a signature, beside its internal report: decision.json, and
decision-2.json and so on for later ones. The release changes no byte, and no decision is ever replaced.
A release whose files are not those that its statement names is refused. tacet verify lists the decisions.`,
		Flags: flagsOf(
			&request.Option{Name: "report", Usage: "`FOLDER` of the internal report", Example: "report", Need: "sign-off"},
			&request.Option{Name: "decision", Choices: []string{"approve", "reject"}, Once: true,
				Usage: "what was decided: approve or reject", Example: "approve", Need: "sign-off"},
			&request.Option{Name: "by", Usage: "`NAME` of who decides", Example: `"A. Approver"`, Need: "sign-off"},
			&request.Option{Name: "key", Kind: request.Secret, Usage: "signing key `FILE` that tacet key new made, or an open descriptor fd:3",
				Example: "approver.key", Need: "sign-off"},
			&request.Option{Name: "note", Usage: "`TEXT` to keep with the decision", Once: true},
		),
		Action: func(c *cli.Context) error {
			a := askedOf(c)
			folder := a.text("report")
			if filepath.Ext(folder) == ".json" { // the report itself, as verify takes it
				folder = filepath.Dir(folder)
			}
			d, path, err := pipeline.SignOff{Report: folder, Decision: a.text("decision"), By: a.text("by"),
				Note: a.text("note"), Date: now(), Key: a.text("key")}.Write()
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(people(c), "decision: %s, by %s\nrelease:  %s\nwritten:  %s\n", d.Decision, d.By, d.Release,
				path)
			return err
		},
	}
}
