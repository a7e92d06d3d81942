package request

import (
	"fmt"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/fault"
)

// Recovery is what a user of a published column asks of it.
type Recovery struct {
	Mechanism string   // plan.json or mechanism.json; may be "" where only published values are counted
	By        []string // columns in whose cells shares are told apart
	Where     []string // COLUMN=VALUE: rows that are counted
	Group     string   // CSV file label,group: shares are told of groups instead of values
	Mean      string   // column of numbers whose means are told by true value; "" for none
	Clusters  string   // column whose rows with the same published value share a draw; "" for none
	Method    string   // "inverse" (default), "em" or "count"
	Whose     string   // "file" (default) or "population"
	Level     *float64 // of intervals, between 0 and 1; nil is .95
}

// Methods of tacet recover.
const (
	Inverse = "inverse"
	Likely  = "em"
	Counted = "count"
)

// Confidence level of intervals.
func (r *Recovery) Confident() float64 {
	if r.Level == nil {
		return .95
	}
	return *r.Level
}

// Conditions are the columns and values of Where.
func (r *Recovery) Conditions() (column, value []string) {
	for _, w := range r.Where {
		c, v, _ := strings.Cut(w, "=")
		column, value = append(column, c), append(value, v)
	}
	return column, value
}

// checkRecovery finds contradictions of tacet recover.
func (o *Options) checkRecovery() []*fault.Fault {
	var all []conflict
	for _, w := range o.Where {
		column, _, ok := strings.Cut(w, "=")
		all = append(all, conflict{!ok || column == "", "write --where COLUMN=VALUE",
			fmt.Sprintf("--where %q names no column and value", w)})
	}
	level := o.Confident()
	all = append(all, conflict{!(level > 0 && level < 1), "give a level such as 0.95",
		fmt.Sprintf("--level %v is not between 0 and 1", level)})
	all = append(all, conflict{o.Mean != "" && o.Method != "" && o.Method != Inverse, "leave one of them out",
		"--mean goes with unbiased estimates, and --method is " + o.Method})
	return found(all)
}
