package main

import (
	"fmt"
	"io"
	"runtime/debug"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/tacet-privacy/tacet/pipeline/fault"
)

// commands is the only registry of commands.
var commands = []func() *cli.Command{
	inspectCommand,
	runCommand,
	estimateCommand,
	designCommand,
	applyCommand,
	frontierCommand,
	simulateCommand,
	orderCommand,
	verifyCommand,
	signOffCommand,
	recoverCommand,
	reportCommand,
	keyCommand,
	ledgerCommand,
	versionCommand,
}

// run executes one command line and returns its exit code.
func run(args []string, stdout, stderr io.Writer) (code int) {
	u := &ui{out: stdout, err: stderr, log: newLog(stderr, earlyFormat(args))}
	defer func() {
		if r := recover(); r != nil {
			// The panic value may quote data and is not printed.
			code = u.fail(u.internalError())
		}
		u.end(code)
	}()
	ctx, signalled := untilSignal()
	app := &cli.App{
		Name:                      "tacet",
		Usage:                     "publish a categorical column, prove what it leaks",
		HideHelpCommand:           true,
		HideVersion:               true,
		DisableSliceFlagSeparator: true,
		Writer:                    stdout,
		ErrWriter:                 stderr,
		Metadata:                  map[string]any{"ui": u},
		OnUsageError:              func(c *cli.Context, err error, _ bool) error { return usageError(c, err) },
		ExitErrHandler:            func(*cli.Context, error) {},
		Action:                    noCommand,
		Description:               exitCodes,
	}
	for _, make := range commands {
		app.Commands = append(app.Commands, ready(make(), app.OnUsageError))
	}
	err := app.RunContext(ctx, args)
	u.finish()
	if s := signalled(); s != 0 && err != nil && fault.As(err).Class != fault.Published {
		return u.interrupted(s)
	}
	if err != nil {
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
		switch {
		case action == nil && ctx.NArg() == 0:
			return cli.ShowSubcommandHelp(ctx)
		case action == nil:
			return unknownCommand(ctx, c.Subcommands)
		}
		u := uiOf(ctx)
		if ctx.NArg() > 0 {
			return usagef("every argument belongs to a flag; tacet "+ctx.Command.Name+" --help lists them",
				"unexpected argument %q", ctx.Args().First())
		}
		a, err := ask(ctx)
		u.watch = watch{metrics: a.text("metrics"), began: time.Now()}
		if err != nil {
			return err
		}
		ctx.App.Metadata["asked"] = a
		u.logAs(a)
		if err := a.check(); err != nil {
			return err
		}
		return action(ctx)
	}
	return c
}

// noCommand runs when no command is named, or none by that name exists.
func noCommand(c *cli.Context) error {
	if c.NArg() == 0 {
		return cli.ShowAppHelp(c)
	}
	return unknownCommand(c, c.App.VisibleCommands())
}

func unknownCommand(c *cli.Context, known []*cli.Command) error {
	names := ""
	for _, k := range known {
		names += " " + k.Name
	}
	return usagef("the commands are"+names, "there is no command %q", c.Args().First())
}

// version is what the module system or the linker says.
var version = func() string {
	if b, ok := debug.ReadBuildInfo(); ok && b.Main.Version != "" && b.Main.Version != "(devel)" {
		return b.Main.Version
	}
	return "devel"
}()

func versionCommand() *cli.Command {
	return &cli.Command{
		Name:  "version",
		Usage: "print the version",
		Action: func(c *cli.Context) error {
			_, err := fmt.Fprintln(c.App.Writer, "tacet", version)
			return err
		},
	}
}
