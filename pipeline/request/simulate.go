package request

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// Simulation is what is asked of designs that are compared, beside these.
type Simulation struct {
	Top int // the commonest values are told of
}

// Designs are the options of every design to compare: each epsilon with each limit of
// the shift, of which "none" sets none.
func (o *Options) Designs() (all []*Options) {
	for _, epsilon := range strings.Split(o.Epsilon, ",") {
		for _, factor := range strings.Split(o.MaxFactor, ",") {
			for _, shift := range strings.Split(o.MaxShift, ",") {
				d := *o
				d.Epsilon, d.MaxFactor = strings.TrimSpace(epsilon), strings.TrimSpace(factor)
				d.MaxShift = strings.TrimSpace(shift)
				all = append(all, &d)
			}
		}
	}
	return all
}

// Next are the options of the command that a frontier leads to.
func (o *Options) Next() *Options {
	if o.Then != nil {
		return o.Then
	}
	return o
}

// At are the options with an epsilon, a limit of the shift, "" for none, and the floor at a
// rank or value, in place of their own. The limit is no default then.
func (o *Options) At(epsilon, shift string, rank *int, value *float64) *Options {
	d := *o
	d.Epsilon, d.MaxFactor, d.MaxShift, d.FloorRank, d.FloorValue = epsilon, "", shift, rank, value
	d.Settings = slices.DeleteFunc(slices.Clone(o.Settings), func(s report.Setting) bool { return s.Name == "max-shift" })
	return &d
}

// checkSimulation finds contradictions that need no file, those of the first design
// that has any among them.
func (o *Options) checkSimulation() []*fault.Fault {
	faults := found([]conflict{
		{o.Top < 0, "give a number such as 5", fmt.Sprintf("--top %d is negative", o.Top)},
	})
	for _, d := range o.Designs() {
		if wrong := d.contradictions("design"); wrong != nil {
			return append(faults, wrong...)
		}
	}
	return faults
}
