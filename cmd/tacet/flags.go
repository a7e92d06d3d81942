package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/tacet-privacy/tacet/mechanism/design"
	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/urfave/cli/v2"
)

// Groups of flags; a command takes those it needs.
var (
	inputFlags = []cli.Flag{
		configFlag,
		text("input", "", "Parquet or Arrow IPC `FILE`"),
		text("column", "", "private column `NAME`"),
		text("null", "refuse", "what nulls are: refuse, letter (a value like others) or public (stay, and reveal themselves)"),
		text("domain", "", "`FILE` of letters that may occur, one a line"),
		flag("allow-identifier", "privatize a column that looks like an identifier"),
		flag("list-unknown", "name letters known from the data alone in the report folder's unknown-letters.txt"),
		number("threads", "row groups worked on at once; 0 means one per processor"),
		logFlag,
	}
	countsFlag = text("counts", "", "counts `FILE` that tacet estimate wrote, instead of --input")
	orderFlags = []cli.Flag{
		text("utility", "", "what may stand for what: a utility `SPEC`"),
		text("labels", "", "`FILE` of output labels, one a line, where the spec has none of its own"),
		text("ties", "column", "how ties in the order break: column (the lower letter ranks lower) or error"),
	}
	goalFlags = []cli.Flag{
		text("epsilon", "", "largest leakage in nats: a decimal such as 0.85, or log(7/3)"),
		text("max-factor", "", "largest factor e^epsilon instead, `P/Q`"),
		text("floor-rank", "", "fix the floor at rank `H` of M"),
		text("floor-value", "", "fix the floor at utility `V`"),
		text("floor-by", "rank", "look for the best floor by rank or value"),
		&cli.DurationFlag{Name: "solve-time", Value: time.Minute, Usage: "longest time to look for the design; what was proven by then is used", EnvVars: env("solve-time")},
		preferFlag,
		text("design", "auto", "mechanism: auto (the best of all), "+strings.Join(design.Kinds(), ", ")),
		text("headroom", "", "design for e^epsilon / (1+`SHARE`), such as 10%, so that a plan outlasts ordinary drift of the counts"),
	}
	// Given which column the promise holds.
	strataFlags = []cli.Flag{
		text("strata", "", "keep epsilon given column `COL` too, or given weekday(COL), month(COL) or hour(COL)"),
		number("strata-min", "merge strata of fewer than `K` records; 0 means 100"),
	}
	// What is said of the population, and relative to which prior.
	claimFlag  = text("confidence", "", "bound epsilon for the population too, save with probability `D` over the sample, such as 1e-6")
	priorFlags = []cli.Flag{
		claimFlag,
		text("prior", "", "design for the prior declared in `FILE` (label,probability) instead of the frequencies of the file"),
		text("smooth", "", "add `A` records, such as 0.5 or 1/2, to every letter of the prior"),
		number("min-count", "treat letters of fewer than `K` records, and those that apply meets first, as one (needs --other)"),
		text("other", "", "`LABEL` of that letter; the order must have a row for it"),
		flag("robust", "design so that the population, too, keeps epsilon (needs --confidence)"),
	}
	preferFlag  = text("prefer", "utility", "what the optimum makes large within epsilon: utility, or unchanged records")
	outputFlags = []cli.Flag{
		text("output", "", "`FILE` to write"),
		text("report", "", "`FOLDER` for report and plan"),
		text("previous", "", "report.json `FILE` of the release before, to report what differs"),
		list("keep", "comma-separated columns to publish beside the private one; all others are dropped"),
		list("drop", "comma-separated columns to leave out"),
		list("keep-metadata", "comma-separated keys of file metadata to keep; all others are left out"),
		text("audit", "sample", "judge what stays beside the column: sample (up to 2 M rows), full, or off"),
		list("allow-linked", "comma-separated columns that stay although they give the private one away"),
		flag("allow-sorted", "keep rows in an order that gives the private column away"),
		flag("as-string", "write the column as strings, whatever its type"),
		text("hash", "sha256", "hash input and output for the report: sha256 or none"),
		overwriteFlag,
		text("sign", "", "sign output and report with the key in `FILE`, or in an open descriptor fd:3"),
		metricsFlag,
		&cli.StringFlag{Name: "test-seed", Usage: "draw from seed `N`, for tests: stamps the report NOT A PRIVATE RELEASE"},
	}
	overwriteFlag = flag("overwrite", "replace existing files; two fresh draws of the same data together leak more than epsilon")
)

func text(name, value, usage string) cli.Flag {
	return &cli.StringFlag{Name: name, Value: value, Usage: usage, EnvVars: env(name)}
}

func list(name, usage string) cli.Flag { return text(name, "", usage) }

func flag(name, usage string) cli.Flag {
	return &cli.BoolFlag{Name: name, Usage: usage, EnvVars: env(name), DisableDefaultText: true}
}

func number(name, usage string) cli.Flag {
	return &cli.IntFlag{Name: name, Usage: usage, EnvVars: env(name)}
}

