package main

import (
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

// commands is the only registry of commands.
var commands = []func() *cli.Command{
	inspectCommand,
	studioCommand,
	runCommand,
	estimateCommand,
	designCommand,
	applyCommand,
	finishCommand,
	frontierCommand,
	simulateCommand,
	orderCommand,
	verifyCommand,
	signOffCommand,
	recoverCommand,
	keyCommand,
	ledgerCommand,
	completionCommand,
	manCommand,
	versionCommand,
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
		OnUsageError:              func(c *cli.Context, err error, _ bool) error { return usageError(c, err) },
		ExitErrHandler:            func(*cli.Context, error) {},
		Action: func(c *cli.Context) error {
			if len(u.unsorted) > 0 {
				return fault.Together(u.unsorted)
			}
			return cli.ShowAppHelp(c)
		},
		Description: exitCodes,
	}
	for _, make := range commands {
		app.Commands = append(app.Commands, ready(make(), app.OnUsageError))
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

// ready gives a command and those below it what all have in common.
func ready(c *cli.Command, onUsageError cli.OnUsageErrorFunc) *cli.Command {
	c.OnUsageError = onUsageError
	c.HideHelpCommand = true
	c.Description = strings.TrimSpace(c.Description + "\n\n" + exitCodes)
	for _, sub := range c.Subcommands {
		ready(sub, onUsageError)
	}
	action := c.Action
	c.Action = func(ctx *cli.Context) error {
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
	return c
}

// onData is a command that reads or releases data: its flags are those of the table of options.
func onData(name, usage, about string, do func(*cli.Context, pipeline.Options) error, example ...string) *cli.Command {
	c := &cli.Command{Name: name, Usage: usage, Description: about, Flags: flagsFor(name),
		Action: func(c *cli.Context) error { return do(c, optionsOf(c)) }}
	if example != nil {
		c.UsageText = examples(name, example...)
	}
	return c
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

func init() {
	cli.HelpPrinter = printHelp
	cli.VersionPrinter = printVersion
	cli.VersionFlag = &cli.BoolFlag{Name: "version", Usage: "print version, commit and Go release"}
}

func versionCommand() *cli.Command {
	return &cli.Command{
		Name:  "version",
		Usage: "print version, commit and Go release",
		Action: func(c *cli.Context) error {
			printVersion(c)
			return nil
		},
	}
}
