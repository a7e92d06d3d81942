package main

import (
	"fmt"
	"io"
	"runtime/debug"

	"github.com/urfave/cli/v2"
)

// commands is the only registry of commands.
var commands = []func() *cli.Command{
	runCommand, estimateCommand, designCommand, applyCommand, frontierCommand, orderCommand, verifyCommand, versionCommand,
}

// run executes one command line and returns its exit code.
func run(args []string, stdout, stderr io.Writer) (code int) {
	u := &ui{out: stdout, err: stderr}
	defer func() {
		if r := recover(); r != nil {
			// The panic value may quote data and is not printed.
			code = u.fail(internalError())
		}
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
		Metadata:                  map[string]any{"ui": u, "args": args},
		OnUsageError:              func(c *cli.Context, err error, _ bool) error { return usageError(c, err) },
		ExitErrHandler:            func(*cli.Context, error) {},
		Action:                    noCommand,
		Description:               exitCodes,
	}
	for _, make := range commands {
		c := make()
		action := c.Action
		c.OnUsageError = app.OnUsageError
		c.HideHelpCommand = true
		c.Description = c.Description + "\n\n" + exitCodes
		c.Action = func(ctx *cli.Context) error {
			if err := checkArguments(ctx); err != nil {
				return err
			}
			return action(ctx)
		}
		app.Commands = append(app.Commands, c)
	}
	err := app.RunContext(ctx, args)
	u.finish()
	if s := signalled(); s != 0 {
		u.say("interrupted; nothing was published")
		return 128 + s
	}
	if err != nil {
		return u.fail(err)
	}
	return 0
}

// noCommand runs when no command is named, or none by that name exists.
func noCommand(c *cli.Context) error {
	if c.NArg() == 0 {
		return cli.ShowAppHelp(c)
	}
	names := ""
	for _, k := range c.App.VisibleCommands() {
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
