package account

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/claim"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// about is a claim without a figure.
func about(s claim.Standing, b claim.Bound, o claim.Observer, p claim.Prior, r claim.Records) claim.Value {
	return claim.Value{Standing: s, Bounds: b, Observer: o, Relative: p, Records: r}
}

// priorClaimed is what the leakage of a report is relative to.
func priorClaimed(r *report.Report) claim.Prior {
	switch {
	case r.Prior.Of == "declared prior":
		return claim.Declared
	case r.Prior.Of == "this file, smoothed":
		return claim.Smoothed
	case r.Strata != nil:
		return claim.OwnStratum
	case r.Prior.Of == "the plan":
		return claim.PlanData
	}
	return claim.ThisFile
}

// leakageOf is a claim about the leakage of one cell.
func leakageOf(r *report.Report, standing claim.Standing) claim.Value {
	v := about(standing, claim.Leakage, claim.SeesCell, priorClaimed(r), drawnOf(r))
	v.Column, v.Asked = r.Column, r.Epsilon.Target
	knowing(r, &v)
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
		v.Figure = factorOf(r.Epsilon.Factor, r.Epsilon.Nats, true)
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
	relativeToRecords(r, &v)
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
	relativeToRecords(r, &v)
	v.Figure = factorOf(r.Prior.Own, r.Prior.OwnNats, true)
	if s := r.Strata; s != nil && s.Own != nil && !allMerged(s) { // that of merged strata may be the largest
		v.Figure = factorOf(s.Own.Known, s.Own.KnownNats, s.Merged < 2)
	}
	return v, r.Prior.Own != ""
}

// relativeToRecords makes a claim one relative to the records, whatever the prior is.
func relativeToRecords(r *report.Report, v *claim.Value) {
	switch v.Note = ""; {
	case v.Observer == claim.KnowsStratum:
		v.Relative = claim.OwnStratum
	case r.Prior.Part != nil:
		v.Relative = claim.PlanData
	default:
		v.Relative = claim.ThisFile
	}
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
	v := about(standing, claim.Floor, claim.Anyone, claim.NoPrior, drawnOf(r))
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
	v.Figure, v.Note = &claim.Figure{Rank: r.Floor.Rank, Of: r.Floor.Of, Level: r.Floor.Level,
		Exact: true}, r.Floor.InWords
	return v
}

// shiftLimit is the limit of the shift that was asked for: everybody may read it, and
// nobody what was reached.
func shiftLimit(r *report.Report) (claim.Value, bool) {
	v := about(claim.Promised, claim.Shift, claim.Anyone, claim.NoPrior, drawnOf(r))
	if v.Asked = r.Design.MaxShift; len(earlierNames(r)) > 0 {
		v.Standing = claim.Nothing
	}
	v.Given = r.Strata.Given()
	return v, v.Asked != ""
}

// valuesKept is that no value vanishes; where rows show earlier draws nothing is said.
func valuesKept(r *report.Report) (claim.Value, bool) {
	return about(claim.Promised, claim.Values, claim.Anyone, claim.NoPrior, drawnOf(r)), r.Design.Keep &&
		len(earlierNames(r)) == 0
}

// jointOf is a claim about all private columns together; ok is false where there is
// one.
func jointOf(r *report.Report, standing claim.Standing) (v claim.Value, ok bool) {
	v = about(standing, claim.Joint, claim.SeesCells, claim.Together, claim.All)
	if r.Joint == nil {
		return v, false
	}
	if r.Joint.Shown != nil {
		v.Records = claim.Valued
	}
	for _, c := range r.Joint.Columns {
		v.Names = append(v.Names, c.Column)
	}
	v.Given = r.Joint.Given
	return v, true
}

// factorOf is the figure of a factor, which is exact or a bound.
func factorOf(factor string, nats float64, exact bool) *claim.Figure {
	return &claim.Figure{Factor: factor, Nats: nats, Exact: exact}
}

func jointly(r *report.Report) (claim.Value, bool) {
	v, ok := jointOf(r, claim.Promised)
	if !ok {
		return v, false
	}
	if v.Asked = r.Joint.Target; v.Asked != "" {
		v.Figure = &claim.Figure{Times: r.Joint.Most}
	} else {
		v.Standing = claim.Nothing
	}
	return v, true
}

func jointReached(r *report.Report) (claim.Value, bool) {
	v, ok := jointOf(r, claim.Reached)
	if ok {
		v.Figure = factorOf(r.Joint.Factor, r.Joint.Nats, r.Joint.Exact)
	}
	return v, ok
}

// unchanged says that the data may be unchanged, which is a choice.
func unchanged(r *report.Report) (claim.Value, bool) {
	v := about(claim.Nothing, claim.Change, claim.SeesCell, claim.NoPrior, recordsOf(r))
	return v, r.Certainty != nil && r.Certainty.Allowed
}

// unchangedReached says that they are.
func unchangedReached(r *report.Report) (claim.Value, bool) {
	share := 1.0
	return changeOf(r, &share), r.Certainty.Same()
}

// confirmed is the share of the records that an output confirms.
func confirmed(r *report.Report) (claim.Value, bool) {
	if r.Certainty == nil {
		return claim.Value{}, false
	}
	return changeOf(r, r.Certainty.Confirmed), true
}

