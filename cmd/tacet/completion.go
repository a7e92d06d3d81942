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

func completionCommand() *cli.Command {
	c := &cli.Command{
		Name:  "completion",
		Usage: "print a script that completes commands, flags and choices in a shell",
		Description: `bash: tacet completion bash > ~/.local/share/bash-completion/completions/tacet
zsh:  tacet completion zsh > "${fpath[1]}/_tacet"
fish: tacet completion fish > ~/.config/fish/completions/tacet.fish`,
	}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		c.Subcommands = append(c.Subcommands, printed(shell, "print the script for "+shell,
			func(*cli.App) (string, error) {
				script, err := scripts.ReadFile("completion/" + shell)
				return string(script), err
			}))
	}
	return c
}

func manCommand() *cli.Command {
	return printed("man", "print the manual page, for man -l or a folder man1", manual)
}

// printed is a command that prints a text about the program.
func printed(name, usage string, text func(*cli.App) (string, error)) *cli.Command {
	return &cli.Command{Name: name, Usage: usage, Action: func(c *cli.Context) error {
		s, err := text(uiOf(c).app)
		if err != nil {
			return err
		}
		_, err = io.WriteString(c.App.Writer, s)
		return err
	}}
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
