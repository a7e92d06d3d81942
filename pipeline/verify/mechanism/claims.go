package mechanism

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
)

// A stance is what a claim must say beside its words: dimensions and figure.
type stance struct {
	standing, bounds, observer, relative, records string
	figure                                        *document.ClaimFigure
}

// CheckClaims holds every claim to the figures of the report, which the other
// checks recompute.
func CheckClaims(v *document.View) {
	const name = "claims"
	r := v.Report
	var w document.Faults
	want, plain := stances(r), plainFigures(r)
	seen := map[string]bool{}
	for _, c := range r.Claims {
		s, ok := want[c.Key]
		f, figure := plain[c.Key]
		switch {
		case seen[c.Key]:
			w.Addf("the claim %q is there twice", c.Key)
		case figure:
			checkPlain(&w, c, f)
			checkShelf(&w, c, r.Column, r.Epsilon.Promised())
		case !ok:
			w.Addf("the claim %q does not belong into this report", c.Key)
		default:
			checkClaim(&w, c, s)
			asked := r.Epsilon.Promised()
			if r.Population != nil && c.Key == "leakage.population" {
				asked = r.Population.Delta
			}
			checkShelf(&w, c, r.Column, asked)
		}
		if o := r.Other; o != nil && (c.Key == "floor" || c.Key == "floor.reached") && r.Floor.Of > 0 &&
			(c.Given != o.Label || !strings.Contains(c.Words, "counts as")) {
			w.Addf("the claim %q does not say how values without a row of the order are judged", c.Key)
		}
		seen[c.Key] = true
	}
	missing := func(key string) {
		if !seen[key] {
			w.Addf("the claim %q is missing", key)
		}
	}
	for key := range want {
		missing(key)
	}
	for key := range plain {
		missing(key)
	}
	checkChosen(&w, r.Claims, chosenOf(r))
	slices.Sort(w)
	v.Settle(name, w, "%d sentences say of whom, relative to what and of which records, with the figures of the report",
		len(r.Claims))
}

// chosenOf is what the sentence on choices must name: each figure of the report
// that was chosen from the data.
func chosenOf(r *document.Report) (parts []string) {
	if r.Floor.Of > 0 && r.Floor.Asked == "best" {
		parts = append(parts, fmt.Sprintf("rank %d of %d", r.Floor.Rank, r.Floor.Of))
	}
	if r.Other != nil {
		parts = append(parts, "treated as ")
	}
	if r.Strata != nil && !r.Strata.Shown {
		parts = append(parts, "strata of ")
	}
	if r.Joint != nil && r.Joint.Target != "" {
		parts = append(parts, "lowered")
	}
	return parts
}

// checkChosen holds the sentence on choices to what it must name, and to name
// nothing else.
func checkChosen(w *document.Faults, claims []document.Claim, parts []string) {
	for _, c := range claims {
		if c.Key != "chosen" {
			continue
		}
		if len(c.Names) != len(parts) {
			w.Addf("other figures are said to be chosen from the data than the report has")
			return
		}
		for i, part := range parts {
			if !strings.Contains(c.Names[i], part) || !strings.Contains(c.Words, c.Names[i]) {
				w.Addf("the sentence on choices does not name what was chosen from the data")
			}
		}
		if !strings.Contains(c.Words, "depend on the data, too") {
			w.Addf("the sentence on choices does not name those made after a look at the data")
		}
	}
}

