package verify_test

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// ofNights change a series of nights: report, ledger, record history, output and key.
var ofNights = []alteration{
	// Rows that are not drawn anew.
	{name: "nights: held rows that tell less", base: "nights hold", want: "rows by draw",
		do: earlierRows("held", func(_, of map[string]any) { less(of) })},
	{name: "nights: no row said to be held", base: "nights hold", want: "rows by draw",
		do: earlierRows("held", func(all, of map[string]any) {
			all["drawn"] = number(all["drawn"]) + number(of["rows"])
			delete(all, "held")
		})},
	// The ledger.
	{name: "nights: an event changed, its hash as it was", base: "nights draw", want: "ledger",
		do: func(t *testing.T, n *release) {
			n.export = strings.Replace(n.export, `"rows":2000`, `"rows":2001`, 1)
		}},
	{name: "nights: an event removed", base: "nights draw", want: "ledger",
		do: func(t *testing.T, n *release) {
			lines := strings.SplitAfter(n.export, "\n")
			n.export = strings.Join(slices.Delete(lines, 3, 4), "")
		}},
	{name: "nights: events taken off the end", base: "nights draw", want: "ledger head",
		do: func(t *testing.T, n *release) {
			lines := strings.SplitAfter(n.export, "\n")
			n.export = strings.Join(lines[:6], "")
		}},
	{name: "nights: a rotation unsaid", base: "nights draw", want: "ledger",
		do: func(t *testing.T, n *release) {
			n.last(t, "rotate", `"kind":"rotate","rotate":`, `"kind":"redesign","redesign":`)
			n.forge(t, `"to":"`, `"to":"0`)
		}},
	{name: "nights: another ledger", base: "nights draw", want: "ledger head",
		do: says("ledger", strings.Repeat("0", 32))},
	{name: "nights: another release", base: "nights draw", want: "ledger release",
		do: says("release", 2)},
	{name: "nights: another night", base: "nights draw", want: "ledger release",
		do: says("night", plus(1))},
	{name: "nights: another dataset", base: "nights draw", want: "ledger release",
		do: says("dataset", "visitors")},
	{name: "nights: another way with changes", base: "nights draw", want: "ledger release",
		do: says("on_change", "hold")},
	{name: "nights: no total", base: "nights total", want: "ledger release",
		do: says("total_epsilon", "")},
	{name: "nights: another output in the ledger", base: "nights draw", want: "ledger release",
		do: func(t *testing.T, n *release) {
			n.forge(t, `"output_sha256":"`+at(n.report,
				"output")["sha256"].(string), `"output_sha256":"`+zeros)
		}},
	{name: "nights: a release voided", base: "nights draw", want: "ledger",
		do: func(t *testing.T, n *release) {
			n.last(t, "commit", `"kind":"commit"`, `"kind":"void"`)
			n.forge(t, `"kind":"void","release":`+strconv.Itoa(int(number(n.series()["release"])))+`}`,
				`"kind":"void","release":2}`)
		}},
	{name: "nights: a release before left out", base: "nights draw", want: "releases before",
		do: says("earlier", func(old any) any { return old.([]any)[1:] })},
	{name: "nights: a release before of fewer rows", base: "nights draw", want: "releases before",
		do: says("earlier[0].rows", 1999)},
	{name: "nights: a warning of a run that nobody states to have died", base: "nights draw", want: "told again",
		do: put("report.warnings", func(old any) any {
			return append(old.([]any), "release 9 was reserved by a run that died before it published anything, and counts "+
				"until it is voided: tacet ledger void --ledger n.db --id 9 --reason 'the run died'")
		})},
	// Figures of the report alone.
	{name: "nights: less reached", base: "nights draw", want: "ledger release",
		do: each(says("cumulative.factor", "1"), says("cumulative.nats", 0))},
	{name: "nights: fewer new records", base: "nights draw", want: "ledger release",
		do: says("records.new", plus(-1))},
	{name: "nights: fewer records with a visible change", base: "nights draw", want: "ledger release",
		do: says("records.visible", plus(-1))},
	// The same in report and ledger.
	{name: "nights: nulls that show an earlier value, unsaid", base: "nights absent", want: "record draws",
		do: func(t *testing.T, n *release) {
			n.export = ""
			earlierRows("held", func(_, of map[string]any) { of["absent"] = number(of["absent"]) - 1 })(t, n)
		}},
	{name: "nights: a null of tonight out of the history", base: "nights nulls", want: "published outputs",
		do: func(t *testing.T, n *release) {
			done := false
			n.rewrite(t, func(_ recordName, list []showing) []showing {
				if e := &list[len(list)-1]; !done && len(list) == 1 && e.Output == 0xffff && int(e.Last) == 3 {
					e.Output, done = 0, true
				}
				return list
			})
		}},
	{name: "nights: fewer held, in both", base: "nights hold", want: "record draws",
		do: func(t *testing.T, n *release) {
			held := int(number(at(at(n.series(), "published"), "held")["rows"]))
			earlierRows("held", fewer)(t, n)
			n.last(t, "seal", `"held":`+strconv.Itoa(held)+`,`, `"held":`+strconv.Itoa(held-1)+`,`)
		}},
	{name: "nights: rows of the total that tell less", base: "nights total", want: "rows by draw",
		do: earlierRows("held", func(_, of map[string]any) { less(of) })},
	{name: "nights: fewer rows that the total holds, in both", base: "nights total", want: "rows by draw",
		do: func(t *testing.T, n *release) {
			held := int(number(at(at(n.series(), "published"), "held")["rows"]))
			earlierRows("held", fewer)(t, n)
			n.last(t, "seal", `"held":`+strconv.Itoa(held)+`,`, `"held":`+strconv.Itoa(held-1)+`,`)
		}},
	// The record history.
	{name: "nights: an output of a night before in the history", base: "nights total", want: "budget rule",
		do: func(t *testing.T, n *release) {
			// A record that may not show this tonight, after another first output.
			done := false
			n.rewrite(t, func(_ recordName, list []showing) []showing {
				if !done && len(list) > 1 && list[0].Output != 5 && list[0].Last == list[1].First-1 &&
					list[1].Output <= 1 && list[1].Last == 4 {
					list[0].Output, done = 5, true
				}
				return list
			})
		}},
	{name: "nights: a record published twice in one night", base: "nights draw", want: "budget rule",
		do: func(t *testing.T, n *release) {
			done := false
			n.rewrite(t, func(_ recordName, list []showing) []showing {
				if !done && len(list) == 2 && list[1].Last == 3 && list[0].Last < 3 {
					list[0].Last, done = 3, true
				}
				return list
			})
		}},
	{name: "nights: no record history", base: "nights draw", want: `"cannot be read"`,
		do: func(t *testing.T, n *release) { must(t, os.Remove(n.history)) }},
	{name: "nights: half a record history", base: "nights draw", want: `"record history"`,
		do: func(t *testing.T, n *release) {
			data, err := os.ReadFile(n.history)
			must(t, err)
			must(t, os.WriteFile(n.history, data[:len(data)/2], 0o600))
		}},
	{name: "nights: a history out of order", base: "nights draw", want: `"out of order"`,
		do: func(t *testing.T, n *release) {
			data, err := os.ReadFile(n.history)
			must(t, err)
			data[16] ^= 0xff
			must(t, os.WriteFile(n.history, data, 0o600))
		}},
	// Output and key.
	{name: "nights: two rows exchanged where records are held", base: "nights hold", want: "record draws",
		do: swap},
	{name: "nights: two rows exchanged where persons draw", base: "nights persons", want: "record draws",
		do: swap},
	{name: "nights: the key of another series", base: "nights draw", want: `"were made with the key"`,
		do: func(t *testing.T, n *release) {
			old, _ := filepath.Glob(n.drawKey + ".*")
			data, err := os.ReadFile(old[0])
			must(t, err)
			must(t, os.WriteFile(n.drawKey, data, 0o600))
		}},
	{name: "nights: a key that others can read", base: "nights draw", want: `"by others"`,
		do: func(t *testing.T,
			n *release) {
			must(t, os.Chmod(n.drawKey, 0o644))
		}},
	{name: "nights: no key", base: "nights draw", want: `"not a whole key"`,
		do: func(t *testing.T, n *release) {
			must(t, os.WriteFile(n.drawKey, []byte("tacet"),
				0o600))
		}},
	{name: "nights: no ledger", base: "nights draw", want: `"neither a ledger"`,
		do: func(t *testing.T, n *release) { n.export = "?" }},
	{name: "nights: a fresh draw that told more", base: "nights fresh", want: "cumulative factor",
		do: altered("cumulative", "seal", `"cumulative":`, larger)},
}
