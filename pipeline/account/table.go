package account

import (
	"github.com/tacet-privacy/tacet/pipeline/claim"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// A Row is a sentence or a figure of the report: report.json, every view of it,
// the public report, the schema and the list in docs/report.md come from it. The value has no standing where the row is
// a figure and claims nothing.
type Row struct {
	Key, Section, Head string // Section is the one that shows it; "lead" is what everybody must read
	Public             bool   // the public report shows it, too
	value              tell
}

// A tell gives the value of a row for a report; ok is false where that has none.
type tell func(*report.Report) (v claim.Value, ok bool)

// Rows are all of them, in the order in which views show them. A new one is a
// row here; its words are by the key in package claim, those of a figure its note.
var Rows = []Row{
	{"leakage", "lead", "promised", true, knows.promised},
	{"leakage.file", "lead", "this file", true, knowsOwn.promised},
	{"leakage.unaware", "lead", "promised", true, misses.promised},
	{"leakage.file.unaware", "lead", "this file", true, missesOwn.promised},
	{"leakage.reached", "lead", "reached", false, knows.reached},
	{"leakage.own", "lead", "this file reached", false, knowsOwn.reached},
	{"leakage.overall", "lead", "reached", false, misses.reached},
	{"leakage.own.overall", "lead", "this file reached", false, missesOwn.reached},
	{"leakage.together", "lead", "told", false, learnt(claim.LearnsStratum)},
	{"leakage.stratum", "lead", "told", false, learnt(claim.OnlyStratum)},
	{"leakage.population", "lead", "population", false, ofPopulation},
	{"leakage.earlier", "lead", "earlier draws", true, earlierPromise},
	{"leakage.held", "lead", "held", false, heldLeakage},
	{"floor", "lead", "floor", true, floor(claim.Promised)},
	{"floor.reached", "lead", "floor reached", false, floor(claim.Reached)},
	{"floor.earlier", "lead", "no floor", true, earlierFloor},
	{"floor.held", "lead", "held, worst", false, heldFloor},
	{"shift", "lead", "shares", true, shiftLimit},
	{"shift.values", "lead", "values", true, valuesKept},
	{"counting", "lead", "counting", false, counting},
	{"joint", "joint", "columns together", true, joint(claim.Promised, claim.SeesCells, jointTarget)},
	{"joint.reached", "joint", "together", false, joint(claim.Reached, claim.SeesCells, jointFactor)},
	{"joint.presence", "joint", "with nulls", false, joint(claim.Told, claim.SeesPresence, jointPresence)},
	{"joint.unaware", "joint", "any group", false, joint(claim.Told, claim.LearnsStratum, jointUnaware)},
	{"presence", "lead", "nulls", true, presence},
	{"unchanged", "lead", "unchanged", true, unchanged},
	{"unchanged.reached", "lead", "unchanged", false, unchangedReached},
	{"presence.null", "lead", "a null", false, present(claim.Nulls)},
	{"presence.value", "lead", "a value", false, present(claim.Valued)},
	{"bins", "lead", "bins", true, bins},
	{"merged", "lead", "rare values", true, merged},
	{"neighbours", "lead", "others", false, neighbours},
	{"cumulative", "lead", "all releases", false, cumulative},
	{"cumulative.changes", "lead", "changes", true, changes},
	{"limits", "lead", "limits", true, limits},
	{"confirmed", "verdict", "made certain", false, confirmed},
	{"chosen", "verdict", "chosen from the data", true, chosen},
	{"changed", "utility", "changed", false, changed},
	{"shares", "utility", "shares", false, off("off", shift)},
	{"shares.room", "utility", "room for drift", false, off("room", room)},
	{"shares.recovered", "utility", "recovered shares", false, recoveredShares},
	{"shares.draws", "utility", "chance", false, off("chance", drawn)},
	{"confirmable", "caps", "may be confirmed", true, confirmable},
}

// Claim puts the sentences and figures of the table into a report whose other
// figures are all there.
func Claim(r *report.Report) {
	r.Claims = []claim.Claim{}
	for _, row := range Rows {
		if v, ok := row.value(r); ok {
			v.Risk = riskOf(row.Key, r, v)
			r.Claims = append(r.Claims, claim.Claim{Key: row.Key, Section: row.Section, Head: row.Head, Public: row.Public,
				Value: v, Words: words(row.Key, v)})
		}
	}
}

// words are those of a claim whose value was made for them.
func words(key string, v claim.Value) string {
	s, err := claim.Words(key, v)
	if err != nil {
		panic("account: a claim without its figures: " + err.Error())
	}
	return s
}

// Says reports whether a claim is one of the row, with the words that its value gives; a value
// that lacks the figures of the words gives none.
func (row *Row) Says(c claim.Claim) bool {
	words, err := claim.Words(row.Key, c.Value)
	return err == nil && c.Key == row.Key && c.Section == row.Section && c.Head == row.Head && c.Public == row.Public &&
		c.Words == words
}