// shelves are where claims stand in a report, and under which head, by key.
var shelves = map[string][2]string{
	"epsilon.lowered": {"lead", "lowered"}, "changed": {"utility", "changed"},
	"confirmable": {"caps", "may be confirmed"},
	"leakage":     {"lead", "promised"}, "leakage.file": {"lead", "this file"}, "leakage.unaware": {"lead", "promised"},
	"leakage.reached": {"lead", "reached"}, "leakage.own": {"lead", "this file reached"},
	"leakage.overall":  {"lead", "reached"},
	"leakage.together": {"lead", "told"}, "leakage.stratum": {"lead", "told"}, "leakage.population": {"lead",
		"population"},
	"leakage.file.unaware": {"lead", "this file"}, "leakage.own.overall": {"lead", "this file reached"},
	"leakage.earlier": {"lead", "earlier draws"}, "leakage.held": {"lead", "held"},
	"leakage.repeated":   {"lead", "repeated"},
	"leakage.suppressed": {"lead", "suppressed"}, "floor": {"lead", "floor"}, "floor.reached": {"lead", "floor reached"},
	"floor.earlier": {"lead", "no floor"}, "floor.held": {"lead", "held, worst"},
	"floor.repeated":   {"lead", "repeated, worst"},
	"floor.suppressed": {"lead", "suppressed, worst"}, "joint": {"joint", "columns together"},
	"joint.reached":  {"joint", "together"},
	"joint.presence": {"joint", "with nulls"}, "presence": {"lead", "nulls"}, "unchanged": {"lead", "unchanged"},
	"unchanged.reached": {"lead", "unchanged"}, "presence.null": {"lead", "a null"}, "presence.value": {"lead", "a value"},
	"merged": {"lead", "rare values"}, "neighbours": {"lead", "others"}, "cumulative": {"lead", "all releases"},
	"cumulative.changes": {"lead", "changes"}, "limits": {"lead", "limits"}, "confirmed": {"verdict", "made certain"},
	"kept": {"verdict", "kept"}, "chosen": {"verdict", "chosen from the data"},
}

// checkShelf holds a claim to its place, to whom it is shown, and to the column
// and the epsilon that it names.
func checkShelf(w *document.Faults, c document.Claim, column, asked string) {
	shelf, known := shelves[c.Key]
	if !known || shelf != [2]string{c.Section, c.Head} || c.Public != slices.Contains(publicClaims, c.Key) {
		w.Addf("the claim %q stands elsewhere, or is for others, than such a claim", c.Key)
	}
	if c.Column != "" && c.Column != column || (c.Bounds == "leakage" || c.Bounds == "change") && c.Asked != "" &&
		c.Asked != asked {
		w.Addf("the claim %q is of another column or epsilon than the report", c.Key)
	}
}

// A plain is a figure about which nothing is claimed: its number and its words.
type plain struct {
	figure *document.ClaimFigure
	words  string
}

// plainFigures are those of a report, by key.
func plainFigures(r *document.Report) map[string]plain {
	out := map[string]plain{}
	if r.Target >= 1 {
		share := 1 / r.Target
		if q := new(big.Rat).SetFloat64(r.Target); new(big.Rat).SetFloat64(share).Cmp(q.Inv(q)) > 0 {
			share = math.Nextafter(share, 0)
		}
		whose := "records"
		if r.Domain.Null == "public" {
			whose = "records that have a value"
		}
		unit := math.Pow10(int(math.Floor(math.Log10(100*share))) - 2)
		out["confirmable"] = plain{&document.ClaimFigure{Share: share}, fmt.Sprintf("a value that %s in 100 %s hold, or more",
			strconv.FormatFloat(math.Floor(100*share/unit)*unit, 'g', 3, 64), whose)}
	}
	moved, outputs, allowed := r.Records-r.Utility.Unchanged, "1 output", strconv.Itoa(r.Floor.Least)
	if len(r.Outputs) != 1 {
		outputs = fmt.Sprintf("%d outputs", len(r.Outputs))
	}
	if r.Floor.Most > r.Floor.Least {
		allowed = fmt.Sprintf("%d to %d", r.Floor.Least, r.Floor.Most)
	}
	out["changed"] = plain{&document.ClaimFigure{Count: moved, Exact: true}, fmt.Sprintf(
		"%d of %d records; %s, %s per record", moved, r.Records, outputs, allowed)}
	if r.Epsilon.Asked != "" {
		out["epsilon.lowered"] = plain{nil, fmt.Sprintf("Epsilon %s was promised for this column. It was lowered to %s, so "+
			"that all columns together keep the epsilon that was asked for them.", r.Epsilon.Asked, r.Epsilon.Target)}
	}
	return out
}

