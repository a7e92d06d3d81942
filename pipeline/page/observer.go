package page

import (
	"fmt"
	"math"

	"github.com/tacet-privacy/tacet/pipeline/report"
)

// gained is by what a story's guess became likelier.
func gained(t *report.Story) string {
	return times(t.Factor, math.Nextafter(math.Log(t.After/t.Before), math.Inf(1)))
}

// A reading is what one observer can come to believe.
type reading struct {
	short string // before a field, "" where there is one observer
	whom  string // "knows how common each value is"
	who   string // of a table, "" where there is one observer
	strata,
	mean string // where values, and the best guess, are of several strata
	report.Beliefs
}

// readings are those of every observer who is told apart: without strata one,
// else who knows the stratum of a record, and who does not. There is none where
// nothing was computed.
func readings(r *report.Report) []reading {
	if r.Guess == nil {
		return nil
	}
	one := reading{whom: "knows only how common each value is" + among(r.Whose()), Beliefs: report.Beliefs{Guess: r.Guess,
		Scale: r.Scale, Caps: r.Caps, Story: r.Story}}
	s := r.Strata
	if s == nil {
		return []reading{one}
	}
	given := brisk(s.Given())
	out := []reading{one}
	out[0].short, out[0].who = "knows "+given, "for whoever knows "+given+" of the record"
	out[0].whom = fmt.Sprintf("knows %s of the record and how common each value is among the records that share it%s",
		given, yes(s.Merged > 1, ", or one of the merged strata", ""))
	out[0].strata, out[0].mean = ", in the stratum where it is largest", ", a mean over strata,"
	if s.Unaware != nil && s.Unaware.Guess != nil {
		out = append(out, reading{short: "does not know " + given, who: "for whoever does not know " + given +
			" of the record",
			whom: fmt.Sprintf("knows how common each value is, and not %s of the record", given), Beliefs: *s.Unaware})
	}
	return out
}

// field puts the observer before the name of a figure.
func (o reading) field(head string) string {
	if o.short == "" {
		return head
	}
	return o.short + ": " + head
}

// notBelieved says why there are no beliefs.
func notBelieved(r *report.Report) string {
	if r.Records == 0 {
		return "There are no records."
	}
	return "Not computed: there are too many values and strata, or the plan has no records."
}
