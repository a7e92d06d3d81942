package request

import (
	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// Release is what is asked of a release beside its private columns, parsed once.
type Release struct {
	Input, Output, Report string
	Previous, Sign, Hash  string
	Version               string
	Overwrite             bool
	PartOfPlan            bool
	AllowEmpty            bool // the input may have no rows
	Planned               bool // a plan is given
	TestSeed              *uint64
	Joint                 *mechanism.Epsilon // of all private columns together; nil sets no bound
	JointText             string             // it as written
	Waiting               string             // folder of what shards wrote; "" where all is drawn in one run
	Observed              Observed
	Repeat
	Pace
}

// Release is that of the options.
func (o *Options) Release() (*Release, error) {
	r := &Release{Input: o.Input, Output: o.Output, Report: o.Report, Previous: o.Previous, Sign: o.Sign,
		Hash:    o.Hash,
		Version: o.Version, Overwrite: o.Overwrite, PartOfPlan: o.PartOfPlan, AllowEmpty: o.AllowEmpty, TestSeed: o.TestSeed,
		Planned:   o.Plan != "" || len(o.Columns) > 0 && o.Columns[0].Plan != "",
		JointText: o.JointEpsilon, Observed: o.Observed(), Repeat: o.Repeat, Pace: o.Pace()}
	var err error
	r.Joint, err = parseBound("--joint-epsilon", o.JointEpsilon)
	return r, err
}

// Observed says what may be seen beside the private column, and how that is
// judged.
type Observed struct {
	Audit       string   // "sample" (default), "full", "off"
	AllowLinked []string // columns that stay although they give the private one away
	AllowSorted bool     // rows stay in an order that gives it away
	Person      string   // column that identifies a person, who may have several rows; "" for none
}

// Observed is that of the options.
func (o *Options) Observed() Observed {
	return Observed{Audit: o.Audit, AllowLinked: o.AllowLinked, AllowSorted: o.AllowSorted, Person: o.Person}
}

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
