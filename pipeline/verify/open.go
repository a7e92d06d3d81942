package verify

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
)

// openMechanism is the name of the mechanism in the public folder.
const openMechanism = "mechanism.json"

// checkOpen holds the mechanism that everybody may see to the plan: it is the plan's, row
// by row, and the plan is one whose rows say nothing of the counts. A file that withholds
// the mechanism has nothing to check but that it holds no row.
func checkOpen(v *document.View, report string) error {
	const name = "public mechanism"
	path := filepath.Join(filepath.Dir(report), publicFolder, openMechanism)
	data, err := document.Read(path, "--report")
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil // the statement names it as not there
	case err != nil:
		return err
	}
	var o document.PublicMechanism
	if err := document.Decode(data, path, &o); err != nil {
		v.Add(name, false, "public/%s was changed, or is of another version", openMechanism)
		return nil
	}
	var w document.Faults
	w.Match(o.Column == v.Plan.Column && o.Null == v.Plan.Null, "the column and its nulls in public/"+openMechanism)
	limit := v.Plan.Shares
	w.Match(o.Limit == "" || limit != nil && o.Limit == limit.Limit, "the limit in public/"+openMechanism)
	if o.Withheld != "" {
		w.Match(o.Inputs == nil && o.Outputs == nil && o.Rows == nil, "what public/"+openMechanism+" withholds")
		if len(w) > 0 {
			v.Settle(name, w, "")
		}
		return nil
	}
	safe := v.Plan.Method.Kind == "safe" && v.Report.Option("design") == "safe" && v.Plan.Other == nil
	w.Match((safe || v.Blind() && v.Plan.Population == nil) && v.Plan.Given.Of == "" && v.Plan.Shares == nil,
		"that rows of public/"+openMechanism+" say nothing of the counts")
	w.Match(slices.Equal(o.Inputs, v.Plan.Inputs) && slices.Equal(o.Outputs, v.Plan.Outputs) &&
		len(o.Rows) == len(v.Rows), "the values in public/"+openMechanism)
	if len(w) == 0 {
		for x := range o.Rows {
			w.Match(sameRow(v, &o, x), "row "+strconv.Itoa(x+1)+" of public/"+openMechanism)
		}
	}
	v.Settle(name, w, "public/%s has the %d rows of the plan, which say nothing of the counts", openMechanism, len(o.Rows))
	return nil
}

// sameRow compares a row with that of the plan.
func sameRow(v *document.View, o *document.PublicMechanism, x int) bool {
	r, want := &o.Rows[x], v.Rows[x]
	if r.Input != v.Plan.Inputs[x] || r.Total != strconv.FormatInt(want.Total, 10) || len(r.Outputs) != len(want.Output) {
		return false
	}
	for i, y := range want.Output {
		if c := r.Outputs[i]; c.Label != v.Plan.Outputs[y] || c.Weight != strconv.FormatInt(want.Weight[i], 10) {
			return false
		}
	}
	return true
}
