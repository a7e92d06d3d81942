package account

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/claim"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// priorClaimed is what the leakage of a report is relative to.
func priorClaimed(r *report.Report) claim.Prior {
	switch {
	case r.Strata != nil:
		return claim.OwnStratum
	case r.Prior.Of == "declared prior":
		return claim.Declared
	case r.Prior.Of == "this file, smoothed":
		return claim.Smoothed
	case r.Prior.Of == "the plan":
		return claim.PlanData
	}
	return claim.ThisFile
}

// leakageOf is a claim about the leakage of one cell.
func leakageOf(r *report.Report, standing claim.Standing) claim.Value {
	v := claim.Value{Standing: standing, Bounds: claim.Leakage, Observer: claim.SeesCell, Relative: priorClaimed(r),
		Records: drawnOf(r),
		Facts:   claim.Facts{Column: r.Column, Asked: r.Epsilon.Promised()}}
	if r.Strata != nil {
		knowing(r, &v)
	}
	switch v.Relative {
	case claim.Smoothed:
		v.Note = r.Prior.Smooth
	case claim.Declared:
		v.Note = r.Prior.File
	}
	return v
}

// recordsOf are the records under the promise.
func recordsOf(r *report.Report) claim.Records {
	if r.Prior.Part != nil {
		return claim.WholeData
	}
	if r.Nulls != nil && r.Nulls.Rule == "public" {
		return claim.Valued
	}
	return claim.All
}

func promised(r *report.Report) (claim.Value, bool) {
	v := leakageOf(r, claim.Promised)
	if r.Floor.Of > 0 {
		v.Figure = &claim.Figure{Times: r.Most}
	}
	return v, true
}

func reached(r *report.Report) (claim.Value, bool) {
	v := leakageOf(r, claim.Reached)
	switch {
	case noneDrawn(r):
		v.Note = noDraw
	case v.Observer == claim.KnowsStratum: // its note names the strata that are not told apart
		v.Figure = knownFigure(r)
	default:
		v.Figure = &claim.Figure{Factor: r.Epsilon.Factor, Nats: r.Epsilon.Nats, Exact: true}
		if c := r.Certainty; c != nil && c.Nothing != "" {
			v.Note = c.Nothing
		}
	}
	return v, r.Floor.Of > 0
}

// thisFileToo says whether the promise is relative to the frequencies of the
// file, too, where it is relative to another prior.
func thisFileToo(r *report.Report) (claim.Value, bool) {
	v := leakageOf(r, claim.Promised)
	another := v.Relative == claim.Declared || v.Relative == claim.Smoothed
	if v.Relative, v.Note = claim.ThisFile, ""; r.Prior.Part != nil {
		v.Relative = claim.PlanData
	}
	if r.Prior.Only {
		v.Standing = claim.Nothing
		return v, true
	}
	if r.Floor.Of > 0 {
		v.Figure = &claim.Figure{Times: r.Most}
	}
	return v, another && r.Floor.Of > 0
}

func ownFile(r *report.Report) (claim.Value, bool) {
	standing := claim.Told
	if _, promised := thisFileToo(r); promised && !r.Prior.Only {
		standing = claim.Reached
	}
	v := leakageOf(r, standing)
	v.Relative, v.Note = claim.ThisFile, ""
	if r.Prior.Part != nil {
		v.Relative = claim.PlanData
	}
	v.Figure = &claim.Figure{Factor: r.Prior.Own, Nats: r.Prior.OwnNats, Exact: true}
	return v, r.Prior.Own != "" && r.Strata == nil
}

func ofPopulation(r *report.Report) (claim.Value, bool) {
	b := r.Population
	if b == nil {
		return claim.Value{}, false
	}
	v := leakageOf(r, claim.Reached)
	v.Relative, v.Asked, v.Note = claim.Population, b.Delta, ruleWords(b.Rule)
	worst := worstStratum(r)
	switch {
	case b.Bounded:
		v.Figure = &claim.Figure{Nats: b.Nats, Times: math.Nextafter(math.Exp(b.Nats), math.Inf(1))}
		v.Note += worst
	case r.Strata != nil:
		v.Note = strings.TrimPrefix(worst, "; ")
	default:
		v.Note = fmt.Sprintf("%s over %s are too few for any bound", report.Several(b.Records, "record", "records"),
			report.Several(b.Letters, "value", "values"))
	}
	return v, true
}

// worstStratum says which of the strata decides the bound, "" without strata.
func worstStratum(r *report.Report) string {
	b, open, least := r.Population, 0, int64(math.MaxInt64)
	for _, s := range b.Strata {
		switch {
		case !s.Bounded:
			open++
			least = min(least, s.Records)
		case b.Bounded && s.Nats == b.Nats:
			return fmt.Sprintf("; the worst of %d strata has %s", len(b.Strata), report.Several(s.Records, "record", "records"))
		}
	}
	if open == 0 {
		return ""
	}
	return fmt.Sprintf("; %d of %d strata have too few records for any bound, the smallest %d", open, len(b.Strata), least)
}

