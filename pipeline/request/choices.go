package request

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/tacet-privacy/tacet/io/store"
	"github.com/tacet-privacy/tacet/pipeline/fault"
)

// maxColumns bounds the private columns of one run: their combinations are
// numbered by 64 bits, and pairs of them are explained.
const maxColumns = 8

// choose takes from other options what may be chosen for each private column, and their settings where they have any.
func (o *Options) choose(c *Options) {
	for _, t := range Table {
		if t.Each != "" {
			reflect.ValueOf(t.in(o)).Elem().Set(reflect.ValueOf(t.in(c)).Elem())
		}
	}
	if c.Settings != nil {
		o.Settings = c.Settings
	}
}

// Of are the options of a private column.
func (o *Options) Of(column string) *Options {
	own := *o
	own.Column = column
	return &own
}

// Each are the options of the private columns one by one, as if each were the
// only one: its report goes to a folder of its own.
func (o *Options) Each() []*Options {
	if len(o.Columns) == 0 {
		return []*Options{o}
	}
	var out []*Options
	for i, c := range o.Columns {
		own := *o
		own.Columns, own.JointEpsilon = nil, ""
		own.choose(c)
		own.PriorOnly = o.PriorOnly && (c.Prior != "" || o.Smooth != "")
		own.Report = store.In(o.Report, PartFolder(i))
		out = append(out, &own)
	}
	return out
}

// PartFolder is the folder, in that of the report, of the private column at
// place i.
func PartFolder(i int) string { return fmt.Sprint(i + 1) }

// A Private column is one that is redrawn.
type Private struct {
	Name   string
	Strata string // the column given which the promise holds; "" for none
}

// CheckColumns finds contradictions between columns that need no file.
func (r *Release) CheckColumns(each []Private) error {
	if len(each) == 1 {
		if r.Joint != nil {
			return fault.New(fault.Usage, "give --epsilon alone",
				"--joint-epsilon needs several private columns, and only one is given")
		}
		return nil
	}
	if len(each) > maxColumns {
		return fault.New(fault.Usage, "privatize some of them in a run of their own, and drop the others",
			"%d private columns are more than the %d supported", len(each), maxColumns)
	}
	var seen []string
	for _, e := range each {
		if r.PartOfPlan {
			return fault.New(fault.Usage, "release the columns one at a time",
				"--part-of-plan does not go with several private columns: their joint leakage is relative to the records of "+
					"this input")
		}
		if e.Strata != "" && r.Joint != nil {
			return fault.New(fault.Usage, "leave one of them out; joint.json says what the columns tell together", noJoint)
		}
		if e.Strata != each[0].Strata {
			return fault.New(fault.Usage, "make the plans with the same --strata",
				"the plans of %q and %q have other strata: one group column is read", each[0].Name, e.Name)
		}
		if slices.Contains(seen, e.Name) {
			return fault.New(fault.Usage, "name each column once", "the private column %q is named twice", e.Name)
		}
		seen = append(seen, e.Name)
	}
	if r.Memoised() || r.Ledger != "" {
		return fault.New(fault.Usage, "release these columns one by one, each into a file of its own",
			"record ids and the ledger work for one private column, and %d are given", len(each))
	}
	return nil
}
