package request

import (
	"maps"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// Given is what somebody gave for one option, and where: "flag", "environment" or
// "config".
type Given struct {
	Values []string // one, or one for each private column
	Origin string
}

// Parse is the last value of an option, nil for none, and what is wrong with them
// all: that some are none, and that there are several where one is taken.
func (g Given) Parse(t *Option, several bool) (last any, wrong []*fault.Fault) {
	for _, text := range g.Values {
		v, f := t.Parse(text)
		if f != nil {
			if g.Origin == "environment" {
				f.What = t.Environment() + " in the environment, for " + f.What
			}
			wrong = append(wrong, f)
		}
		last = v
	}
	if n := len(g.Values); n > 1 && !several {
		wrong = append(wrong, fault.New(fault.Usage, "give it once", "--%s is given %d times", t.Name, n))
	}
	return last, wrong
}

// A Request is what a user gave for a command.
type Request struct {
	Command string
	Given   map[string]Given // by name of the option
	// what a job file says of each private column, by name of the option; nil where it lists none
	Columns []map[string]string
}

// spare leaves out what a job file says for other steps of its job: one file serves all
// of them. What a flag or a variable says is for this step.
func (r *Request) spare() {
	var others []string
	if r.Given["shard"].Values != nil {
		others = ofFinish
	}
	if r.Given["counts"].Values != nil && r.Given["strata"].Values == nil {
		others = []string{"keep", "drop"}
	}
	maps.DeleteFunc(r.Given, func(name string, g Given) bool {
		return g.Origin == "config" && slices.Contains(others, name)
	})
}

// Options are those of the request. All values that are none are told of at once.
func (r *Request) Options() (*Options, error) {
	r.spare()
	o, faults := &Options{}, []*fault.Fault{}
	for _, t := range For(r.Command) {
		g, ok := r.Given[t.Name]
		if !ok {
			g = Given{Origin: "default", Values: []string{t.Default}}
		}
		var v any
		if ok || t.Default != "" {
			var wrong []*fault.Fault
			v, wrong = g.Parse(t, t.Repeats(r.Command))
			faults = append(faults, wrong...)
		}
		if t.Field != "" && v != nil {
			t.set(o, v)
		}
		if t.Name == "shard" { // reports are of releases, which are whole: those of finish are those of apply
			continue
		}
		last := g.Values[len(g.Values)-1]
		o.Settings = append(o.Settings, report.Setting{Name: t.Name, Value: t.shown(last, v), Origin: g.Origin})
	}
	o = o.Settled()
	if len(faults) == 0 {
		var err error
		o.Columns, err = r.choices()
		return o, err
	}
	return o, fault.Together(faults)
}

// choices are the options of each private column of a command that takes several, nil where
// one is given.
func (r *Request) choices() ([]*Options, error) {
	var names []string // of the columns, or of their plans
	for _, t := range For(r.Command) {
		if (t.Name == "column" || t.Name == "plan") && t.Repeats(r.Command) {
			names = r.Given[t.Name].Values
		}
	}
	count := max(len(names), len(r.Columns))
	for _, t := range For(r.Command) {
		if n := len(r.Given[t.Name].Values); n > 1 && n != count {
			return nil, fault.New(fault.Usage, "give it once for all columns, or once for each in the order of --column",
				"--%s is given %d times for %d private columns", t.Name, n, count)
		}
	}
	if count < 2 && r.Columns == nil {
		return nil, nil
	}
	var out []*Options
	for i := range count {
		o, err := r.column(i).Options()
		if err != nil {
			return nil, err
		}
		out = append(out, o)
	}
	return out, nil
}

// column is what is given for the private column at place i alone. What a job file says of one
// column goes before what it says of all.
func (r *Request) column(i int) *Request {
	own := &Request{Command: r.Command, Given: maps.Clone(r.Given)}
	for _, t := range For(r.Command) {
		if g := r.Given[t.Name]; len(g.Values) > 1 {
			own.Given[t.Name] = Given{g.Values[i : i+1], g.Origin}
		}
		if r.Columns == nil || !t.Repeats(r.Command) || r.above(t.Name) || r.above(t.Or) {
			continue
		}
		if text, ok := r.Columns[i][t.Name]; ok {
			own.Given[t.Name] = Given{[]string{text}, "config"}
		} else if _, instead := r.Columns[i][t.Or]; instead {
			delete(own.Given, t.Name)
		}
	}
	return own
}

// above reports whether an option is given where it goes before a job file.
func (r *Request) above(name string) bool {
	g, ok := r.Given[name]
	return ok && g.Origin != "config"
}
