package main

import (
	"embed"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"
)

// completing is the last argument with which a shell asks for what may come next, in the scripts, too.
const completing = "--complete-next"

// scripts are those with which shells ask. Where tacet proposes nothing, they propose files.
//
//go:embed completion
var scripts embed.FS

var _ = []string{does("completion bash", printScript), does("completion zsh", printScript),
	does("completion fish", printScript)}

// printScript prints that of the shell that the command names.
func printScript(c *cli.Context) error {
	script, err := scripts.ReadFile("completion/" + c.Command.Name)
	if err != nil {
		return err
	}
	_, err = c.App.Writer.Write(script)
	return err
}

// complete prints what may come after args, a line each: choices of the flag that waits
// for its value, else commands and flags that are not there yet. After a flag that takes
// anything it is nothing.
func complete(w io.Writer, app *cli.App, args []string) {
	s := &sorter{path: []string{app.Name}, commands: app.Commands, flags: app.Flags}
	var given []string
	for rest := args[1:]; len(rest) > 0; {
		if !strings.HasPrefix(rest[0], "-") {
			s.command(rest[0])
			rest = rest[1:]
			continue
		}
		name, _, inline := strings.Cut(strings.TrimLeft(rest[0], "-"), "=")
		given, rest = append(given, name), rest[1:]
		p, ok := s.find(name).(*parsedFlag)
		switch {
		case inline || !ok || !p.TakesValue():
		case len(rest) == 0:
			for _, choice := range p.Choices {
				fmt.Fprintln(w, choice)
			}
			return
		default:
			rest = rest[1:]
		}
	}
	for _, c := range s.commands {
		fmt.Fprintln(w, c.Name)
	}
	for _, f := range s.flags {
		if name := f.Names()[0]; !strings.Contains(" "+strings.Join(given, " ")+" ", " "+name+" ") {
			fmt.Fprintln(w, "--"+name)
		}
	}
}