// env is the environment variable of a flag.
func env(name string) []string {
	return []string{"TACET_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))}
}

// optionsOf reads every flag that the command has.
func optionsOf(c *cli.Context) (pipeline.Options, error) {
	o := pipeline.Options{
		Input: c.String("input"), Column: c.String("column"), Counts: c.String("counts"),
		Utility: c.String("utility"), Labels: c.String("labels"), Domain: c.String("domain"), Ties: c.String("ties"),
		Epsilon: c.String("epsilon"), MaxFactor: c.String("max-factor"), FloorBy: c.String("floor-by"), Design: c.String("design"), SolveTime: c.Duration("solve-time"), Prefer: c.String("prefer"),
		Confidence: c.String("confidence"), Robust: c.Bool("robust"), Prior: c.String("prior"), Smooth: c.String("smooth"), MinCount: int64(c.Int("min-count")), Other: c.String("other"),
		Redesign: c.Bool("redesign"), Headroom: c.String("headroom"), Strata: c.String("strata"), StrataMin: int64(c.Int("strata-min")), Floors: c.Int("floors"), Plot: c.String("plot"), Page: c.String("html"),
		Null: c.String("null"), Keep: split(c.String("keep")), Drop: split(c.String("drop")), Metadata: split(c.String("keep-metadata")),
		AsString: c.Bool("as-string"), AllowIdentifier: c.Bool("allow-identifier"), ListUnknown: c.Bool("list-unknown"),
		Plan: c.String("plan"), Output: c.String("output"), Report: c.String("report"), Previous: c.String("previous"), Overwrite: c.Bool("overwrite"),
		Audit: c.String("audit"), AllowLinked: split(c.String("allow-linked")), AllowSorted: c.Bool("allow-sorted"),
		Hash: c.String("hash"), Threads: c.Int("threads"),
		JointEpsilon: c.String("joint-epsilon"), Repeat: repeatOf(c),
		Sign: c.String("sign"), About: configOf(c).about,
		Version: version, Settings: settings(c), Progress: uiOf(c).show,
	}
	var err error
	if o.Columns, err = choicesOf(c, &o); err != nil {
		return o, err
	}
	if o.FloorRank, err = floorRank(c.String("floor-rank")); err != nil {
		return o, err
	}
	if o.FloorValue, err = floorValue(c.String("floor-value")); err != nil {
		return o, err
	}
	if s := c.String("test-seed"); s != "" {
		seed, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			return o, usagef("give a whole number", "--test-seed is no number")
		}
		o.TestSeed = &seed
	}
	return o, nil
}

// settings are the effective values of all flags and where they came from.
func settings(c *cli.Context) []report.Setting {
	given := givenFlags(c)
	var out []report.Setting
	for _, f := range c.Command.Flags {
		name := f.Names()[0]
		if name == "help" {
			continue
		}
		s := report.Setting{Name: name, Value: fmt.Sprint(c.Value(name)), Origin: "default"}
		if _, ok := os.LookupEnv(env(name)[0]); ok {
			s.Origin = "environment"
		}
		if configOf(c).set[name] {
			s.Origin = "config"
		}
		if given[name] > 0 {
			s.Origin = "flag"
		}
		if name == "test-seed" && s.Value != "" {
			s.Value = "(given)"
		}
		out = append(out, s)
	}
	return out
}

// givenFlags counts how often each flag stands on the command line.
func givenFlags(c *cli.Context) map[string]int {
	given := map[string]int{}
	eachFlag(c, func(name, _ string, _ bool) { given[name]++ })
	return given
}

// eachFlag visits the flags of the command line. Switches have no value, nor
// has the last flag where it is missing.
func eachFlag(c *cli.Context, f func(name, value string, has bool)) {
	args := c.App.Metadata["args"].([]string)
	for i := 0; i < len(args); i++ {
		name, ok := strings.CutPrefix(args[i], "-")
		if !ok {
			continue
		}
		name, value, has := strings.Cut(strings.TrimPrefix(name, "-"), "=")
		if _, isBool := lookup(c, name).(*cli.BoolFlag); isBool {
			value, has = "", false
		} else if !has {
			if i++; i < len(args) {
				value, has = args[i], true
			}
		}
		f(name, value, has)
	}
}

// lookup finds a flag of the command. The library takes a flag's names apart by
// a regular expression each time it is asked, so they are kept.
func lookup(c *cli.Context, name string) cli.Flag {
	all := c.App.Metadata["flags"].(map[*cli.Command]map[string]cli.Flag)
	if all[c.Command] == nil {
		all[c.Command] = map[string]cli.Flag{}
		for _, f := range c.Command.Flags {
			all[c.Command][f.Names()[0]] = f
		}
	}
	return all[c.Command][name]
}

// checkArguments refuses what the flag parser would ignore: positional
// arguments, after which it reads no more flags, and flags given twice.
func checkArguments(c *cli.Context) error {
	if c.NArg() > 0 {
		return usagef("every argument belongs to a flag; tacet "+c.Command.Name+" --help lists them", "unexpected argument %q", c.Args().First())
	}
	for name, n := range givenFlags(c) {
		if n > 1 && !repeats(c, name) {
			return usagef("give it once", "--%s is given %d times", name, n)
		}
	}
	return nil
}

func split(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, ",")
}
