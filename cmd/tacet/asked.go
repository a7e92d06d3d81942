package main

import (
	"context"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/tacet-privacy/tacet/io/store"
	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/request"

	"github.com/tacet-privacy/tacet/pipeline/report"
)

// An asked command is what its flags, the environment and the job file give it. A
// flag goes before a variable, a variable before the job file.
type asked struct {
	request.Request
	flags   []*parsedFlag
	about   *report.About
	inside  *report.Inside
	options *request.Options // nil for a command that has none
}

// ask reads flags, environment and job file.
func ask(c *cli.Context) (*asked, error) {
	return askFor(c.Command.Name, flagsOn(c))
}

// askFor is ask for a command that is given these flags.
func askFor(command string, flags []*parsedFlag) (*asked, error) {
	a := &asked{Request: request.Request{Command: command, Given: map[string]request.Given{}}, flags: flags}
	var emptied []string
	for _, f := range a.flags {
		text, set := os.LookupEnv(f.Environment())
		switch {
		case f.values != nil:
			a.Given[f.Name] = request.Given{Values: f.values, Origin: "flag"}
		case f.Once || !set:
		case text == "":
			emptied = append(emptied, f.Name)
		default:
			a.Given[f.Name] = request.Given{Values: []string{text}, Origin: "environment"}
		}
	}
	if path := a.text("config"); path != "" {
		if err := a.read(path, emptied); err != nil {
			return a, err
		}
	}
	a.onDisk()
	return a, nil
}

// onDisk has paths for addresses of files of this machine, file:///data/visits.parquet,
// and the reports in folders that are named in place of one.
func (a *asked) onDisk() {
	for name, path := range map[string]func(string) string{"input": store.Local, "output": store.Local,
		"report": store.Local, "previous": reportIn} {
		for i, text := range a.Given[name].Values {
			a.Given[name].Values[i] = path(text)
		}
	}
}

// flagsOn are the flags of the commands that are named, those of the last at the end.
func flagsOn(c *cli.Context) (out []*parsedFlag) {
	for _, above := range slices.Backward(c.Lineage()) {
		if above == nil || above.Command == nil {
			continue
		}
		for _, f := range above.Command.Flags {
			if p, ok := f.(*parsedFlag); ok {
				out = append(out, p)
			}
		}
	}
	return out
}

// read adds the job file. Keys that are options of other commands only are left
// alone: one file serves every step of a job. A variable that is empty puts away
// what the file says.
func (a *asked) read(path string, emptied []string) error {
	f, err := request.Read(path, request.Keys())
	if err != nil {
		return err
	}
	a.about, a.inside = f.About, f.Inside
	above := maps.Clone(a.Given)
	for _, v := range f.Values {
		t := request.Find(v.Key)
		_, same := above[t.Name]
		_, instead := above[t.Or]
		if same || instead || slices.Contains(emptied, t.Name) || !slices.Contains(request.For(a.Command), t) {
			continue
		}
		a.Given[t.Name] = request.Given{Values: v.Each, Origin: "config"}
	}
	_, other := above["column"]
	if t := request.Find("column"); t.Repeats(a.Command) && !other {
		a.Columns = f.Columns
	}
	return nil
}

// text is the value of an option that is given once, or its default.
func (a *asked) text(name string) string {
	if g, ok := a.Given[name]; ok {
		return g.Values[len(g.Values)-1]
	}
	for _, f := range a.flags {
		if f.Name == name {
			return f.Default
		}
	}
	return ""
}

// value is the value of an option of a command that has no Options, the zero value
// where it has none.
func value[T any](a *asked, name string) (v T) {
	for _, f := range a.flags {
		if text := a.text(name); f.Name == name && text != "" {
			parsed, _ := f.Parse(text)
			v, _ = parsed.(T)
		}
	}
	return v
}

// optionsOf are the options of a command that reads or releases data, once they are
// checked.
func optionsOf(c *cli.Context) pipeline.Options {
	o := askedOf(c).complete()
	o.Progress = uiOf(c).show
	o.Warn = func(what string) { uiOf(c).say("%s", what) }
	return o
}

// complete are the options with what stands in no flag.
func (a *asked) complete() pipeline.Options {
	o := *a.options
	o.About, o.Inside, o.Version = a.about, a.inside, version
	return o
}

// check refuses what the command line has that nothing takes, values that are none,
// and, of a command that has no Options, what is missing. Where a command with Options
// has any of these, all else that is wrong is told of with it.
func (a *asked) check(ctx context.Context, faults []*fault.Fault) (err error) {
	if request.For(a.Command) != nil {
		if a.options, err = a.Options(); err != nil {
			faults = fault.And(faults, err)
		}
		if len(faults) > 0 {
			faults = fault.And(faults, pipeline.Check(ctx, *a.options, a.Command))
		}
		return fault.Together(faults)
	}
	var all []*request.Option
	for _, f := range a.flags {
		all = append(all, f.Option)
		_, wrong := a.Given[f.Name].Parse(f.Option, false)
		faults = append(faults, wrong...)
	}
	given := func(t *request.Option) bool { return a.text(t.Name) != "" }
	return fault.Together(append(faults, request.Missing(a.Command, all, given, false)...))
}

func askedOf(c *cli.Context) *asked { return c.App.Metadata["asked"].(*asked) }

// usageError rewords what the flag parser says of what sorted leaves to it.
func usageError(c *cli.Context, err error, _ bool) error {
	return usagef(strings.TrimSpace(c.App.Name+" "+c.Command.Name)+" --help lists the flags", "%s", oneLine(err.Error()))
}
