package claim

import (
	"fmt"
	"strings"
)

// Earlier is the promise for rows that are not drawn anew. Names says which
// rows these are.
func (v Value) Earlier() string {
	which := strings.Join(v.Names, "; ")
	return fmt.Sprintf("Rows that are not drawn anew are held to the same limit: at most %s times as likely, for "+
		"someone who sees one of them, is certain that its value never changed, and %s. Such rows: %s.",
		v.Figure.times(), firstPlan, which)
}

// firstPlan is what the observer of several releases knows, as a clause.
const firstPlan = "knows how common each value was in the data of the plan of its first release"

// Shown is what the rows tell that are not drawn anew. Note is a
// clause about rows that have no figure.
func (v Value) Shown() string {
	if v.Figure.Factor == "" {
		return fmt.Sprintf("%s: what they tell has no figure%s.", v.rows(), clause(v.Note))
	}
	if v.Figure.nothing() {
		return fmt.Sprintf("%s: one of them tells nothing to someone who is certain that its value never changed and %s%s.",
			v.rows(), firstPlan, clause(v.Note))
	}
	return fmt.Sprintf("%s: at most %s, for someone who sees one of them, is certain that its value never changed, and "+
		"%s%s.",
		v.rows(), v.Figure.leaks(), firstPlan, clause(v.Note))
}

// rows counts and names the records of a claim.
func (v Value) rows() string {
	if v.Figure.Count != 1 {
		return fmt.Sprintf("%d rows show an earlier output again", v.Figure.Count)
	}
	return "1 row shows an earlier output again"
}

// ShownWorst is the worst replacement among such rows.
func (v Value) ShownWorst() string {
	return fmt.Sprintf("%s: for this release's values the worst of these outputs is of rank %d of %d%s.", v.rows(),
		v.Figure.Rank, v.Figure.Of, clause(v.Note))
}

// FloorEarlier says what the floor does not cover.
func (v Value) FloorEarlier() string {
	return fmt.Sprintf("The floor does not cover rows that are not drawn anew: %s.", strings.Join(v.Names, "; "))
}

// Cumulative is what all releases of one record tell together.
func (v Value) Cumulative() string {
	if v.Figure == nil {
		return fmt.Sprintf("What all releases of a record tell together: %s%s.", notComputed, clause(v.Note))
	}
	if v.Figure.nothing() {
		return fmt.Sprintf("All releases of one record together tell nothing to someone who sees all of them, is certain "+
			"that its value never changed, and %s%s. A record that changed visibly has no such figure.", firstPlan,
			clause(v.Note))
	}
	return fmt.Sprintf("All releases of one record together: at most %s, for someone who sees all of them, is certain "+
		"that its value never changed, and %s%s. A record that changed visibly has no such figure.",
		v.Figure.leaks(), firstPlan, clause(v.Note))
}

// Changes is what no figure of a series bounds.
func (v Value) Changes() string {
	return fmt.Sprintf("Nothing bounds what a change of output tells, when it came, or that there was none: the figure "+
		"of all releases is not for someone who thinks that a value may have changed%s.", clause(v.Note))
}
