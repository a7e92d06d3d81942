package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"
)

// completing is the last argument with which a shell asks for what may come next.
const completing = "--complete-next"

// The scripts with which shells ask. Where tacet proposes nothing, they propose files.
const (
	bashScript = `_tacet() {
  local IFS=$'\n'
  COMPREPLY=($(compgen -W "$("${COMP_WORDS[@]:0:COMP_CWORD}" ` + completing + ` 2>/dev/null)" -- "${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _tacet tacet
`
	zshScript = `#compdef tacet
_tacet() {
  local -a next
  next=("${(@f)$("${(@)words[1,CURRENT-1]}" ` + completing + ` 2>/dev/null)}")
  if [[ -n "${next[1]}" ]]; then compadd -a next; else _files; fi
}
compdef _tacet tacet
`
	fishScript = `function __tacet_next
  set -l words (commandline -opc)
  set -l next ($words ` + completing + ` 2>/dev/null)
  if set -q next[1]
    printf '%s\n' $next
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c tacet -f -a '(__tacet_next)'
`
)

func completionCommand() *cli.Command {
	c := &cli.Command{
		Name:  "completion",
		Usage: "print a script that completes commands, flags and choices in a shell",
		Description: `bash: tacet completion bash > ~/.local/share/bash-completion/completions/tacet
zsh:  tacet completion zsh > "${fpath[1]}/_tacet"
fish: tacet completion fish > ~/.config/fish/completions/tacet.fish`,
	}
	for _, shell := range []struct{ name, script string }{{"bash", bashScript}, {"zsh", zshScript}, {"fish", fishScript}} {
		c.Subcommands = append(c.Subcommands, printed(shell.name, "print the script for "+shell.name,
			func(*cli.App) (string, error) { return shell.script, nil }))
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
