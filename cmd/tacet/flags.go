package main

import (
	"flag"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/tacet-privacy/tacet/pipeline/request"
)

// A parsedFlag is an option on the command line. It keeps what was given, in order;
// whether that is a value is looked at later, all flags at once.
type parsedFlag struct {
	*request.Option
	values []string
	brief  bool // help shows it only where most calls need it, and without its variable
}

// few is how many flags help shows without leaving any out.
const few = 20

// flagsFor are the flags of a command, by group.
func flagsFor(command string) (out []cli.Flag) {
	all := slices.Concat(request.ByGroup(request.For(command)), own[command])
	for _, t := range all {
		out = append(out, &parsedFlag{Option: t, brief: len(all) > few})
	}
	return out
}

// Set keeps a value; it is for package flag.
func (f *parsedFlag) Set(text string) error {
	f.values = append(f.values, text)
	return nil
}

// IsBoolFlag reports whether the name alone is a value; it is for package flag.
func (f *parsedFlag) IsBoolFlag() bool { return f.Kind == request.Switch }

// Apply makes the flag known to the parser.
func (f *parsedFlag) Apply(set *flag.FlagSet) error {
	set.Var(f, f.Name, f.Usage)
	return nil
}

// String is the lines of the help text.
func (f *parsedFlag) String() string {
	text := cli.FlagStringer(f)
	if f.brief {
		text, _, _ = strings.Cut(text, " [$")
	}
	return text
}

// Names, IsSet and those below are for the help text.
func (f *parsedFlag) Names() []string  { return []string{f.Name} }
func (f *parsedFlag) IsSet() bool      { return f.values != nil }
func (f *parsedFlag) TakesValue() bool { return f.Kind != request.Switch }
func (f *parsedFlag) GetUsage() string { return f.Usage }
func (f *parsedFlag) GetValue() string { return strings.Join(f.values, ",") }
func (f *parsedFlag) IsVisible() bool  { return f.Often || !f.brief }

// GetDefaultText is the default as the help text shows it, "" for none.
func (f *parsedFlag) GetDefaultText() string {
	switch {
	case f.Default == "" || f.Kind == request.Switch:
		return ""
	case f.Kind == request.Text:
		return `"` + f.Default + `"`
	}
	return f.Default
}

// GetEnvVars are the environment variables of the flag.
func (f *parsedFlag) GetEnvVars() []string {
	if env := f.Environment(); env != "" {
		return []string{env}
	}
	return nil
}
