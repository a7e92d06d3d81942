package main

import (
	"regexp"

	"github.com/urfave/cli/v2"
)

// What the flag parser says; the parentheses are what we say, too.
const (
	noFlag     = `^flag provided but not defined: -(.*)$`
	noValue    = `^flag needs an argument: -(.*)$`
	wrongValue = `^invalid (?:boolean )?value (".*") for (?:flag )?-([a-z-]+): `
	wrongEnv   = `^could not parse (".*") as [a-z0-9]+ value from environment variable "([A-Z_]+)" for flag ([a-z-]+): `
)

// usageError rewords what the flag parser says.
func usageError(c *cli.Context, err error) error {
	name, what := "tacet", oneLine(err.Error())
	if c.Command != nil && c.Command.Name != "" && c.Command.Name != "tacet" {
		name += " " + c.Command.Name
	}
	help := name + " --help lists the flags"
	if m := regexp.MustCompile(noFlag).FindStringSubmatch(what); m != nil {
		return usagef(help, "there is no flag --%s", m[1])
	}
	if m := regexp.MustCompile(noValue).FindStringSubmatch(what); m != nil {
		return usagef(help, "a value is missing after --%s", m[1])
	}
	if m := regexp.MustCompile(wrongValue).FindStringSubmatch(what); m != nil {
		kind, hint := kindOfFlag(c, m[2])
		return usagef(hint, "--%s %s is no %s", m[2], m[1], kind)
	}
	if m := regexp.MustCompile(wrongEnv).FindStringSubmatch(what); m != nil {
		kind, hint := kindOfFlag(c, m[3])
		return usagef(hint, "%s in the environment, for --%s: %s is no %s", m[2], m[3], m[1], kind)
	}
	return usagef(help, "%s", what)
}

// kindOfFlag is what a flag takes, and an example.
func kindOfFlag(c *cli.Context, name string) (kind, hint string) {
	if c.Command != nil {
		for _, f := range c.Command.Flags {
			if _, ok := f.(*cli.DurationFlag); ok && f.Names()[0] == name {
				return "time", "give a number with its unit, such as 90s or 5m"
			}
			if _, ok := f.(*cli.BoolFlag); ok && f.Names()[0] == name {
				return "truth value", "give true or false"
			}
		}
	}
	return "whole number", "give a whole number"
}
