package verify

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
	"github.com/tacet-privacy/tacet/pipeline/verify/files"
	"github.com/tacet-privacy/tacet/pipeline/verify/releases"
)

// A nightAlteration is what a forger does to a series, who makes every hash
// fit: of the report, the output, and the chain of the ledger. want is the
// check that has to fail, or, in quotes, part of the refusal.
type nightAlteration struct {
	name, course, want string
	do                 func(t *testing.T, n *nightly)
}

func says(member string, value func(any) any) func(*testing.T, *nightly) {
	return func(_ *testing.T, n *nightly) { n.series()[member] = value(n.series()[member]) }
}

func counts(member string, d float64) func(*testing.T, *nightly) {
	return func(_ *testing.T, n *nightly) {
		r := at(n.series(), "records")
		r[member] = number(r[member]) + d
	}
}

// inBoth changes a count in report and ledger alike.
func inBoth(member, inLedger string, d int) func(*testing.T, *nightly) {
	return func(t *testing.T, n *nightly) {
		r := at(n.series(), "records")
		old := int(number(r[member]))
		r[member] = old + d
		n.last(t, "seal", `"`+inLedger+`":`+strconv.Itoa(old)+`,`, `"`+inLedger+`":`+strconv.Itoa(old+d)+`,`)
	}
}

// altered changes a factor in report and ledger alike.
func altered(member, kind, old string, change func(any) any) func(*testing.T, *nightly) {
	return func(t *testing.T, n *nightly) {
		f := at(n.series(), member)
		was := f["factor"].(string)
		f["factor"] = change(was)
		v, _ := exact.Fraction(f["factor"].(string))
		_, high := exact.Log(v, 256)
		f["nats"], _ = high.Float64()
		f["nats"] = f["nats"].(float64) + 1e-12
		n.last(t, kind, old+`{"factor":"`+was, old+`{"factor":"`+f["factor"].(string))
	}
}