// checkPlain compares one of them with what it must be.
func checkPlain(w *document.Faults, c document.Claim, want plain) {
	if c.Standing+c.Bounds+c.Observer+c.Relative+c.Records != "" {
		w.Addf("the figure %q claims something", c.Key)
	}
	if (c.Figure == nil) != (want.figure == nil) || c.Figure != nil && *c.Figure != *want.figure || c.Words != want.words {
		w.Addf("the figure %q is not that of the report", c.Key)
	}
}

// checkClaim compares one claim with what it must say.
func checkClaim(w *document.Faults, c document.Claim, s stance) {
	if c.Standing != s.standing || c.Bounds != s.bounds || c.Observer != s.observer || c.Relative != s.relative ||
		c.Records != s.records {
		w.Addf("the claim %q is of another observer, prior or set of records than the report says", c.Key)
	}
	switch {
	case (c.Figure == nil) != (s.figure == nil):
		w.Addf("the claim %q has a figure where the report has none, or none where it has one", c.Key)
	case s.figure == nil:
	case *c.Figure != *s.figure:
		w.Addf("the figure of the claim %q is not that of the report", c.Key)
	case s.figure.Factor == "1" && (strings.Contains(c.Words, "tells nothing") ||
		strings.Contains(c.Words, "tell nothing")):
	case !strings.Contains(c.Words, saidOf(*s.figure)) || c.Key == "leakage.reached" && s.figure.Factor == "1":
		w.Addf("the words of the claim %q do not say its figure", c.Key)
	}
}

// saidOf is what the words of a claim must hold, whatever case they begin with:
// its factor rounded up to four decimals, its rank, or its records.
func saidOf(f document.ClaimFigure) string {
	switch {
	case f.Rank > 0:
		return fmt.Sprintf("rank %d of %d", f.Rank, f.Of)
	case f.Factor != "":
		q, ok := exact.Fraction(f.Factor)
		if !ok {
			return "\x00"
		}
		return "t most " + fourUp(q) + " times"
	case f.Times > 0:
		q := new(big.Rat).SetFloat64(f.Times)
		if q == nil {
			return "\x00"
		}
		return "t most " + strconv.FormatFloat(max(math.Ceil(f.Times*1e4)/1e4, f.Times), 'f', -1, 64) + " times"
	case f.Share > 0 && f.Share < 1:
		return hundredUp(f.Share) + " in 100 of"
	case f.Least > 0:
		return "at least " + threeDown(f.Least)
	case f.Count > 0:
		return strconv.FormatInt(f.Count, 10)
	}
	return ""
}

// threeDown is a factor rounded down to three digits, whole from 100 on.
func threeDown(f float64) string {
	unit := 1.0
	for unit > .01 && f/unit < 100 {
		unit /= 10
	}
	return strconv.FormatFloat(math.Floor(f/unit+1e-9)*unit, 'g', 4, 64)
}

