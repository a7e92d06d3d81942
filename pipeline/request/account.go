package request

import "github.com/tacet-privacy/tacet/pipeline/report"

// Account is what a report says of a release that is neither counted nor
// decided.
type Account struct {
	Command, Version string
	Input, Output    string // paths
	About            *report.About
	Inside           *report.Inside
	Settings         []report.Setting
	Seeded           bool // draws follow from a test seed
	Unchanged        bool // the output may be the input, up to names
	PartOfPlan       bool
	Design           string // as it is asked for
	Declared         bool   // a file of the user names values
	Confidence       string // of a claim that is asked for where a plan is applied; "" for none
	Files            []Named
}

// A Named file is one that an option names.
type Named struct{ Flag, Path string }

// Account is that of the options, for a command.
func (o *Options) Account(command string) *Account {
	a := &Account{Command: command, Version: o.Version, Input: o.Input, Output: o.Output, About: o.About,
		Inside:   o.Inside,
		Settings: o.Settings, Seeded: o.TestSeed != nil, Unchanged: o.AllowUnchanged, PartOfPlan: o.PartOfPlan,
		Design: o.Design, Declared: o.Domain != "" || o.Prior != "",
		Files: []Named{{"utility", o.OrderFile()}, {"labels", o.Labels}, {"domain", o.DomainFile()}, {"prior", o.Prior}}}
	if command == "apply" {
		a.Confidence = o.Confidence
	}
	return a
}
