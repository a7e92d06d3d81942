package request

import "github.com/tacet-privacy/tacet/pipeline/report"

// Account is what a report says of a release that is neither counted nor
// decided.
type Account struct {
	report.Stated // what the options say of it
	Command       string
	Unchanged     bool // the output may be the input, up to names
	PartOfPlan    bool
	Design        string // as it is asked for
	NamesValues   bool   // a file of the user does
	Confidence    string // of a claim that is asked for where a plan is applied; "" for none
	Files         []Named
}

// A Named file is one that an option names.
type Named struct{ Flag, Path string }

// Account is that of the options, for a command.
func (o *Options) Account(command string) *Account {
	a := &Account{Command: command, Unchanged: o.AllowUnchanged, PartOfPlan: o.PartOfPlan,
		Stated: report.Stated{Version: o.Version, About: o.About, Inside: o.Inside, Settings: o.Settings},
		Design: o.Design, NamesValues: o.Domain != "" || o.Prior != "",
		Files: []Named{{"utility", o.OrderFile()}, {"labels", o.Labels}, {"domain", o.DomainFile()}, {"prior", o.Prior}}}
	if o.TestSeed != nil {
		a.Stamp = report.NotPrivate
	}
	if command == "apply" {
		a.Confidence = o.Confidence
	}
	return a
}
