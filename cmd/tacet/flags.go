package main

import (
	"flag"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/tacet-privacy/tacet/pipeline/request"
)

// A parsedFlag is an option on the command line. It keeps what was given, in order;
// whether that is a value is looked at later, all flags at once.
type parsedFlag struct {
	*request.Option
	values []string
}

// flagsFor are the flags of a command that reads or releases data.
func flagsFor(command string) []cli.Flag { return flagsOf(request.For(command)...) }

// flagsOf are the flags of these options.
func flagsOf(all ...*request.Option) (out []cli.Flag) {
	for _, t := range all {
		out = append(out, &parsedFlag{Option: t})
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

// Names, IsSet, String and those below are for the help text.
func (f *parsedFlag) Names() []string  { return []string{f.Name} }
func (f *parsedFlag) IsSet() bool      { return f.values != nil }
func (f *parsedFlag) String() string   { return cli.FlagStringer(f) }
func (f *parsedFlag) TakesValue() bool { return f.Kind != request.Switch }
func (f *parsedFlag) GetUsage() string { return f.Usage }
func (f *parsedFlag) GetValue() string { return strings.Join(f.values, ",") }
func (f *parsedFlag) IsVisible() bool  { return true }

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
