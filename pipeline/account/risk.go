package account

import (
	"fmt"
	"math"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/claim"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// risks say what claims mean for a guess about one record: rows of the table of risks, by
// the claim's key. Those of public claims hold no chance of a guess.
var risks = map[string]func(*report.Report, claim.Value) *claim.Risk{
	"leakage":            cellPromised,
	"leakage.reached":    cellReached,
	"leakage.overall":    cellReached,
	"leakage.together":   stratumSeen,
	"leakage.stratum":    stratumSeen,
	"leakage.population": populationKnown,
	"leakage.held":       heldSeen,
	"unchanged.reached":  unchangedSeen,
	"joint":              jointSeen,
	"joint.reached":      jointSeen,
	"joint.presence":     jointSeen,
	"joint.unaware":      jointSeen,
	"presence.null":      nullSeen,
	"neighbours":         columnSeen,
	"cumulative":         releasesSeen,
	"confirmed":          confirmedSeen,
}

// bounded is a risk with the figure of a claim, nil where it has none or tells nothing.
func bounded(v claim.Value, sees, promised, do string) *claim.Risk {
	if v.Figure == nil {
		return nil
	}
	f := v.Figure
	times := max(f.Times, f.Least)
	if f.Factor != "" {
		times = mechanism.FloatUp(fraction(f.Factor))
	} else if times == 0 {
		times = math.Nextafter(math.Exp(f.Nats), math.Inf(1))
	}
	if !(times > 1) {
		return nil // nothing is told
	}
	return &claim.Risk{Sees: sees, Times: min(times, math.MaxFloat64), Least: f.Least > 0, Promised: promised, Do: do}
}

// cell is one published cell, and what else its observer knows of the record.
func cell(v claim.Value) string {
	switch given := claim.Brisk(v.Given); v.Observer {
	case claim.KnowsStratum:
		return "one published cell, and knows " + given
	case claim.MissesStratum:
		return "one published cell, and does not know " + given
	}
	return "one published cell"
}

const (
	accept = "accept it; a smaller --epsilon lowers it"
	yes    = "yes"
	no     = "no"
)

// cellPromised is for everybody, who can change nothing.
func cellPromised(_ *report.Report, v claim.Value) *claim.Risk {
	return bounded(v, cell(v), yes, "it is what was asked for")
}

// cellReached has the chances of the worst case of those who know what they know.
func cellReached(r *report.Report, v claim.Value) *claim.Risk {
	promised, s := yes, r.Story
	if v.Standing == claim.Told {
		promised = no
	}
	if r.Strata != nil && v.Observer == claim.MissesStratum && !allMerged(r.Strata) {
		s = nil // which is of who knows the stratum
	}
	do := accept
	if n := r.Scale.Uncapped; n != nil && *n > 0 {
		do = fmt.Sprintf("accept it, though epsilon lets an output confirm %d of %d values; a smaller one lowers it", *n,
			r.Letters)
	}
	risk := bounded(v, cell(v), promised, do)
	if risk != nil && s != nil && v.Figure.Factor == s.Factor {
		risk.Before, risk.After = s.Before, min(1, s.After)
	}
	return risk
}

// confirmedSeen is about values that some output confirms.
func confirmedSeen(r *report.Report, v claim.Value) *claim.Risk {
	least, n := 0.0, 0
	for _, c := range r.Caps {
		if c.Certain {
			least, n = c.Share, n+1
		}
	}
	if v.Figure == nil || n == 0 || r.Certainty.Same() {
		return nil
	}
	out := &claim.Risk{Sees: fmt.Sprintf("an output that only one value gives (%d of %d values have one)", n, r.Letters),
		Before: least, After: 1, Promised: yes, Times: mechanism.FloatUp(fraction(r.Epsilon.Factor)),
		Do: fmt.Sprintf("accept that epsilon allows it; below %g it could confirm no value",
			math.Floor(r.Scale.Commonest*1e4)/1e4)}
	if r.Strata == nil {
		out.Times = min(out.Times, 1/least)
	}
	return out
}

func unchangedSeen(_ *report.Report, _ claim.Value) *claim.Risk {
	return &claim.Risk{Sees: "one published cell, as values are unchanged up to their names", After: 1, Promised: no,
		Do: "do not release, or accept that values are published"}
}

// stratumSeen is about the column of the strata, where it is published.
func stratumSeen(r *report.Report, v claim.Value) *claim.Risk {
	sees := claim.Brisk(v.Given)
	if v.Observer == claim.LearnsStratum {
		sees += " and the published cell"
	}
	return bounded(v, sees, no, "drop "+claim.Brisk(claim.Quoted(r.Strata.Column))+" or accept it; no epsilon lowers "+
		"what it tells alone")
}

func populationKnown(_ *report.Report, v claim.Value) *claim.Risk {
	return bounded(v, cell(v)+", and knows the distribution that the records come from", "with probability 1 - "+v.Asked,
		"accept it; more records bring it nearer to the promise")
}

func heldSeen(_ *report.Report, v claim.Value) *claim.Risk {
	return bounded(v, "a cell that shows an earlier draw", yes, "accept it: it was promised when it was drawn")
}

// jointSeen is about all private columns together.
func jointSeen(r *report.Report, v claim.Value) *claim.Risk {
	sees := "the published cells of " + listed(v.Names)
	switch v.Observer {
	case claim.SeesPresence:
		sees += ", and which of them are null"
	case claim.LearnsStratum:
		sees += ", and does not know " + claim.Brisk(v.Given)
	}
	promised, do := yes, "accept it; a smaller --joint-epsilon lowers it"
	if v.Standing == claim.Told || r.Joint.Target == "" {
		promised, do = no, "limit it with --joint-epsilon, or accept it"
	}
	switch v.Standing { // those for everybody, who can change nothing
	case claim.Nothing:
		return &claim.Risk{Sees: sees, After: 1, Promised: no, Do: "take it that all of them together tell the true values"}
	case claim.Promised:
		do = "it is what was asked for"
	}
	risk := bounded(v, sees, promised, do)
	if w := r.Joint.Worst; risk != nil && v.Standing == claim.Reached && w != nil && len(w.Guesses) > 0 &&
		w.Guesses[0].Factor == v.Figure.Factor {
		risk.Before, risk.After = w.Guesses[0].Before, min(1, w.Guesses[0].After)
	}
	return risk
}

func nullSeen(_ *report.Report, v claim.Value) *claim.Risk {
	return bounded(v, "that the cell is null", no, "accept it, or redraw nulls with --null draw")
}

// columnSeen is about the other column that tells most, and names those that tell more than
// a cell may.
func columnSeen(r *report.Report, v claim.Value) *claim.Risk {
	l := r.Beside.Largest
	if l == nil {
		return nil
	}
	risk := bounded(v, l.With(), no, "drop "+claim.Brisk(listed(telling(r)))+" or accept it")
	if risk == nil {
		return nil
	}
	risk.After, risk.Before = l.Chance, l.Chance/l.Factor
	for _, c := range r.Caps {
		if c.Label == l.Guess {
			risk.Before = c.Share
		}
	}
	return risk
}

// telling are the columns that make a value likelier than the promise lets a cell make it;
// the one that does so most where none does.
func telling(r *report.Report) []string {
	var names []string
	for _, c := range r.Beside.Columns {
		if c.Lift != nil && c.Lift.Factor > r.Most {
			names = append(names, c.Names...)
		}
	}
	if names == nil {
		return r.Beside.Largest.Names
	}
	return names
}

func releasesSeen(r *report.Report, v claim.Value) *claim.Risk {
	promised, do := no, "accept it, or limit it with --total-epsilon"
	if r.History.Series.Budget != "" {
		promised, do = yes, "accept it; a smaller --total-epsilon lowers it"
	}
	return bounded(v, "all releases of one record", promised, do)
}

// listed joins the names of columns.
func listed(names []string) string {
	var out []string
	for _, n := range names {
		out = append(out, claim.Brisk(claim.Quoted(n)))
	}
	return report.And(out)
}
