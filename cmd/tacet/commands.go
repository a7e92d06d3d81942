package main

import (
	_ "embed"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// actions are what commands do, by name; a name with a blank is of one below another, which may do nothing itself.
var actions = map[string]cli.ActionFunc{}

// does says in the file of a command what it does. commands.txt, the registry, has its words.
func does(command string, action cli.ActionFunc) string {
	actions[command] = action
	return command
}

//go:embed commands.txt
var commandWords string

// paragraphs are those words; the last are of all commands.
var (
	paragraphs = strings.Split(strings.TrimSpace(commandWords), "\n\n")
	exitCodes  = paragraphs[len(paragraphs)-1]
)

// commands are all of them, in the order of their words.
func commands() (all []*cli.Command) {
	for _, words := range paragraphs[1 : len(paragraphs)-1] {
		lines := strings.Split(words, "\n")
		path, usage, _ := strings.Cut(lines[0], ": ")
		var about, called []string
		for _, line := range lines[1:] {
			if example, ok := strings.CutPrefix(line, "    "); ok {
				called = append(called, example)
			} else {
				about = append(about, line)
			}
		}
		above, name, below := strings.Cut(path, " ")
		if !below {
			name = above
		}
		c := &cli.Command{Name: name, Usage: usage, HideHelpCommand: true, OnUsageError: usageError, Flags: flagsFor(path),
			Description: strings.TrimSpace(strings.Join(append(about, "", exitCodes), "\n")), Action: checked(actions[path])}
		if called != nil {
			c.UsageText = callsOf(name, called)
		}
		if below {
			of := all[len(all)-1]
			of.Subcommands = append(of.Subcommands, c)
		} else {
			all = append(all, c)
		}
	}
	return all
}

// callsOf is how a command is called, and lines that call it.
func callsOf(command string, lines []string) string {
	if usage, ok := strings.CutPrefix(lines[0], "usage: "); ok {
		return usage
	}
	return "tacet " + command + " [command options]\n\nfor example:\n  " + strings.Join(lines, "\n  ")
}

// run executes one command line and returns its exit code.
func run(args []string, stdout, stderr io.Writer) (code int) {
	ctx, signalled, rest := untilSignal()
	defer rest()
	u := &ui{out: stdout, err: stderr, log: newLog(stderr, earlyFormat(args))}
	defer func() {
		if r := recover(); r != nil {
			// The panic value may quote data and is not printed.
			code = u.fail(u.internalError())
		}
	}()
	out := &output{to: stdout}
	app := &cli.App{
		Name:                      "tacet",
		Usage:                     "publish a categorical column, prove what it leaks",
		HideHelpCommand:           true,
		Version:                   version,
		DisableSliceFlagSeparator: true,
		Writer:                    out,
		ErrWriter:                 stderr,
		Metadata:                  map[string]any{"ui": u},
		OnUsageError:              usageError,
		ExitErrHandler:            func(*cli.Context, error) {},
		Action: func(c *cli.Context) error {
			if len(u.unsorted) > 0 {
				return fault.Together(u.unsorted)
			}
			return cli.ShowAppHelp(c)
		},
		Description: exitCodes,
		Commands:    commands(),
	}
	app.Setup()
	u.app = app
	if args[len(args)-1] == completing {
		complete(stdout, app, args[:len(args)-1])
		return 0
	}
	args, u.unsorted = sorted(app, args)
	if args == nil {
		return u.fail(fault.Together(u.unsorted))
	}
	err := app.RunContext(ctx, args)
	u.finish()
	if err == nil && out.failed != nil {
		if err = out.failed; u.published {
			err = afterRelease(err)
		}
	}
	if s := signalled(); s != 0 && err != nil && fault.As(err).Class != fault.Published &&
		fault.As(err).Code() != fault.IncompleteCode {
		return u.interrupted(s)
	}
	switch {
	case out.closed(err) && fault.As(err).Class != fault.Published:
		return 128 + int(syscall.SIGPIPE) // without a word, as other programs
	case err != nil:
		return u.fail(err)
	}
	return 0
}

// checked is the action of a command once its command line, the environment and its job file were looked at.
func checked(action cli.ActionFunc) cli.ActionFunc {
	return func(ctx *cli.Context) error {
		u := uiOf(ctx)
		switch {
		case action == nil && len(u.unsorted) > 0:
			return fault.Together(u.unsorted)
		case action == nil:
			return cli.ShowSubcommandHelp(ctx)
		}
		a, err := ask(ctx)
		if err != nil {
			return fault.Together(fault.And(u.unsorted, err))
		}
		ctx.App.Metadata["asked"] = a
		u.logAs(a)
		u.quiet = a.text("log-format") == request.OnlyErrors
		if err := a.check(ctx.Context, u.unsorted); err != nil {
			return err
		}
		return action(ctx)
	}
}

// onData is what a command does that reads or releases data, whose options are in the table of options.
func onData(do func(*cli.Context, pipeline.Options) error) cli.ActionFunc {
	return func(c *cli.Context) error { return do(c, optionsOf(c)) }
}

// version is what the module system or the linker says, "devel" where neither does.
var version = func() string {
	if b, ok := debug.ReadBuildInfo(); ok && b.Main.Version != "" && b.Main.Version != "(devel)" {
		return b.Main.Version
	}
	return "devel"
}()

// built says of what the program was made: the commit, where it was built in a checkout,
// and the Go release.
func built() string {
	b, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	setting := map[string]string{}
	for _, s := range b.Settings {
		setting[s.Key] = s.Value
	}
	var of []string
	if commit := setting["vcs.revision"]; commit != "" {
		state := ""
		if setting["vcs.modified"] == "true" {
			state = ", changed"
		}
		of = append(of, "commit "+commit+state)
	}
	return " (" + strings.Join(append(of, b.GoVersion, runtime.GOOS+"/"+runtime.GOARCH), "; ") + ")"
}

func printVersion(c *cli.Context) { fmt.Fprintln(c.App.Writer, "tacet "+version+built()) }

var _ = does("version", func(c *cli.Context) error { printVersion(c); return nil })

func init() {
	cli.HelpPrinter = printHelp
	cli.VersionPrinter = printVersion
	cli.VersionFlag = &cli.BoolFlag{Name: "version", Usage: "print version, commit and Go release"}
}