// fourUp is a fraction rounded up to four decimals, without zeros at its end.
func fourUp(q *big.Rat) string {
	n := new(big.Int).Mul(q.Num(), big.NewInt(10000))
	n, rest := n.DivMod(n, q.Denom(), new(big.Int))
	if rest.Sign() > 0 {
		n.Add(n, big.NewInt(1))
	}
	s := new(big.Rat).SetFrac(n, big.NewInt(10000)).FloatString(4)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// hundredUp is a share in 100, rounded up to three digits.
func hundredUp(share float64) string {
	digits := 2 - int(math.Floor(math.Log10(100*share)))
	scale := math.Pow10(digits)
	return strconv.FormatFloat(min(100, math.Ceil(100*share*scale*(1-1e-12))/scale), 'g', 3, 64)
}

// stances are what the claims of a report must say, by key.
func stances(r *document.Report) map[string]stance {
	records := "all"
	if r.Nulls != nil && r.Nulls.Rule == "public" {
		records = "with a value"
	}
	presence := records != "all"
	if r.Prior.Part != nil {
		records = "whole data"
	}
	prior := map[string]string{"declared prior": "declared", "this file, smoothed": "smoothed",
		"the plan": "data of the plan"}[r.Prior.Of]
	if prior == "" {
		prior = "this file"
	}
	observer := "cell"
	if r.Strata != nil {
		observer = "cell, given stratum"
		if len(r.Strata.Groups) == 1 && r.Strata.Merged > 1 {
			observer = "cell, no stratum"
		}
		if r.Prior.Of != "declared prior" && r.Prior.Of != "this file, smoothed" {
			prior = ofRecords(observer, "this file")
		}
	}
	drawn := records
	if earlierAsked(r) {
		drawn = map[string]string{"all": "drawn tonight"}[records]
		if drawn == "" {
			drawn = "drawn tonight, with a value"
		}
	}
	out := map[string]stance{}
	var target *document.ClaimFigure
	if r.Floor.Of > 0 {
		target = &document.ClaimFigure{Times: r.Target}
		reached := stance{"reached", "leakage", observer, prior, drawn, factorFigure(r.Epsilon.Factor, r.Epsilon.Nats, true)}
		if r.NoneDrawn() {
			reached.figure = nil
		}
		out["leakage.reached"] = reached
	}
	earlierStances(out, r)
	out["leakage"] = stance{"promised", "leakage", observer, prior, drawn, target}
	told, file := "told", "this file"
	if r.Prior.Part != nil {
		file = "data of the plan"
	}
	file = ofRecords(observer, file)
	if another := prior == "declared" || prior == "smoothed"; r.Prior.Only {
		out["leakage.file"] = stance{"nothing", "leakage", observer, file, drawn, nil}
	} else if another && r.Floor.Of > 0 {
		out["leakage.file"], told = stance{"promised", "leakage", observer, file, drawn, target}, "reached"
	}
	if r.Prior.Own != "" {
		own := factorFigure(r.Prior.Own, r.Prior.OwnNats, true)
		if s := r.Strata; s != nil && s.Own != nil && observer != "cell, no stratum" {
			own = factorFigure(s.Own.Known, s.Own.KnownNats, s.Merged < 2)
		}
		out["leakage.own"] = stance{told, "leakage", observer, file, drawn, own}
	}
	if r.Strata != nil {
		strataStances(r, out, observer, drawn, target)
	}
	if b := r.Population; b != nil {
		var f *document.ClaimFigure
		if b.Bounded {
			f = &document.ClaimFigure{Nats: b.Nats, Times: math.Nextafter(math.Exp(b.Nats), math.Inf(1))}
		}
		out["leakage.population"] = stance{"reached", "leakage", observer, "population", drawn, f}
	}
	floor := stance{"promised", "floor", "anyone", "no prior", drawn, nil}
	reached := floor
	reached.standing, reached.figure = "reached", &document.ClaimFigure{Rank: r.Floor.Rank, Of: r.Floor.Of, Exact: true}
	switch {
	case r.Floor.Of > 0 && r.Floor.Asked == "best":
		floor.figure = reached.figure
	case r.Floor.Of > 0:
		if r.NoneDrawn() {
			reached.figure = nil
		}
		out["floor.reached"] = reached
	}
	out["floor"] = floor
	if j := r.Joint; j != nil {
		whose := "all"
		if j.Shown != nil {
			whose = "with a value"
			out["joint.presence"] = stance{"told", "joint", "presence", "combinations", "all",
				factorFigure(j.Shown.Factor, j.Shown.Nats, j.Shown.Exact)}
		}
		asked := stance{"nothing", "joint", "cells", "combinations", whose, nil}
		if j.Target != "" {
			asked.standing, asked.figure = "promised", &document.ClaimFigure{Times: j.Most}
		}
		out["joint"] = asked
		out["joint.reached"] = stance{"reached", "joint", "cells", "combinations", whose, factorFigure(j.Factor, j.Nats,
			j.Exact)}
	}
	if presence {
		out["presence"] = stance{"told", "leakage", "presence", "this file", "null", nil}
		null, value := stance{"told", "leakage", "presence", "this file", "null", nil}, stance{"told", "leakage", "presence",
			"this file", "with a value", nil}
		if r.Nulls.Factor != "" {
			null.figure = factorFigure(r.Nulls.Factor, r.Nulls.Nats, true)
		}
		if r.Nulls.Present != "" {
			value.figure = factorFigure(r.Nulls.Present, r.Nulls.Valued, true)
		}
		if out["presence.null"] = null; r.Nulls.Factor == "" || r.Nulls.Present != "" {
			out["presence.value"] = value
		}
	}
	if r.Other != nil {
		out["merged"] = stance{"told", "floor", "anyone", "no prior", records, nil}
	}
	if c := r.Certainty; c != nil {
		own := prior
		if own == "declared" || own == "smoothed" {
			own = ofRecords(observer, "this file")
		}
		change := func(share *float64) stance {
			s := stance{"told", "change", observer, own, drawn, nil}
			if share != nil {
				s.figure = &document.ClaimFigure{Share: *share}
			}
			return s
		}
		out["confirmed"], out["kept"] = change(c.Confirmed), change(c.Kept)
		if all := 1.0; c.Unchanged != nil && *c.Unchanged {
			out["unchanged.reached"] = change(&all)
		}
		if c.Allowed {
			out["unchanged"] = stance{"nothing", "change", "cell", "no prior", records, nil}
		}
	}
	beside := stance{"told", "neighbours", "cell and column", "this file", records, nil}
	if l := r.Conditional.Largest; l != nil {
		beside.figure = &document.ClaimFigure{Least: l.Factor}
	}
	out["neighbours"] = beside
	if s := r.History.Series; s != nil {
		var f *document.ClaimFigure
		if s.Cumulative.Factor != "" {
			f = factorFigure(s.Cumulative.Factor, s.Cumulative.Nats, s.Cumulative.Label == "exact")
		}
		if s.OnChange != "hold" {
			out["cumulative.changes"] = stance{"nothing", "cumulative", "changes", "no prior", records, nil}
		}
		out["cumulative"] = stance{"reached", "cumulative", "releases", "first plan", records, f}
	}
	out["limits"] = stance{"nothing", "leakage", "cell and column", "no prior", records, nil}
	out["chosen"] = stance{"told", "choice", "anyone", "no prior", records, nil}
	return out
}

// ofRecords is what a claim of an observer is relative to where it is no other prior.
func ofRecords(observer, file string) string {
	if observer == "cell, given stratum" {
		return "own stratum"
	}
	return file
}

// strataStances are what the claims to observers of strata must say.
func strataStances(r *document.Report, out map[string]stance, observer, records string, target *document.ClaimFigure) {
	s := r.Strata
	now := &s.ObservedClaim
	told := func(observer, factor string, nats float64) stance {
		return stance{"told", "leakage", observer, "this file", records, factorFigure(factor, nats, true)}
	}
	if s.Shown {
		out["leakage.together"] = told("cell and stratum", now.Together, now.TogetherNats)
		out["leakage.stratum"] = told("stratum", now.Alone, now.AloneNats)
	}
	if observer == "cell, no stratum" {
		return
	}
	overall := told("cell, no stratum", now.Overall, now.OverallNats)
	if !s.Only {
		overall.standing = "reached"
	}
	file := "this file"
	if o := s.Own; o != nil {
		own := told("cell, no stratum", o.Overall, o.OverallNats)
		if !s.Only && !r.Prior.Only {
			own.standing = "reached"
		}
		overall.relative = map[string]string{"declared prior": "declared", "this file, smoothed": "smoothed"}[r.Prior.Of]
		if r.Prior.Part != nil {
			own.relative = "data of the plan"
		}
		file, out["leakage.own.overall"] = own.relative, own
	}
	out["leakage.overall"] = overall
	if target != nil {
		unaware := stance{"promised", "leakage", "cell, no stratum", overall.relative, records, target}
		if s.Own != nil && !s.Only && !r.Prior.Only {
			own := unaware
			own.relative = file
			out["leakage.file.unaware"] = own
		}
		if s.Only {
			unaware.standing, unaware.figure = "nothing", nil
		}
		out["leakage.unaware"] = unaware
		known := factorFigure(now.Known, now.KnownNats, s.Merged < 2)
		if s.Merged > 1 {
			most := new(big.Rat)
			for _, g := range s.Groups {
				if q, ok := exact.Fraction(g.Factor); ok && !g.Rest && q.Cmp(most) > 0 {
					most, known = q, factorFigure(g.Factor, g.Nats, true)
				}
			}
		}
		reached := out["leakage.reached"]
		reached.figure = known
		out["leakage.reached"] = reached
	}
}

func factorFigure(factor string, nats float64, exact bool) *document.ClaimFigure {
	return &document.ClaimFigure{Factor: factor, Nats: nats, Exact: exact}
}

// publicClaims are the keys that a public report may have.
var publicClaims = []string{"leakage", "leakage.file", "leakage.unaware", "leakage.file.unaware", "leakage.earlier",
	"floor", "floor.earlier", "cumulative.changes", "joint", "presence", "merged", "unchanged", "limits", "chosen",
	"confirmable"}

// CheckPublicClaims holds the claims of a public report to what it says of the
// epsilon asked for; nothing else in it can be recomputed.
func CheckPublicClaims(w *document.Faults, p *document.Public) {
	promised, choices := false, false
	for _, c := range p.Claims {
		if c.Key == "chosen" {
			choices = p.Floor.Rank == 0 || strings.Contains(c.Words, fmt.Sprintf("rank %d of %d", p.Floor.Rank, p.Floor.Of))
		}
		if !c.Public || !slices.Contains(publicClaims, c.Key) {
			w.Addf("the claim %q is not for everybody", c.Key)
		}
		if c.Figure != nil && (c.Figure.Factor != "" || c.Figure.Nats != 0) {
			w.Addf("the claim %q has a factor that was reached", c.Key)
		}
		if f := c.Figure; f != nil && c.Key == "floor" && (f.Rank != p.Floor.Rank || f.Of != p.Floor.Of) {
			w.Addf("the floor that is promised is another than that of the report")
		}
		if !strings.HasPrefix(c.Key, "leakage") {
			continue
		}
		promised = promised || c.Key == "leakage"
		if c.Figure != nil && (c.Figure.Times != p.Factor || !strings.Contains(c.Words, saidOf(*c.Figure))) {
			w.Addf("the promise is not that of the epsilon asked for")
		}
	}
	if !promised {
		w.Addf("the promise is missing")
	}
	if !choices {
		w.Addf("the floor was chosen from the data, and the report does not name it among such choices")
	}
}

// earlierAsked reports that rows may not be drawn tonight, by what was asked
// for.
func earlierAsked(r *document.Report) bool {
	s := r.History.Series
	return s != nil && s.Published != nil && (s.OverBudget == "suppress" || s.Night > 1 &&
		(s.OnChange == "hold" || s.OverBudget == "repeat"))
}

// earlierStances are what claims must say of rows that are not drawn tonight.
func earlierStances(out map[string]stance, r *document.Report) {
	if !earlierAsked(r) {
		return
	}
	p := r.History.Series.Published
	promise := stance{"promised", "leakage", "cell, value never changed", "first plan", "not drawn tonight",
		&document.ClaimFigure{Times: r.Target}}
	if p.KeepEarlier {
		promise.standing, promise.figure = "nothing", nil
	}
	out["leakage.earlier"] = promise
	out["floor.earlier"] = stance{"nothing", "floor", "anyone", "no prior", "not drawn tonight", nil}
	for name, s := range p.Classes() {
		if s == nil {
			continue
		}
		f := factorFigure(s.Factor, s.Nats, name == "held" && s.Factor != "")
		f.Count = s.Rows
		out["leakage."+name] = stance{"told", "leakage", "cell, value never changed", "first plan", name, f}
		if s.Rank > 0 {
			out["floor."+name] = stance{"told", "floor", "anyone", "no prior", name, &document.ClaimFigure{Rank: s.Rank,
				Of: r.Floor.Of, Count: s.Rows, Exact: true}}
		}
	}
}
