package main

import (
	"errors"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/job"
	"github.com/tacet-privacy/tacet/pipeline/options"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// configFlag is a flag of every command that takes a job file.
var configFlag = text("config", "", "job `FILE` (YAML) with a line for each flag; flags and environment go before it")

// together are flags of which one may be given. One on the command line or in
// the environment puts away the others of a job file.
var together = [][]string{{"epsilon", "max-factor"}, {"floor-rank", "floor-value"}, {"keep", "drop"}, {"input", "counts"}}

// notInJobs are flags that a job file may not set.
var notInJobs = []string{"config", "help", "test-seed", "redesign"}

// A config is the job file of this call.
type config struct {
	about *report.About
	set   map[string]bool // flags that have their value from it

	lists   map[string][]string // values of flags, one for each private column
	columns []map[string]string // what it says of each private column; nil where it does not list them
}

// readConfig gives the flags that stand neither on the command line nor in
// the environment the values of the job file. Keys that are flags of other
// commands only are left alone: one file serves every step of a job.
func readConfig(c *cli.Context) error {
	cfg := &config{set: map[string]bool{}, lists: map[string][]string{}}
	c.App.Metadata["config"] = cfg
	if lookup(c, "config") == nil || c.String("config") == "" {
		return nil
	}
	f, err := job.Read(c.String("config"), jobKeys(c.App.Commands))
	var wrong *job.Error
	if errors.As(err, &wrong) {
		class := fault.Usage
		if wrong.Unreadable {
			class = fault.Input
		}
		return &fault.Fault{Class: class, What: wrong.What, Hint: wrong.Hint, Err: err}
	}
	cfg.about = f.About
	cfg.columns = f.Columns
	for _, v := range f.Values {
		group := []string{v.Key}
		for _, g := range together {
			// estimate reads an input and writes counts.
			if slices.Contains(g, v.Key) && (c.Command.Name != "estimate" || g[0] != "input") {
				group = g
			}
		}
		if lookup(c, v.Key) == nil || slices.ContainsFunc(group, func(name string) bool { return stated(c, name) }) {
			continue
		}
		if err := c.Set(v.Key, v.Text); err != nil {
			// The parser has looked at the type; what is left is a number
			// that is too large.
			return usagef("write a smaller number", "%s: %s is out of range", c.String("config"), v.Key)
		}
		cfg.set[v.Key], cfg.lists[v.Key] = true, v.Each
	}
	return nil
}

// jobKeys are the flags of all commands that take a job file, in the order of
// the commands.
func jobKeys(commands []*cli.Command) []job.Key {
	var keys []job.Key
	at := map[string]int{}
	for _, c := range commands {
		if !slices.ContainsFunc(c.Flags, func(f cli.Flag) bool { return f.Names()[0] == "config" }) {
			continue
		}
		for _, f := range c.Flags {
			k := jobKey(f)
			i, known := at[k.Name]
			switch {
			case slices.Contains(notInJobs, k.Name):
			case !known:
				at[k.Name] = len(keys)
				keys = append(keys, k)
			case keys[i].Usage != k.Usage:
				keys[i].Usage += "; for " + c.Name + ": " + k.Usage
			}
		}
	}
	return keys
}

// jobKey is a flag as a job file has it.
func jobKey(f cli.Flag) job.Key {
	k := job.Key{Name: f.Names()[0], Choices: options.Choices(f.Names()[0])}
	k.Many = k.Name == "column" || slices.Contains(perColumn, k.Name)
	if d, ok := f.(cli.DocGenerationFlag); ok {
		k.Usage = strings.ReplaceAll(d.GetUsage(), "`", "")
	}
	switch f.(type) {
	case *cli.BoolFlag:
		k.Kind = job.Boolean
	case *cli.IntFlag:
		k.Kind = job.Whole
	case *cli.DurationFlag:
		k.Kind = job.Duration
	default:
		k.Kind = jobKinds[k.Name]
	}
	return k
}

// jobKinds are the flags that are text on the command line and more in a job
// file.
var jobKinds = map[string]job.Kind{
	"epsilon": job.Bound, "max-factor": job.Bound, "total-epsilon": job.Bound, "joint-epsilon": job.Bound, "floor-rank": job.Whole, "floor-value": job.Number,
	"keep": job.List, "drop": job.List, "keep-metadata": job.List, "allow-linked": job.List, "record-id": job.List,
	"sign": job.Secret, "key-file": job.Secret,
}

func configOf(c *cli.Context) *config { return c.App.Metadata["config"].(*config) }
