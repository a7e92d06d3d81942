package request

import "github.com/tacet-privacy/tacet/mechanism"

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
