package account

import (
	"fmt"

	"github.com/tacet-privacy/tacet/pipeline/figure"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// openGap is the utility gap above which a report says so.
const openGap = 1e-6

// warnings are what a reader must not overlook.
func warnings(r *report.Report) []string {
	out := []string{}
	warn := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if r.Stamp != "" {
		warn("the draws came from a test seed: whoever knows the seed can undo them")
	}
	switch {
	case r.Records == 0:
		warn("there are no records under the promise; epsilon 0 means nothing")
	case r.Prior.Max == 1:
		warn("all records hold one value: epsilon 0 means nothing beyond the file's histogram; the output may show the value itself")
	}
	if b := r.Binding; b != nil && r.Epsilon.Nats > 0 && b.Records < smallSet && r.Prior.Of != "declared prior" {
		warn("epsilon is decided by a set of only %d records (%d letters that may give output %s)", b.Records, b.Letters, b.Output)
	}
	if r.Design.Stopped {
		warn("time, not proof, ended the search for the design: a longer --solve-time may find a better one")
	}
	if r.Design.UtilityGap > openGap {
		warn("the utility is not proven to be the largest: up to %.2g of the range of utilities may be left; close to the least epsilon of a floor the search is ill-conditioned, and a slightly larger epsilon closes it", r.Design.UtilityGap)
	}
	if r.Scale.Uncapped > 0 {
		warn("%d of %d letters, held by %.1f %% of records, are frequent enough that one output may confirm them with certainty", r.Scale.Uncapped, r.Letters, 100*r.Scale.UncappedRow)
	}
	clear := 0
	for _, c := range r.Columns {
		if c.Fate == "published in clear" {
			clear++
		}
	}
	if clear > 0 && r.Beside.State != Measured {
		warn("%s published beside it and not judged: what they tell about it is not in epsilon", figure.Several(clear, "column is", "columns are"))
	}
	for _, f := range r.Beside.Found {
		warn("%s", f.What)
	}
	if r.Nulls != nil && r.Nulls.Rule == "public" {
		warn("%s as they are: epsilon is conditional on presence, and a null reveals itself (%.4g nats)", figure.Several(r.Nulls.Count, "null stays", "nulls stay"), r.Nulls.Nats)
	}
	if r.Order.Ties > 0 {
		warn("%s ties; the lower letter ranks lower", figure.Several(r.Order.Ties, "row of the order has", "rows of the order have"))
	}
	if r.Order.Extra > 0 {
		warn("%s", figure.Several(r.Order.Extra, "letter of the order was ignored: it does not occur", "letters of the order were ignored: they do not occur"))
	}
	if r.Prior.Unseen > 0 {
		warn("%s no record: such a letter keeps the floor but is outside epsilon", figure.Several(r.Prior.Unseen, "declared letter has", "declared letters have"))
	}
	return out
}

// States of what the report says of the columns beside the private one.
const (
	Measured = "measured"
	NotAsked = "off"
	Nothing  = "nothing is published beside it"
)
