package verify_test

import (
	"math"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// says is put of a member of the series.
func says(member string, value any) change {
	return put("report.stated.history.series."+member, value)
}

// inBoth changes a count in report and ledger alike.
func inBoth(member, inLedger string, d int) change {
	return func(t *testing.T, n *release) {
		r := at(n.series(), "records")
		old := int(number(r[member]))
		r[member] = old + d
		n.last(t, "seal", `"`+inLedger+`":`+strconv.Itoa(old)+`,`, `"`+inLedger+`":`+strconv.Itoa(old+d)+`,`)
	}
}

// altered changes a factor in report and ledger alike.
func altered(member, kind, old string, change func(any) any) change {
	return func(t *testing.T, n *release) {
		f := at(n.series(), member)
		was := f["factor"].(string)
		f["factor"] = change(was)
		v, _ := new(big.Rat).SetString(f["factor"].(string))
		whole, _ := v.Float64()
		f["nats"] = math.Log(whole) + 1e-12
		n.last(t, kind, old+`{"factor":"`+was, old+`{"factor":"`+f["factor"].(string))
	}
}

// last forges the last event of a kind.
func (n *release) last(t *testing.T, kind, old, text string) {
	t.Helper()
	for _, line := range slices.Backward(strings.Split(strings.TrimSpace(n.export), "\n")) {
		if !strings.Contains(line, `"kind":"`+kind+`"`) {
			continue
		}
		body := line[:strings.LastIndex(line, `,"hash":"`)]
		from := strings.Index(body, `"when":"`)
		if !strings.Contains(body, old) {
			t.Fatalf("the last %s does not hold %s: %s", kind, old, body)
		}
		n.forge(t, body[from:], strings.Replace(body[from:], old, text, 1))
		return
	}
	t.Fatalf("no event is a %s", kind)
}

// earlierRows changes what the report says of rows that are not drawn anew.
func earlierRows(class string, change func(all, of map[string]any)) change {
	return func(t *testing.T, n *release) {
		all := at(n.series(), "published")
		of, ok := all[class].(map[string]any)
		if !ok {
			t.Fatalf("no row is %s", class)
		}
		change(all, of)
	}
}

// fewer says that a row is drawn that is not, consistently.
func fewer(all, of map[string]any) {
	all["drawn"], of["rows"] = number(all["drawn"])+1, number(of["rows"])-1
	o := of["outputs"].([]any)[0].(map[string]any)
	o["rows"] = number(o["rows"]) - 1
}

// less makes rows tell nothing, consistently.
func less(_, n map[string]any) {
	n["factor"], n["nats"] = "1", 0
	for _, o := range n["outputs"].([]any) {
		if o := o.(map[string]any); o["factor"] != nil {
			o["factor"] = "1"
		}
	}
}

// swap exchanges the outputs of two rows and leaves every count
// as it is.
func swap(t *testing.T, n *release) {
	first, other := map[int32]int64{}, map[int64]int32{} // where an output stands first; the other one of two rows
	n.redraw(t, n.outputs(), func(row int64, y int32) int32 {
		if _, seen := first[y]; seen || len(first) == 2 {
			return y
		}
		for of, at := range first {
			other[row], other[at] = of, y
		}
		first[y] = row
		return y
	})
	n.redraw(t, n.outputs(), func(row int64, y int32) int32 {
		if to, ok := other[row]; ok {
			return to
		}
		return y
	})
	old := at(n.report, "output")["sha256"].(string)
	n.forge(t, `"output_sha256":"`+old, `"output_sha256":"`+hexSum([]byte(mustRead(t, n.output))))
}

// exported changes the export of the ledger.
func exported(change func(string) string) change {
	return func(t *testing.T, n *release) { n.export = change(n.export) }
}

// historyOf changes the first record in the history that is such a one.
func historyOf(such func(list []showing) bool, to func(list []showing)) change {
	return func(t *testing.T, n *release) {
		done := false
		n.rewrite(t, func(list []showing) {
			if !done && such(list) {
				to(list)
				done = true
			}
		})
	}
}

// fewerHeld says in report and ledger that a row is drawn that is held.
func fewerHeld(t *testing.T, n *release) {
	held := int(number(at(at(n.series(), "published"), "held")["rows"]))
	earlierRows("held", fewer)(t, n)
	n.last(t, "seal", `"held":`+strconv.Itoa(held)+`,`, `"held":`+strconv.Itoa(held-1)+`,`)
}

// ofNights change a series of nights: report, ledger, record history, output and key.
var ofNights = of(hashed, []row{
	// Rows that are not drawn anew.
	{"nights hold", "nights: held rows that tell less", "rows by draw", earlierRows("held", less)},
	{"nights hold", "nights: no row said to be held", "rows by draw", earlierRows("held", func(all, of map[string]any) {
		all["drawn"] = number(all["drawn"]) + number(of["rows"])
		delete(all, "held")
	})},
	// The ledger.
	{"nights draw", "nights: an event changed, its hash as it was", "ledger",
		exported(replace(`"rows":2000`, `"rows":2001`))},
	{"nights draw", "nights: an event removed", "ledger", exported(func(s string) string {
		return strings.Join(slices.Delete(strings.SplitAfter(s, "\n"), 3, 4), "")
	})},
	{"nights draw", "nights: events taken off the end", "ledger head", exported(func(s string) string {
		return strings.Join(strings.SplitAfter(s, "\n")[:6], "")
	})},
	{"nights draw", "nights: a rotation unsaid", "ledger", func(t *testing.T, n *release) {
		n.last(t, "rotate", `"kind":"rotate","rotate":`, `"kind":"redesign","redesign":`)
		n.forge(t, `"to":"`, `"to":"0`)
	}},
	{"nights draw", "nights: another ledger", "ledger head", says("ledger", zeros[:32])},
	{"nights draw", "nights: another release", "ledger release", says("release", 2)},
	{"nights draw", "nights: another night", "ledger release", says("night", plus(1))},
	{"nights draw", "nights: another dataset", "ledger release", says("dataset", "visitors")},
	{"nights draw", "nights: another way with changes", "ledger release", says("on_change", "hold")},
	{"nights total", "nights: no total", "ledger release", says("total_epsilon", "")},
	{"nights draw", "nights: another output in the ledger", "ledger release", func(t *testing.T, n *release) {
		n.forge(t, `"output_sha256":"`+at(n.report, "output")["sha256"].(string), `"output_sha256":"`+zeros)
	}},
	{"nights draw", "nights: a release voided", "ledger", func(t *testing.T, n *release) {
		n.last(t, "commit", `"kind":"commit"`, `"kind":"void"`)
		n.forge(t, `"kind":"void","release":`+strconv.Itoa(int(number(n.series()["release"])))+`}`,
			`"kind":"void","release":2}`)
	}},
	{"nights draw", "nights: a release before left out", "releases before", says("earlier", tail)},
	{"nights draw", "nights: a release before of fewer rows", "releases before", says("earlier[0].rows", 1999)},
	{"nights draw", "nights: a warning of a run that nobody states to have died", "told again",
		put("report.warnings", func(old any) any {
			return append(old.([]any), "release 9 was reserved by a run that died before it published anything, and counts "+
				"until it is voided: tacet ledger void --ledger n.db --id 9 --reason 'the run died'")
		})},
	// Figures of the report alone.
	{"nights draw", "nights: less reached", "ledger release",
		each(says("cumulative.factor", "1"), says("cumulative.nats", 0))},
	{"nights draw", "nights: fewer new records", "ledger release", says("records.new", plus(-1))},
	{"nights draw", "nights: fewer records with a visible change", "ledger release", says("records.visible", plus(-1))},
	// The same in report and ledger.
	{"nights absent", "nights: nulls that show an earlier value, unsaid", "record draws",
		each(exported(nothing), earlierRows("held", func(_, of map[string]any) { of["absent"] = number(of["absent"]) - 1 }))},
	{"nights nulls", "nights: a null of tonight out of the history", "published outputs", historyOf(
		func(list []showing) bool { return len(list) == 1 && list[0].Output == 0xffff && list[0].Last == 3 },
		func(list []showing) { list[0].Output = 0 })},
	{"nights hold", "nights: fewer held, in both", "record draws", fewerHeld},
	{"nights total", "nights: rows of the total that tell less", "rows by draw", earlierRows("held", less)},
	{"nights total", "nights: fewer rows that the total holds, in both", "rows by draw", fewerHeld},
	// The record history.
	{"nights total", "nights: an output of a night before in the history", "budget rule", historyOf(
		func(list []showing) bool { // a record that may not show this tonight, after another first output
			return len(list) > 1 && list[0].Output != 5 && list[0].Last == list[1].First-1 && list[1].Output <= 1 &&
				list[1].Last == 4
		}, func(list []showing) { list[0].Output = 5 })},
	{"nights draw", "nights: a record published twice in one night", "budget rule", historyOf(
		func(list []showing) bool { return len(list) == 2 && list[1].Last == 3 && list[0].Last < 3 },
		func(list []showing) { list[0].Last = 3 })},
	{"nights draw", "nights: no record history", `"cannot be read"`, removed("history")},
	{"nights draw", "nights: half a record history", `"record history"`, text("history", half)},
	{"nights draw", "nights: a history out of order", `"out of order"`, text("history", func(s string) string {
		return s[:16] + string([]byte{s[16] ^ 0xff}) + s[17:]
	})},
	// Output and key.
	{"nights hold", "nights: two rows exchanged where records are held", "record draws", swap},
	{"nights persons", "nights: two rows exchanged where persons draw", "record draws", swap},
	{"nights draw", "nights: the key of another series", `"were made with the key"`, func(t *testing.T, n *release) {
		old, _ := filepath.Glob(n.drawKey + ".*")
		must(t, os.WriteFile(n.drawKey, []byte(mustRead(t, old[0])), 0o600))
	}},
	{"nights draw", "nights: a key that others can read", `"by others"`,
		func(t *testing.T, n *release) { must(t, os.Chmod(n.drawKey, 0o644)) }},
	{"nights draw", "nights: no key", `"not a whole key"`, text("key", become("tacet"))},
	{"nights draw", "nights: no ledger", `"neither a ledger"`, exported(become("?"))},
	{"nights fresh", "nights: a fresh draw that told more", "cumulative factor",
		altered("cumulative", "seal", `"cumulative":`, larger)},
})
