package figures

import (
	"math/big"

	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
	"github.com/tacet-privacy/tacet/pipeline/verify/pair"
	"github.com/tacet-privacy/tacet/pipeline/verify/subject"
	"github.com/tacet-privacy/tacet/pipeline/verify/verdict"
)

// CheckNulls recomputes what is said of nulls.
func CheckNulls(v *subject.View, f *pair.Files) {
	const name = "nulls"
	if v.Pairs == nil {
		v.Skip(name, "the records could not be counted")
		return
	}
	rule, n := v.Plan.Null, int64(0)
	switch last := len(v.Plan.Inputs) - 1; {
	case rule == "public" && f.In != nil:
		n = v.Pairs.InNulls
	case rule == "public" && !v.NullOutput():
		n = v.Pairs.OutNulls
	case rule == "public" || rule == "letter" && f.In == nil && v.Report.Prior.Of != "this file":
		v.Skip(name, "no input")
		return
	case rule == "letter" && last >= 0 && v.Plan.Inputs[last].Null:
		if n = v.Count[last]; f.In != nil {
			n = v.Pairs.In[last]
		}
	}
	c := v.Report.Nulls
	if c == nil {
		v.Add(name, n == 0, "%s", verdict.Either(n == 0, "there are none", "the report does not mention the nulls"))
		return
	}
	var w verdict.Faults
	rows := v.Pairs.Rows
	w.Match(c.Rule == rule && c.Count == n, "the number of nulls, or their rule,")
	w.Match(exact.Near(c.Share, float64(n)/float64(max(rows, 1)), 0), "their share")
	if rule == "public" && n > 0 && n <= rows {
		w.Match(exact.Nats(c.Nats, big.NewRat(rows, n)), "what a null tells")
	}
	v.Settle(name, w, "%d nulls, rule %s", n, rule)
}