func ruleWords(rule string) string {
	switch rule {
	case "sets":
		return "lower bounds of Clopper and Pearson for every set of values that may give an output"
	case "ball":
		return "the worst law within an l1 distance of the frequencies"
	case "letters":
		return "lower bounds of Clopper and Pearson for every value"
	case "split":
		return "this file's records, which the plan does not depend on"
	}
	return rule
}

// floorTold is the floor as everybody may read it: the one that was declared, or
// the one that was chosen.
func floorTold(r *report.Report) (claim.Value, bool) {
	v := floorOf(r, claim.Promised)
	if r.Floor.Of == 0 {
		return v, true
	}
	if r.Floor.Asked != "best" {
		v.Asked = r.Floor.Asked
		return v, true
	}
	return atFloor(r, v), true
}

// floorOf is a claim about the floor.
func floorOf(r *report.Report, standing claim.Standing) claim.Value {
	v := claim.Value{Standing: standing, Bounds: claim.Floor, Observer: claim.Anyone, Relative: claim.NoPrior,
		Records: drawnOf(r)}
	if r.Other != nil {
		v.Given = r.Other.Label
	}
	return v
}

func floorReached(r *report.Report) (claim.Value, bool) {
	v := floorOf(r, claim.Reached)
	if v.Note = noDraw; !noneDrawn(r) {
		v = atFloor(r, v)
	}
	return v, r.Floor.Of > 0 && r.Floor.Asked != "best"
}

func atFloor(r *report.Report, v claim.Value) claim.Value {
	v.Figure, v.Note = &claim.Figure{Rank: r.Floor.Rank, Of: r.Floor.Of, Exact: true}, r.Floor.InWords
	return v
}

func jointOf(r *report.Report, standing claim.Standing) claim.Value {
	v := claim.Value{Standing: standing, Bounds: claim.Joint, Observer: claim.SeesCells, Relative: claim.Together,
		Records: claim.All}
	if r.Joint.Shown != nil {
		v.Records = claim.Valued
	}
	for _, c := range r.Joint.Columns {
		v.Names = append(v.Names, c.Column)
	}
	return v
}

func jointly(r *report.Report) (claim.Value, bool) {
	if r.Joint == nil {
		return claim.Value{}, false
	}
	v := jointOf(r, claim.Promised)
	if v.Asked = r.Joint.Target; v.Asked != "" {
		v.Figure = &claim.Figure{Times: r.Joint.Most}
	} else {
		v.Standing = claim.Nothing
	}
	return v, true
}

func jointReached(r *report.Report) (claim.Value, bool) {
	if r.Joint == nil {
		return claim.Value{}, false
	}
	v := jointOf(r, claim.Reached)
	v.Figure = &claim.Figure{Factor: r.Joint.Factor, Nats: r.Joint.Nats, Exact: r.Joint.Exact}
	return v, true
}

// unchanged says that the data may be unchanged, which is a choice.
func unchanged(r *report.Report) (claim.Value, bool) {
	v := claim.Value{Standing: claim.Nothing, Bounds: claim.Change, Observer: claim.SeesCell, Relative: claim.NoPrior,
		Records: recordsOf(r)}
	return v, r.Certainty != nil && r.Certainty.Allowed
}

// unchangedReached says that they are.
func unchangedReached(r *report.Report) (claim.Value, bool) {
	share := 1.0
	return changeOf(r, &share), r.Certainty.Same()
}

// confirmed is the share of records that an output confirms.
func confirmed(r *report.Report) (claim.Value, bool) {
	if r.Certainty == nil {
		return claim.Value{}, false
	}
	return changeOf(r, r.Certainty.Confirmed), true
}

// kept is the share of records that keep their value by necessity.
func kept(r *report.Report) (claim.Value, bool) {
	if r.Certainty == nil {
		return claim.Value{}, false
	}
	return changeOf(r, r.Certainty.Kept), true
}

// changeOf is a claim about a share of the records; nil where it is not known.
func changeOf(r *report.Report, share *float64) claim.Value {
	v := leakageOf(r, claim.Told)
	if v.Bounds, v.Note = claim.Change, report.EarlierShown; share != nil {
		v.Figure, v.Note = &claim.Figure{Share: *share}, ""
	}
	if v.Relative != claim.OwnStratum && v.Relative != claim.PlanData {
		v.Relative = claim.ThisFile
	}
	return v
}

// jointPresence is what all cells of a record tell with which of them are null.
func jointPresence(r *report.Report) (claim.Value, bool) {
	if r.Joint == nil || r.Joint.Shown == nil {
		return claim.Value{}, false
	}
	v := jointOf(r, claim.Told)
	v.Observer, v.Records = claim.SeesPresence, claim.All
	v.Figure = &claim.Figure{Factor: r.Joint.Shown.Factor, Nats: r.Joint.Shown.Nats, Exact: r.Joint.Shown.Exact}
	return v, true
}

