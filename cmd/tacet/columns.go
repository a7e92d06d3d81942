package main

import (
	"maps"
	"os"
	"slices"
	"strconv"

	"github.com/urfave/cli/v2"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// perColumn are the flags that may be given once for all private columns or
// once for each, in the order of the columns.
var perColumn = []string{"utility", "labels", "domain", "prior", "epsilon", "max-factor", "floor-rank", "floor-value", "null", "design", "prefer"}

// jointFlag binds all private columns together.
var jointFlag = text("joint-epsilon", "", "largest leakage in nats of all private columns together; epsilons are scaled to keep it")

// naming are the flags that name the private columns, by command; others take
// one column.
var naming = map[string]string{"run": "column", "apply": "plan"}

// repeats reports whether a command takes a flag once for each private column.
func repeats(c *cli.Context, flag string) bool {
	by := naming[c.Command.Name]
	return by != "" && flag == by || by == "column" && slices.Contains(perColumn, flag)
}

// valuesOf are the values of a flag that may be repeated: those of the command
// line, else that of the environment, else those of the job file.
func valuesOf(c *cli.Context, name string) []string {
	var values []string
	eachFlag(c, func(flag, value string, has bool) {
		if has && flag == name {
			values = append(values, value)
		}
	})
	if cfg := configOf(c); values == nil && cfg.set[name] && cfg.lists[name] != nil {
		return cfg.lists[name]
	}
	if values == nil && c.String(name) != "" {
		values = []string{c.String(name)}
	}
	return values
}

// choicesOf are the private columns of a command that takes several, nil where
// one is given.
func choicesOf(c *cli.Context, o *pipeline.Options) ([]pipeline.Choice, error) {
	by := naming[c.Command.Name]
	if by == "" {
		return nil, nil
	}
	own := configOf(c).columns
	if stated(c, by) || by != "column" {
		own = nil // the columns of the job file are others
	}
	names := valuesOf(c, by)
	if own != nil {
		names = nil
		for _, column := range own {
			names = append(names, column["name"])
		}
	}
	given := map[string][]string{}
	for _, flag := range perColumn {
		if by != "column" {
			break
		}
		given[flag] = valuesOf(c, flag)
		if n := len(given[flag]); n > 1 && n != len(names) {
			return nil, usagef("give it once for all columns, or once for each, in their order", "--%s is given %d times for %d private columns", flag, n, len(names))
		}
	}
	if len(names) < 2 && own == nil {
		return nil, nil
	}
	var out []pipeline.Choice
	for i, name := range names {
		value := map[string]string{}
		for flag, v := range given {
			if len(v) == 1 {
				value[flag] = v[0]
			} else if len(v) > 1 {
				value[flag] = v[i]
			}
		}
		if own != nil {
			overlay(c, value, own[i])
		}
		value[by] = name
		choice, err := choiceOf(value)
		if err != nil {
			return nil, err
		}
		choice.Settings = columnSettings(o.Settings, value, own != nil)
		out = append(out, choice)
	}
	return out, nil
}

// overlay puts what a job file says of one column over what it says of all.
// Flags that are stated stay.
func overlay(c *cli.Context, value, own map[string]string) {
	for flag, v := range own {
		group := []string{flag}
		for _, g := range together {
			if slices.Contains(g, flag) {
				group = g
			}
		}
		if flag == "name" || slices.ContainsFunc(group, func(f string) bool { return stated(c, f) }) {
			continue
		}
		for _, f := range group {
			delete(value, f)
		}
		value[flag] = v
	}
}

// stated reports whether a flag stands on the command line or in the
// environment.
func stated(c *cli.Context, name string) bool {
	_, inEnvironment := os.LookupEnv(env(name)[0])
	return givenFlags(c)[name] > 0 || inEnvironment && lookup(c, name) != nil
}

// choiceOf turns the texts of flags into a choice.
func choiceOf(value map[string]string) (choice pipeline.Choice, err error) {
	choice = pipeline.Choice{Column: value["column"], Plan: value["plan"], Utility: value["utility"], Labels: value["labels"], Domain: value["domain"], Prior: value["prior"],
		Epsilon: value["epsilon"], MaxFactor: value["max-factor"], Null: value["null"], Design: value["design"], Prefer: value["prefer"]}
	if choice.FloorRank, err = floorRank(value["floor-rank"]); err != nil {
		return choice, err
	}
	choice.FloorValue, err = floorValue(value["floor-value"])
	return choice, err
}

func floorRank(text string) (*int, error) {
	if text == "" {
		return nil, nil
	}
	rank, err := strconv.Atoi(text)
	if err != nil || rank < 1 {
		return nil, usagef("give a whole number from 1 on", "--floor-rank %q is no rank", text)
	}
	return &rank, nil
}

func floorValue(text string) (*float64, error) {
	if text == "" {
		return nil, nil
	}
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil, usagef("give a utility as it stands in the order", "--floor-value %q is no number", text)
	}
	return &value, nil
}

// columnSettings are the settings with the values that one column has.
func columnSettings(all []report.Setting, value map[string]string, fromJob bool) []report.Setting {
	out := slices.Clone(all)
	known := slices.Collect(maps.Keys(value))
	for i := range out {
		s := &out[i]
		if !slices.Contains(perColumn, s.Name) && !slices.Contains(known, s.Name) {
			continue
		}
		if s.Value != value[s.Name] && fromJob {
			s.Origin = "config"
		}
		s.Value = value[s.Name]
	}
	return out
}
