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

// floor is a claim about the floor: everybody may read the one that was declared, or else the one
// that was chosen; what was reached of a declared one is told within.
func floor(standing claim.Standing) tell {
	return func(r *report.Report) (claim.Value, bool) {
		v, f := about(standing, claim.Floor, claim.Anyone, claim.NoPrior, drawnOf(r)), &r.Floor
		if r.Other != nil {
			v.Given = r.Other.Label
		}
		declared := f.Of > 0 && f.Asked != "best"
		switch {
		case standing == claim.Promised && declared:
			v.Asked = f.Asked
		case standing == claim.Reached && noneDrawn(r):
			v.Note = noDraw
		case f.Of > 0:
			v.Figure, v.Note = &claim.Figure{Rank: f.Rank, Of: f.Of, Level: f.Level, Exact: true}, f.InWords
		}
		return v, standing == claim.Promised || declared
	}
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

// joint is a claim about all private columns together, of which figure tells; there is none of one
// column, and none without a figure but that nothing was promised.
func joint(standing claim.Standing, observer claim.Observer, figure func(*report.Joint) *claim.Figure) tell {
	return func(r *report.Report) (claim.Value, bool) {
		if r.Joint == nil {
			return claim.Value{}, false
		}
		v := about(standing, claim.Joint, observer, claim.Together, claim.All)
		if v.Given, v.Figure = r.Joint.Given, figure(r.Joint); r.Joint.Shown != nil && observer == claim.SeesCells {
			v.Records = claim.Valued
		}
		for _, c := range r.Joint.Columns {
			v.Names = append(v.Names, c.Column)
		}
		if standing != claim.Promised {
			return v, v.Figure != nil
		}
		if v.Asked = r.Joint.Target; v.Asked == "" {
			v.Standing = claim.Nothing
		}
		return v, true
	}
}

// Figures of all private columns together.
var (
	jointTarget = func(j *report.Joint) *claim.Figure {
		if j.Target == "" {
			return nil
		}
		return &claim.Figure{Times: j.Most}
	}
	jointFactor   = func(j *report.Joint) *claim.Figure { return factorOf(j.Factor, j.Nats, j.Exact) }
	jointPresence = func(j *report.Joint) *claim.Figure { return shownFigure(j.Shown) }
	jointUnaware  = func(j *report.Joint) *claim.Figure { return shownFigure(j.Unaware) }
)

// shownFigure is that of what all cells of a record tell with what tells records apart.
func shownFigure(s *report.JointShown) *claim.Figure {
	if s == nil {
		return nil
	}
	return factorOf(s.Factor, s.Nats, s.Exact)
}

// factorOf is the figure of a factor, which is exact or a bound.
func factorOf(factor string, nats float64, exact bool) *claim.Figure {
	return &claim.Figure{Factor: factor, Nats: nats, Exact: exact}
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
	v := knowsOwn.claim(r, claim.Told)
	if v.Bounds, v.Names, v.Note = claim.Change, nil, report.EarlierShown; share != nil {
		v.Figure, v.Note = &claim.Figure{Share: *share}, ""
	}
	return v
}

func presence(r *report.Report) (claim.Value, bool) {
	v := about(claim.Told, claim.Leakage, claim.SeesPresence, claim.ThisFile, claim.Nulls)
	return v, r.Nulls != nil && r.Nulls.Rule == "public"
}

// present is what a null tells by being there, or a value, to whoever knows how common nulls are.
func present(records claim.Records) tell {
	return func(r *report.Report) (claim.Value, bool) {
		v, ok := presence(r)
		if !ok {
			return v, false
		}
		factor, nats := r.Nulls.Factor, r.Nulls.Nats
		if v.Records = records; records == claim.Valued {
			factor, nats = r.Nulls.Present, r.Nulls.Valued
		}
		if v.Note = "records go on showing an earlier null or value"; factor != "" {
			v.Figure, v.Note = factorOf(factor, nats, true), ""
		}
		return v, factor != "" || r.Nulls.Factor == "" // else there is no value
	}
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
		v.Names = append(v.Names, fmt.Sprintf("which values are treated as %s (those of fewer than %s)",
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