func presence(r *report.Report) (claim.Value, bool) {
	v := claim.Value{Standing: claim.Told, Bounds: claim.Leakage, Observer: claim.SeesPresence, Relative: claim.ThisFile,
		Records: claim.Nulls}
	return v, r.Nulls != nil && r.Nulls.Rule == "public"
}

// presenceNull is what a null tells whoever knows how common nulls are.
func presenceNull(r *report.Report) (claim.Value, bool) {
	v, ok := presence(r)
	if !ok {
		return v, false
	}
	if v.Note = "records go on showing an earlier null or value"; r.Nulls.Factor != "" {
		v.Figure, v.Note = &claim.Figure{Factor: r.Nulls.Factor, Nats: r.Nulls.Nats, Exact: true}, ""
	}
	return v, true
}

// presenceValue is what a value tells by being there.
func presenceValue(r *report.Report) (claim.Value, bool) {
	v, ok := presence(r)
	if !ok || r.Nulls.Factor != "" && r.Nulls.Present == "" {
		return v, false // there is none, or no value
	}
	v.Records = claim.Valued
	if v.Note = "records go on showing an earlier null or value"; r.Nulls.Present != "" {
		v.Figure, v.Note = &claim.Figure{Factor: r.Nulls.Present, Nats: r.Nulls.Valued, Exact: true}, ""
	}
	return v, true
}

// merged is how rare letters are treated.
func merged(r *report.Report) (claim.Value, bool) {
	v := claim.Value{Standing: claim.Told, Bounds: claim.Floor, Observer: claim.Anyone, Relative: claim.NoPrior,
		Records: recordsOf(r)}
	if r.Other == nil {
		return v, false
	}
	v.Given, v.Asked = r.Other.Label, strconv.FormatInt(r.Other.MinCount, 10)
	return v, true
}

func neighbours(r *report.Report) (claim.Value, bool) {
	v := claim.Value{Standing: claim.Told, Bounds: claim.Neighbours, Observer: claim.SeesColumn, Relative: claim.ThisFile,
		Records: recordsOf(r)}
	open := 0
	for _, f := range r.Beside.Found {
		if f.NotJudged {
			open++
		}
	}
	if open > 0 {
		v.Asked = report.Several(open, "thing beside it was not judged", "things beside it were not judged")
	}
	switch l := r.Beside.Largest; {
	case l != nil:
		v.Given, v.Figure = l.With(), &claim.Figure{Least: l.Factor}
	case r.Beside.State == Nothing:
		v.Note = "No column is published beside it"
	case r.Beside.State == NoRecords:
		v.Note = "There are no records that a column published beside it could tell of"
	case r.Beside.State == Measured:
		v.Note = "No column published beside it was seen to make a value likelier"
	}
	return v, true
}

func limits(r *report.Report) (claim.Value, bool) {
	v := claim.Value{Standing: claim.Nothing, Bounds: claim.Leakage, Observer: claim.SeesColumn, Relative: claim.NoPrior,
		Records: recordsOf(r)}
	v.Names = []string{"what other columns tell", "other releases"}
	if r.Population == nil {
		v.Names = append(v.Names, "the population that the records come from")
	}
	if v.Note = "not stated"; r.About != nil && strings.TrimSpace(r.About.Persons) != "" {
		v.Note = r.About.Persons
	}
	return v, true
}

// chosen lists by name what was chosen from the data.
func chosen(r *report.Report) (claim.Value, bool) {
	v := claim.Value{Standing: claim.Told, Bounds: claim.Choice, Observer: claim.Anyone, Relative: claim.NoPrior,
		Records: recordsOf(r)}
	if r.Floor.Of > 0 && r.Floor.Asked == "best" {
		v.Names = append(v.Names, fmt.Sprintf("the floor (rank %d of %d%s)", r.Floor.Rank, r.Floor.Of,
			clause(r.Floor.InWords)))
	}
	if r.Other != nil {
		v.Names = append(v.Names, fmt.Sprintf("which values are treated as %s (those of fewer than %s)",
			claim.Quoted(r.Other.Label), report.Several(r.Other.MinCount, "record", "records")))
	}
	if s := r.Strata; s != nil && !s.Published {
		v.Names = append(v.Names, fmt.Sprintf("which strata of %s are merged (those of fewer than %s)", s.Given(),
			report.Several(s.Min, "record", "records")))
	}
	if r.Joint != nil && r.Joint.Target != "" {
		v.Names = append(v.Names, "by how much the epsilon of each column was lowered to keep the joint one (left out here)")
	}
	return v, true
}

func clause(words string) string {
	if words == "" {
		return ""
	}
	return ": " + words
}
