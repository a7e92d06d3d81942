package main

import (
	"errors"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/request"

	"github.com/tacet-privacy/tacet/pipeline/report"
)

// An asked command is what its flags, the environment and the job file give it. A
// flag goes before a variable, a variable before the job file.
type asked struct {
	request.Request
	flags  []*parsedFlag
	about  *report.About
	inside *report.Inside
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
		return a, a.read(path, emptied)
	}
	return a, nil
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
	var wrong *request.Error
	if errors.As(err, &wrong) {
		class := fault.Usage
		if wrong.Unreadable {
			class = fault.Input
		}
		return &fault.Fault{Class: class, What: wrong.What, Hint: wrong.Hint, Err: err}
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

// optionsOf are the options of a command that reads or releases data.
func optionsOf(c *cli.Context) (pipeline.Options, error) {
	a := askedOf(c)
	o, err := a.Options()
	if err != nil {
		return pipeline.Options{}, err
	}
	o.About, o.Inside, o.Version, o.Progress = a.about, a.inside, version, uiOf(c).show
	return *o, nil
}

// check refuses wrong values of a command that has no Options, and asks for what it
// needs: the others tell of them with all else that is wrong.
func (a *asked) check() error {
	if request.For(a.Command) != nil {
		return nil
	}
	var all []*request.Option
	var faults []*fault.Fault
	for _, f := range a.flags {
		all = append(all, f.Option)
		_, wrong := a.Given[f.Name].Parse(f.Option, false)
		faults = append(faults, wrong...)
	}
	given := func(t *request.Option) bool { return a.text(t.Name) != "" }
	return fault.Together(append(faults, request.Missing(a.Command, all, given, false)...))
}

func askedOf(c *cli.Context) *asked { return c.App.Metadata["asked"].(*asked) }

// usageError rewords what the flag parser says.
func usageError(c *cli.Context, err error) error {
	name, what := "tacet", oneLine(err.Error())
	if c.Command != nil && c.Command.Name != "" && c.Command.Name != "tacet" {
		name += " " + c.Command.Name
	}
	help := name + " --help lists the flags"
	if flag, ok := strings.CutPrefix(what, "flag provided but not defined: -"); ok {
		return usagef(meant(c, strings.TrimPrefix(flag, "-"), help), "this command has no flag --%s", flag)
	}
	if flag, ok := strings.CutPrefix(what, "flag needs an argument: -"); ok {
		return usagef(help, "--%s has no value after it", flag)
	}
	return usagef(help, "%s", what)
}

// meant is the flag that somebody may have meant, or else the help.
func meant(c *cli.Context, flag, help string) string {
	var names []string
	if c.Command != nil {
		for _, f := range c.Command.Flags {
			names = append(names, f.Names()[0])
		}
	}
	if slices.Contains(names, "write-"+flag) {
		return "name the file to write with --write-" + flag
	}
	if t := request.Find(flag); t != nil && c.Command != nil && !slices.Contains(names, flag) {
		takers := strings.Fields(t.In)
		if c.Command.Name == "apply" && slices.Contains(takers, "design") {
			return "leave it out: the plan fixes what --" + flag + " says"
		}
		return "leave it out: it is for tacet " + strings.Join(takers, ", tacet ") + "; " + help
	}
	if near := request.Nearest(flag, names); near != "" {
		return "did you mean --" + near + "? " + help
	}
	return help
}
