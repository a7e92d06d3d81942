package report

import "io"

// WriteSummary writes what a run prints: the promise, what was reached, and
// the warnings.
func (r *Report) WriteSummary(w io.Writer) error {
	t := &text{}
	if r.Stamp != "" {
		t.line("*** %s ***", r.Stamp)
	}
	t.wrap("promised: ", r.promised())
	t.wrap("reached:  ", r.reached())
	t.line("changed:  %d of %d records; %d outputs, %s per record", r.Records-r.Utility.Unchanged, r.Records, len(r.Outputs), span(r.Floor.Least, r.Floor.Most))
	for _, warning := range r.Warnings {
		t.wrap("warning:  ", clean(warning))
	}
	_, err := io.WriteString(w, t.String())
	return err
}
