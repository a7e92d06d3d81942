package request

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tacet-privacy/tacet/io/store"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// A Kind is the type of value that an option takes.
type Kind int

// The kinds.
const (
	Text     Kind = iota
	Switch        // true or false; on the command line its name alone is true
	Whole         // an integer
	Number        // a decimal
	Bound         // a decimal, or a text such as log(7/3), which keeps what was written
	Duration      // a number with its unit: 60s
	Names         // names with commas between them, quoted as in CSV; a list in a job file
	Secret        // names the place of a secret, and never is one
	Seed          // an integer from 0 on, whose value is in no report
)

// A Group is what an option is about. Help, completion, the manual page and the list of
// commands show options by it.
type Group int

// The groups, in the order in which they are shown. Options of commands that have few
// are in none.
const (
	Ungrouped Group = iota
	What
	Promise
	Ranking
	Beside
	Written
	Again
	Advanced
)

var groupNames = []string{"", "what", "promise", "order", "other columns", "output", "again every night", "advanced"}

// String is the name of the group, "" of Ungrouped.
func (g Group) String() string { return groupNames[g] }

// ByGroup puts options in the order of their groups, and within a group in the order of
// the table.
func ByGroup(all []*Option) []*Option {
	return slices.SortedStableFunc(slices.Values(all), func(a, b *Option) int { return cmp.Compare(a.Group, b.Group) })
}

// An Option is what a user may set. The flag, the environment variable, the key
// of job files, the setting in the report and the row of docs/commands.md are all
// read from it.
type Option struct {
	Name    string // of the flag; TACET_NAME in the environment
	Kind    Kind
	Default string
	Choices []string // of a Text, or of each of the Names: what it may be; nil for anything
	In      string   // commands that take it, with blanks between them
	Group   Group    // what it is about
	Often   bool     // most calls need it: the short help shows it
	Need    string   // commands that cannot do without it, or without Or
	Or      string   // option that may stand in its place, and not beside it
	Each    string   // commands in which it may be given once for each private column
	Planned bool     // a plan that run follows gives it
	Once    bool     // for one call: neither the environment nor a job file sets it
	Usage   string   // one line, with the word for the value in backquotes
	Example string   // a value
	Hint    string   // what to do where it is missing; the example unless given
	Explain []string // lines below that hint
	Field   string   // of Options that keeps it, or switches by the order of Choices; "" for none
}

// For are the options that a command takes, in the order of the table.
func For(command string) (out []*Option) {
	for _, t := range Table {
		if has(t.In, command) {
			out = append(out, t)
		}
	}
	return out
}

// Find is the option of a name, nil where there is none.
func Find(name string) *Option {
	if i := slices.IndexFunc(Table, func(t *Option) bool { return t.Name == name }); i >= 0 {
		return Table[i]
	}
	return nil
}

// Environment is the variable that sets the option, "" where none does.
func (t *Option) Environment() string {
	if t.Once {
		return ""
	}
	return "TACET_" + strings.ToUpper(strings.ReplaceAll(t.Name, "-", "_"))
}

// Repeats reports whether a command takes the option once for each private column.
func (t *Option) Repeats(command string) bool { return has(t.Each, command) }

// Parse is the value that a text gives, of the Go type of its kind: bool, int, uint64,
// float64, time.Duration, []string or string. It refuses a text that is no value of
// the option. The text itself may stand in the error: it is an option, and not of the
// data.
func (t *Option) Parse(text string) (v any, _ *fault.Fault) {
	var err error
	var kind, hint string
	switch t.Kind {
	case Switch:
		v, err = strconv.ParseBool(text)
		kind, hint = "truth value", "give true or false"
	case Whole:
		v, err = strconv.Atoi(text)
		kind, hint = "whole number", "give a whole number"
	case Seed:
		v, err = strconv.ParseUint(text, 10, 64)
		kind, hint = "whole number", "give a whole number from 0 on"
	case Number:
		v, err = strconv.ParseFloat(text, 64)
		kind, hint = "number", "give a number such as "+t.Example
	case Duration:
		v, err = time.ParseDuration(text)
		kind, hint = "time", "give a number with its unit, such as 90s or 5m"
	case Names:
		names, ok := report.Names(text)
		if !ok {
			return nil, fault.New(fault.Usage, "write a name with a comma in double quotes, as in --"+t.Name+` '"a,b",c'`,
				"--%s is not a list of names: a double quote is not closed, or no comma follows it", t.Name)
		}
		v = names
	default:
		v = text
	}
	if err != nil {
		return nil, fault.New(fault.Usage, hint, "--%s %q is not a %s", t.Name, text, kind)
	}
	one, list := v.([]string)
	if !list && text != "" {
		one = []string{text}
	}
	for _, text := range one {
		if t.Choices == nil || slices.Contains(t.Choices, text) {
			continue
		}
		hint := "choose one of " + strings.Join(t.Choices, ", ")
		if near := Meant(text, t.Choices); near != "" {
			hint = "did you mean --" + t.Name + " " + near + "? " + hint
		}
		return nil, fault.New(fault.Usage, cmp.Or(Gone(t.Name+" "+text), hint), "--%s has the unknown value %q", t.Name, text)
	}
	return v, nil
}

// shown is a text, and the value of Parse, nil for none, as the report's settings have it.
func (t *Option) shown(text string, v any) string {
	switch v := v.(type) {
	case bool, int, time.Duration:
		return fmt.Sprint(v)
	case uint64:
		return "(given)"
	case nil:
		if t.Kind == Switch {
			return "false"
		}
	}
	return store.Plain(text)
}

// has reports whether a name stands in a list with blanks between its names.
func has(list, name string) bool {
	for word := range strings.FieldsSeq(list) {
		if word == name {
			return true
		}
	}
	return false
}
