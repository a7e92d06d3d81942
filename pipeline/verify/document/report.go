package document

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/verify/files"
)

// Formats of reports.
const (
	ReportFormat = "tacet.report/v2"
	JointFormat  = "tacet.joint/v2"
	PublicFormat = "tacet.public-report/v2"
)

// A Report is report.json, joint.json or public/report.json as docs/files.md and
// their schemas describe them.
type Report struct {
	Node
	Command string       // "apply" where a run followed a plan, too
	Series  *SeriesClaim // what it says of the series; nil without one
}

// ReadReport reads a report.
func ReadReport(data []byte, path string) (*Report, error) {
	bad := func(what string) error {
		return Errorf("it was cut short, changed, or written by another version", "%s %s", path, what)
	}
	format, what := Members(data)
	if !slices.Contains([]string{ReportFormat, JointFormat, PublicFormat}, format) {
		what = cmp.Or(what, "is not of format "+ReportFormat)
	}
	if what != "" {
		return nil, bad(what)
	}
	r := &Report{}
	var ok bool
	if r.Node, ok = parse(data); !ok {
		return nil, bad("is not a JSON document")
	}
	if r.Command = r.Text("command"); r.Text("pinned.state") == "followed" && r.Command == "run" {
		r.Command = "apply"
	}
	if r.Has("history.series") {
		r.Series = &SeriesClaim{}
		if !r.Into("history.series", r.Series) {
			return nil, bad("has a member of another type")
		}
	}
	return r, nil
}

// ReadTree reads a document of some format whose members have plain names.
func ReadTree(data []byte, path, format string) (n Node, err error) {
	named, what := Members(data)
	if named != format {
		what = cmp.Or(what, "is not of format "+format)
	}
	n, ok := parse(data)
	if !ok {
		what = cmp.Or(what, "is not a JSON document")
	}
	if what != "" {
		return n, Errorf("it was cut short, changed, or written by another version", "%s %s", path, what)
	}
	return n, nil
}

// Empty reports that nothing was read.
func (r *Report) Empty() bool { return !r.there }

// Dialect is how the report says that its CSV files are written; the zero value where
// it states none.
func (r *Report) Dialect() (d files.Dialect) {
	if comma := r.Text("output.dialect.delimiter"); len(comma) == 1 {
		d = files.Dialect{Comma: comma[0], Header: r.Bool("output.dialect.header")}
	}
	return d
}

// Shuffled reports whether the rows of the output stand in a random order.
func (r *Report) Shuffled() bool { return r.Text("output.order") == "random" }

// Option is the effective value of a flag, "" where it is not recorded.
func (r *Report) Option(name string) string {
	value, _ := r.Recorded(name)
	return value
}

// Recorded is the effective value of a flag, and whether there is one.
func (r *Report) Recorded(name string) (value string, ok bool) {
	for _, o := range r.List("options") {
		if o.Text("name") == name {
			return o.Text("value"), true
		}
	}
	return "", false
}

// Given is the column of the strata with its function, "" without strata.
func (r *Report) Given() string { return call(r.Text("strata.function"), r.Text("strata.column")) }

// call is a column, or a function of it.
func call(function, column string) string {
	if function == "" {
		return column
	}
	return function + "(" + column + ")"
}

// Fate lists the columns that became that.
func (r *Report) Fate(fate string) []string {
	var names []string
	for _, c := range r.List("columns") {
		if c.Text("fate") == fate {
			names = append(names, c.Text("name"))
		}
	}
	return names
}

// Promised is the epsilon that was asked for, before one for all columns
// together lowered it.
func (r *Report) Promised() string { return cmp.Or(r.Text("epsilon.asked"), r.Text("epsilon.target")) }

// Written reports whether a place is what a value would be written as: with all
// of its members and no others.
func Written(n Node, as any) bool {
	a, err := json.Marshal(n.value)
	b, err2 := json.Marshal(NodeOf(as).value)
	return err == nil && err2 == nil && string(a) == string(b)
}
