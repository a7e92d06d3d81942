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
	value              func(*report.Report) (v claim.Value, ok bool)
	words              func(claim.Value) string
}

// Rows are all of them, in the order in which views show them. A new one is a
// row here and a check in verify.
var Rows = []Row{
	{"leakage", "lead", "promised", true, promised, claim.Value.Leakage},
	{"leakage.file", "lead", "this file", true, thisFileToo, claim.Value.ThisFile},
	{"leakage.unaware", "lead", "promised", true, unawarePromised, claim.Value.Unaware},
	{"leakage.file.unaware", "lead", "this file", true, unawareOfFile, claim.Value.Unaware},
	{"leakage.reached", "lead", "reached", false, reached, claim.Value.Reached},
	{"leakage.own", "lead", "this file reached", false, ownFile, claim.Value.Own},
	{"leakage.overall", "lead", "reached", false, overall, claim.Value.Overall},
	{"leakage.own.overall", "lead", "this file reached", false, overallOwn, claim.Value.OverallOwn},
	{"leakage.together", "lead", "told", false, together, claim.Value.Together},
	{"leakage.stratum", "lead", "told", false, stratumAlone, claim.Value.StratumAlone},
	{"leakage.population", "lead", "population", false, ofPopulation, claim.Value.Population},
	{"leakage.earlier", "lead", "earlier draws", true, earlierPromise, claim.Value.Earlier},
	{"leakage.held", "lead", "held", false, heldLeakage, claim.Value.Shown},
	{"floor", "lead", "floor", true, floorTold, claim.Value.Floor},
	{"floor.reached", "lead", "floor reached", false, floorReached, claim.Value.FloorReached},
	{"floor.earlier", "lead", "no floor", true, earlierFloor, claim.Value.FloorEarlier},
	{"floor.held", "lead", "held, worst", false, heldFloor, claim.Value.ShownWorst},
	{"shift", "lead", "shares", true, shiftLimit, claim.Value.Shift},
	{"shift.values", "lead", "values", true, valuesKept, claim.Value.ValuesKept},
	{"counting", "lead", "counting", false, counting, noted},
	{"joint", "joint", "columns together", true, jointly, claim.Value.Joint},
	{"joint.reached", "joint", "together", false, jointReached, claim.Value.JointReached},
	{"joint.presence", "joint", "with nulls", false, jointPresence, claim.Value.JointPresence},
	{"joint.unaware", "joint", "any group", false, jointUnaware, claim.Value.JointUnaware},
	{"presence", "lead", "nulls", true, presence, claim.Value.Presence},
	{"unchanged", "lead", "unchanged", true, unchanged, claim.Value.Unchanged},
	{"unchanged.reached", "lead", "unchanged", false, unchangedReached, claim.Value.UnchangedReached},
	{"presence.null", "lead", "a null", false, presenceNull, claim.Value.OfNull},
	{"presence.value", "lead", "a value", false, presenceValue, claim.Value.OfValue},
	{"bins", "lead", "bins", true, bins, claim.Value.Bins},
	{"merged", "lead", "rare values", true, merged, claim.Value.Merged},
	{"neighbours", "lead", "others", false, neighbours, claim.Value.Neighbours},
	{"cumulative", "lead", "all releases", false, cumulative, claim.Value.Cumulative},
	{"cumulative.changes", "lead", "changes", true, changes, claim.Value.Changes},
	{"limits", "lead", "limits", true, limits, claim.Value.Limits},
	{"confirmed", "verdict", "made certain", false, confirmed, claim.Value.Confirmed},
	{"chosen", "verdict", "chosen from the data", true, chosen, claim.Value.Chosen},
	{"changed", "utility", "changed", false, changed, changedWords},
	{"shares", "utility", "shares", false, sharesOff, noted},
	{"shares.room", "utility", "room for drift", false, roomFor, noted},
	{"shares.recovered", "utility", "recovered shares", false, recoveredShares, noted},
	{"shares.draws", "utility", "chance", false, drawsAdd, noted},
	{"confirmable", "caps", "may be confirmed", true, confirmable, confirmableWords},
}

// Claim puts the sentences and figures of the table into a report whose other
// figures are all there.
func Claim(r *report.Report) {
	r.Claims = []claim.Claim{}
	for _, row := range Rows {
		if v, ok := row.value(r); ok {
			if risk := risks[row.Key]; risk != nil {
				v.Risk = risk(r, v)
			}
			r.Claims = append(r.Claims, claim.Claim{Key: row.Key, Section: row.Section, Head: row.Head, Public: row.Public,
				Value: v, Words: row.words(v)})
		}
	}
}

// Says reports whether a claim is one of the row, with the words that its value gives; a value
// that lacks the figures of the words gives none.
func (row *Row) Says(c claim.Claim) (says bool) {
	defer func() { says = recover() == nil && says }()
	return c.Key == row.Key && c.Section == row.Section && c.Head == row.Head && c.Public == row.Public &&
		c.Words == row.words(c.Value)
}