// last forges the last event of a kind.
func (n *nightly) last(t *testing.T, kind, old, text string) {
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
func earlierRows(class string, change func(all, of map[string]any)) func(*testing.T, *nightly) {
	return func(t *testing.T, n *nightly) {
		all := at(n.series(), "published")
		of, ok := all[class].(map[string]any)
		if !ok {
			t.Fatalf("no row is %s", class)
		}
		change(all, of)
	}
}

// less makes rows tell nothing, consistently.
func less(n map[string]any) {
	n["factor"], n["nats"] = "1", 0
	for _, o := range n["outputs"].([]any) {
		if o := o.(map[string]any); o["factor"] != nil {
			o["factor"] = "1"
		}
	}
}

// claimed changes a claim of the report.
func claimed(key string, change func(map[string]any)) func(*testing.T, *nightly) {
	return func(t *testing.T, n *nightly) {
		for _, c := range n.report["claims"].([]any) {
			if c := c.(map[string]any); c["key"] == key {
				change(c)
				return
			}
		}
		t.Fatalf("there is no claim %s", key)
	}
}

var nightAlterations = []nightAlteration{
	// Rows that are not drawn anew.
	{"a held row said to be drawn", "hold", "rows by draw, with the key",
		earlierRows("held", func(all, of map[string]any) {
			all["drawn"], of["rows"] = number(all["drawn"])+1, number(of["rows"])-1
			o := of["outputs"].([]any)[0].(map[string]any)
			o["rows"] = number(o["rows"]) - 1
		})},
	{"held rows that tell less", "hold", "rows by draw", earlierRows("held", func(_, of map[string]any) { less(of) })},
	{"held rows of a better rank", "hold", "rows by draw, with the key",
		earlierRows("held", func(_, of map[string]any) { of["rank"] = number(of["rank"]) + 1 })},
	{"held rows of a better rank, by the files", "hold", "earlier draws",
		earlierRows("held", func(_, of map[string]any) { of["rank"] = number(of["rank"]) + 1 })},
	{"no row said to be held", "hold", "rows by draw", earlierRows("held", func(all, of map[string]any) {
		all["drawn"] = number(all["drawn"]) + number(of["rows"])
		delete(all, "held")
	})},
	{"nulls that tell less", "hide", "rows by draw", earlierRows("suppressed", func(_, of map[string]any) { less(of) })},
	{"nulls said to be repeated", "hide", "rows by draw", earlierRows("suppressed", func(all, of map[string]any) {
		all["repeated"] = of
		delete(all, "suppressed")
	})},
	{"fewer nulls of visible changes", "hide", "rows by draw", earlierRows("suppressed",
		func(_, of map[string]any) { of["visible"] = number(of["visible"]) - 1 })},
	{"nobody asked to keep them", "hide", "earlier draws", earlierRows("suppressed",
		func(all, _ map[string]any) { all["keep_earlier"] = false })},
	{"an output that hides its earlier rows", "hold", "earlier draws", func(_ *testing.T, n *nightly) {
		delete(n.report["outputs"].([]any)[0].(map[string]any), "earlier_rows")
	}},
	{"the null left out of the outputs", "hide", "output shares", func(_ *testing.T, n *nightly) {
		all := n.report["outputs"].([]any)
		n.report["outputs"] = all[:len(all)-1]
	}},
	{"a promise for all rows", "hold", "claims", claimed("leakage", func(c map[string]any) { c["records"] = "all" })},
	{"a floor for all rows", "hold", "claims", claimed("floor", func(c map[string]any) { c["records"] = "all" })},
	{"a promise for rows that were to be kept", "hide", "claims",
		claimed("leakage.earlier", func(c map[string]any) { c["standing"] = "promised" })},
	{"changes said to be another thing", "publish", "claims", claimed("cumulative.changes",
		func(c map[string]any) { c["key"] = "cumulative.change" })},
	{"another number of held rows in words", "hold", "claims", claimed("leakage.held",
		func(c map[string]any) { at(c, "figure")["count"] = number(at(c, "figure")["count"]) + 1 })},
	// The ledger.
	{"an event changed, its hash as it was", "publish", "ledger", func(t *testing.T, n *nightly) {
		n.export = strings.Replace(n.export, `"rows":2000`, `"rows":2001`, 1)
	}},
	{"an event removed", "publish", "ledger", func(t *testing.T, n *nightly) {
		lines := strings.SplitAfter(n.export, "\n")
		n.export = strings.Join(slices.Delete(lines, 3, 4), "")
	}},
	{"events taken off the end", "publish", "ledger head", func(t *testing.T, n *nightly) {
		lines := strings.SplitAfter(n.export, "\n")
		n.export = strings.Join(lines[:6], "")
	}},
	{"the chain written anew", "publish", "ledger head", func(t *testing.T, n *nightly) {
		head := n.series()["head"]
		n.forge(t, `was rotated"`, `was lost"`)
		n.series()["head"] = head
	}},
	{"a rotation unsaid", "publish", "ledger", func(t *testing.T, n *nightly) {
		n.last(t, "rotate", `"kind":"rotate","rotate":`, `"kind":"redesign","redesign":`)
		n.forge(t, `"to":"`, `"to":"0`)
	}},
	{"a head of another night", "publish", "ledger head", func(t *testing.T, n *nightly) {
		lines := strings.Split(n.export, "\n")
		n.series()["head"] = lines[2][len(lines[2])-66 : len(lines[2])-2]
	}},
	{"another ledger", "publish", "ledger head", says("ledger", to(strings.Repeat("0", 32)))},
	{"another release", "publish", "ledger release", says("release", to(2))},
	{"no such release", "publish", "ledger release", says("release", to(99))},
	{"another night", "publish", "ledger release", says("night", plus(1))},
	{"another dataset", "publish", "ledger release", says("dataset", to("visitors"))},
	{"another way with changes", "publish", "ledger release", says("on_change", to("hold"))},
	{"a larger total", "repeat", "ledger release", says("total_epsilon", to("1.2"))},
	{"no total", "repeat", "ledger release", says("total_epsilon", to(""))},
	{"another input", "publish", "ledger release", func(t *testing.T, n *nightly) {
		n.forge(t, `"input_sha256":"`+at(n.report, "input")["sha256"].(string), `"input_sha256":"`+strings.Repeat("0", 64))
	}},
	{"another output in the ledger", "publish", "ledger release", func(t *testing.T, n *nightly) {
		n.forge(t, `"output_sha256":"`+at(n.report, "output")["sha256"].(string), `"output_sha256":"`+strings.Repeat("0", 64))
	}},
	{"a release voided", "publish", "ledger", func(t *testing.T, n *nightly) {
		n.last(t, "commit", `"kind":"commit"`, `"kind":"void"`)
		n.forge(t, `"kind":"void","release":`+strconv.Itoa(int(number(n.series()["release"])))+`}`,
			`"kind":"void","release":2}`)
	}},
	{"a release before left out", "publish", "releases before",
		func(t *testing.T, n *nightly) { n.series()["earlier"] = n.series()["earlier"].([]any)[1:] }},
	{"a release before of fewer rows", "publish", "releases before",
		func(t *testing.T, n *nightly) { first(n.series()["earlier"])["rows"] = 1999 }},
	{"a release before that told less", "publish", "releases before",
		func(t *testing.T, n *nightly) { first(n.series()["earlier"])["factor"] = "1" }},
	// Figures of the report alone.
	{"less reserved", "publish", "ledger figures", func(t *testing.T, n *nightly) {
		f := at(n.series(),
			"reserved")
		f["label"] = "bound"
	}},
	{"less reached", "publish", "ledger figures", func(t *testing.T, n *nightly) {
		f := at(n.series(), "cumulative")
		f["factor"], f["nats"] = "1", 0
	}},
	{"fewer new records", "publish", "ledger figures", counts("new", -1)},
	{"fewer records with a visible change", "publish", "ledger figures", counts("visible", -1)},
	{"fewer rows held", "hold", "ledger figures", counts("held", -1)},
	// The same in report and ledger.
	{"fewer new, in both", "publish", "records of the history", inBoth("new", "new", -1)},
	{"fewer vanished, in both", "publish", "records of the history", inBoth("vanished", "vanished", -1)},
	{"fewer with a visible change, in both", "publish", "records of the history", inBoth("visible", "changed", -1)},
	{"more changed outputs", "publish", "records of the history", counts("changed", 50000)},
	{"no changed outputs", "repeat", "records of the history", counts("changed", -1000)},
	{"fewer suppressed", "suppress", "records of the history", func(t *testing.T, n *nightly) {
		n.export = ""
		counts("suppressed", -1)(t, n)
	}},
	{"values that became nulls, unsaid", "absent", "record draws", func(t *testing.T, n *nightly) {
		n.export = ""
		counts("suppressed", -1)(t, n)
	}},
	{"nulls that show an earlier value, unsaid", "absent", "record draws", func(t *testing.T, n *nightly) {
		n.export = ""
		counts("shown", -1)(t, n)
	}},
	{"a null of tonight out of the history", "nulls", "published outputs", func(t *testing.T, n *nightly) {
		done := false
		n.rewrite(t, func(_ releases.Name, list []releases.Entry) []releases.Entry {
			if e := &list[len(list)-1]; !done && len(list) == 1 && e.Output == releases.Null && int(e.Last) == 3 {
				e.Output, done = 0, true
			}
			return list
		})
	}},
	{"changes of presence unsaid, in both", "nulls", "records of the history", inBoth("visible", "changed", -100)},
	{"what a null tells where it may be an earlier one", "absent", "nulls",
		func(_ *testing.T, n *nightly) { at(n.report, "nulls")["null_factor"] = "6" }},
	{"fewer limited, in both", "repeat", "budget rule", inBoth("limited", "limited", -1)},
	{"fewer held, in both", "hold", "record draws", inBoth("held", "held", -1)},
	{"less reached, in both", "repeat", "cumulative factor", altered("cumulative", "seal", `"cumulative":`, smaller)},
	{"more reserved, in both", "repeat", "reserved worst case", altered("reserved", "reserve", `"claim":`, larger)},
	{"the spread", "publish", "cumulative factor", func(t *testing.T, n *nightly) {
		s := at(n.series(), "records")["spread"].([]any)
		s[0].(map[string]any)["nats"] = number(s[0].(map[string]any)["nats"]) - .002
	}},
	// The record history.
	{"a history that the ledger does not name", "publish", "record history", func(t *testing.T, n *nightly) {
		export, head := n.export, n.series()["head"]
		n.rewrite(t, func(_ releases.Name, list []releases.Entry) []releases.Entry { return list[:1] })
		n.export, n.series()["head"] = export, head
	}},
	{"an output of tonight in the history", "publish", "published outputs",
		func(t *testing.T, n *nightly) { n.shift(t, 3) }},
	{"an output of a night before in the history", "repeat", "budget rule", func(t *testing.T, n *nightly) {
		// A record that may not show this tonight, after another first output.
		done := false
		n.rewrite(t, func(_ releases.Name, list []releases.Entry) []releases.Entry {
			if !done && len(list) > 1 && list[0].Last == list[1].First-1 && list[1].Output <= 1 {
				list[0].Output, done = 5, true
			}
			return list
		})
	}},
	{"a record that may only repeat shows another output", "repeat", "budget rule", func(t *testing.T, n *nightly) {
		done := false
		n.rewrite(t, func(_ releases.Name, list []releases.Entry) []releases.Entry {
			if !done && len(list) == 3 && list[0].Channel == list[1].Channel && list[2].Channel != list[0].Channel &&
				list[2].Last == 4 {
				list[2].Output, done = (list[2].Output+1)%6, true
			}
			return list
		})
		if !done {
			t.Fatal("no record changed visibly before the new key")
		}
	}},
	{"a visible change hidden", "publish", "ledger figures", func(t *testing.T, n *nightly) {
		n.rewrite(t, func(_ releases.Name, list []releases.Entry) []releases.Entry { return list })
		counts("visible", -3)(t, n)
	}},
	{"a record published twice in one night", "publish", "budget rule", func(t *testing.T, n *nightly) {
		done := false
		n.rewrite(t, func(_ releases.Name, list []releases.Entry) []releases.Entry {
			if !done && len(list) == 2 && list[1].Last == 3 && list[0].Last < 3 {
				list[0].Last, done = 3, true
			}
			return list
		})
	}},
	{"a held record that shows another output", "hold", "budget rule", func(t *testing.T, n *nightly) {
		done := false
		n.rewrite(t, func(_ releases.Name, list []releases.Entry) []releases.Entry {
			if !done && list[0].First == 1 && list[0].Last == 3 {
				list[0].Last, done = 2, true
				list = append(slices.Clone(list), releases.Entry{Channel: list[0].Channel, Output: list[0].Output ^ 1, First: 3,
					Last: 3})
			}
			return list
		})
	}},
	{"no record history", "publish", `"cannot be read"`, func(t *testing.T, n *nightly) { must(t, os.Remove(n.history)) }},
	{"half a record history", "publish", `"record history"`, func(t *testing.T, n *nightly) {
		data, err := os.ReadFile(n.history)
		must(t, err)
		must(t, os.WriteFile(n.history, data[:len(data)/2], 0o600))
	}},
	{"a history out of order", "publish", `"out of order"`, func(t *testing.T, n *nightly) {
		data, err := os.ReadFile(n.history)
		must(t, err)
		data[16] ^= 0xff
		must(t, os.WriteFile(n.history, data, 0o600))
	}},
	// Output and key.
	{"two rows exchanged", "publish", "record draws", swap},
	{"two rows exchanged where records are held", "hold", "record draws", swap},
	{"two rows exchanged where persons draw", "persons", "record draws", swap},
	{"other letters in the input", "publish", "record draws", func(t *testing.T, n *nightly) {
		old := at(n.report, "input")["sha256"].(string)
		in := &release{output: n.input}
		in.redraw(t, outputsOf(n.release), func(row int64, x int32) int32 {
			if row < 60 {
				return (x + 1) % 6
			}
			return x
		})
		data, err := os.ReadFile(n.input)
		must(t, err)
		at(n.report, "input")["sha256"], at(n.report, "input")["bytes"] = files.Hex(data), len(data)
		n.forge(t, `"input_sha256":"`+old, `"input_sha256":"`+files.Hex(data))
	}},
	{"the key of another series", "publish", `"were made with the key"`, func(t *testing.T, n *nightly) {
		old, _ := filepath.Glob(n.key + ".*")
		data, err := os.ReadFile(old[0])
		must(t, err)
		must(t, os.WriteFile(n.key, data, 0o600))
	}},
	{"a key that others can read", "publish", `"by others"`, func(t *testing.T,
		n *nightly) {
		must(t, os.Chmod(n.key, 0o644))
	}},
	{"no key", "publish", `"no draw key"`, func(t *testing.T, n *nightly) {
		must(t, os.WriteFile(n.key, []byte("tacet"),
			0o600))
	}},
	{"no ledger", "publish", `"neither a ledger"`, func(t *testing.T, n *nightly) { n.export = "?" }},
	{"fresh draws that told less", "fresh", "reserved worst case", altered("reserved", "reserve", `"claim":`, smaller)},
	{"a figure of fresh draws beyond what can be told", "fresh", "reserved worst case",
		altered("reserved", "reserve", `"claim":`, func(any) any { return "1000" })},
}

// shift moves the last output of one record among those of a night.
func (n *nightly) shift(t *testing.T, night uint16) {
	done := false
	n.rewrite(t, func(_ releases.Name, list []releases.Entry) []releases.Entry {
		if last := &list[len(list)-1]; !done && last.First == night && last.Last == night {
			last.Output, done = (last.Output+1)%6, true
		}
		return list
	})
}

// swap exchanges the outputs of two rows and leaves every count
// as it is.
func swap(t *testing.T, n *nightly) {
	var first, second int64 = -1, -1
	var a, b int32
	labels := outputsOf(n.release)
	n.redraw(t, labels, func(row int64, y int32) int32 {
		switch {
		case first < 0:
			first, a = row, y
		case second < 0 && y != a:
			second, b = row, y
		}
		return y
	})
	n.redraw(t, labels, func(row int64, y int32) int32 {
		switch row {
		case first:
			return b
		case second:
			return a
		}
		return y
	})
	old := at(n.report, "output")["sha256"].(string)
	data, err := os.ReadFile(n.output)
	must(t, err)
	n.forge(t, `"output_sha256":"`+old, `"output_sha256":"`+files.Hex(data))
}

func outputsOf(r *release) (labels []string) {
	for _, l := range r.plan["outputs"].([]any) {
		labels = append(labels, l.(string))
	}
	return labels
}

// TestNightsAltered: every altered claim of a series is refused by name.
func TestNightsAltered(t *testing.T) {
	bases := map[string]*nightly{}
	for _, a := range nightAlterations {
		if bases[a.course] == nil {
			bases[a.course] = courses[a.course].run(t, a.course == "fresh")
		}
		t.Run(a.name, func(t *testing.T) {
			n := bases[a.course].copied(t)
			a.do(t, n)
			n.saveReport(t, true)
			q := n.request(t)
			if a.course == "fresh" {
				q.Key = ""
			}
			refusedBy(t, q, a.want)
		})
	}
}