// changeOf is a claim about a share of the records; nil where it is not known.
func changeOf(r *report.Report, share *float64) claim.Value {
	v := leakageOf(r, claim.Told)
	if v.Bounds, v.Note = claim.Change, report.EarlierShown; share != nil {
		v.Figure, v.Note = &claim.Figure{Share: *share}, ""
	}
	switch v.Names = nil; {
	case v.Observer == claim.KnowsStratum:
		v.Relative = claim.OwnStratum
	case v.Relative != claim.PlanData:
		v.Relative = claim.ThisFile
	}
	return v
}

// jointWith is what all cells of a record tell an observer of what tells records apart.
func jointWith(observer claim.Observer, of func(*report.Joint) *report.JointShown) func(*report.Report) (claim.Value,
	bool) {
	return func(r *report.Report) (claim.Value, bool) {
		v, ok := jointOf(r, claim.Told)
		if !ok || of(r.Joint) == nil {
			return v, false
		}
		told := of(r.Joint)
		v.Observer, v.Records, v.Figure = observer, claim.All, factorOf(told.Factor, told.Nats, told.Exact)
		return v, true
	}
}

// jointPresence is for who sees which cells are null, jointUnaware for who does not know its groups.
var (
	jointPresence = jointWith(claim.SeesPresence, func(j *report.Joint) *report.JointShown { return j.Shown })
	jointUnaware  = jointWith(claim.LearnsStratum, func(j *report.Joint) *report.JointShown { return j.Unaware })
)

func presence(r *report.Report) (claim.Value, bool) {
	v := about(claim.Told, claim.Leakage, claim.SeesPresence, claim.ThisFile, claim.Nulls)
	return v, r.Nulls != nil && r.Nulls.Rule == "public"
}

// presenceNull is what a null tells whoever knows how common nulls are.
func presenceNull(r *report.Report) (claim.Value, bool) {
	v, ok := presence(r)
	if ok {
		present(&v, r.Nulls.Factor, r.Nulls.Nats)
	}
	return v, ok
}

// present puts the figure of what presence tells, or why there is none.
func present(v *claim.Value, factor string, nats float64) {
	if v.Note = "records go on showing an earlier null or value"; factor != "" {
		v.Figure, v.Note = factorOf(factor, nats, true), ""
	}
}

// presenceValue is what a value tells by being there.
func presenceValue(r *report.Report) (claim.Value, bool) {
	v, ok := presence(r)
	if !ok || r.Nulls.Factor != "" && r.Nulls.Present == "" {
		return v, false // there is none, or no value
	}
	v.Records = claim.Valued
	present(&v, r.Nulls.Present, r.Nulls.Valued)
	return v, true
}

// bins are what values were put into before anything was drawn.
func bins(r *report.Report) (claim.Value, bool) {
	v := about(claim.Told, claim.Choice, claim.Anyone, claim.NoPrior, recordsOf(r))
	b := r.Domain.Bins
	if b == nil {
		return v, false
	}
	v.Asked, v.Given = b.Spec, b.Of
	return v, true
}

// merged is how rare letters are treated.
func merged(r *report.Report) (claim.Value, bool) {
	v := about(claim.Told, claim.Floor, claim.Anyone, claim.NoPrior, recordsOf(r))
	if r.Other == nil {
		return v, false
	}
	v.Given, v.Asked = r.Other.Label, strconv.FormatInt(r.Other.MinCount, 10)
	return v, true
}

func neighbours(r *report.Report) (claim.Value, bool) {
	v := about(claim.Told, claim.Neighbours, claim.SeesColumn, claim.ThisFile, recordsOf(r))
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
		if l.Factor > r.Most {
			v.Note = ", and this one does: drop it or accept it"
		}
	case r.Beside.State == Nothing:
		v.Note = "No other column is published"
	case r.Beside.State == NoRecords:
		v.Note = "There are no records that another published column could tell of"
	case r.Beside.State == Measured:
		v.Note = "No other published column was seen to make a value likelier"
	}
	return v, true
}

func limits(r *report.Report) (claim.Value, bool) {
	v := about(claim.Nothing, claim.Leakage, claim.SeesColumn, claim.NoPrior, recordsOf(r))
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
	v := about(claim.Told, claim.Choice, claim.Anyone, claim.NoPrior, recordsOf(r))
	if r.Floor.Of > 0 && r.Floor.Asked == "best" {
		v.Names = append(v.Names, fmt.Sprintf("the floor (%s%s)", r.Floor.Place(), clause(r.Floor.InWords)))
	}
	if r.Other != nil {
		v.Names = append(v.Names, fmt.Sprintf("which values count as %s (those of fewer than %s)",
			claim.Quoted(r.Other.Label), report.Several(r.Other.MinCount, "record", "records")))
	}
	if s := r.Strata; s != nil && !s.Published {
		v.Names = append(v.Names, fmt.Sprintf("which strata of %s are merged (those of fewer than %s)", s.Given(),
			report.Several(s.Min, "record", "records")))
	}
	return v, true
}

func clause(words string) string {
	if words == "" {
		return ""
	}
	return ": " + words
}
