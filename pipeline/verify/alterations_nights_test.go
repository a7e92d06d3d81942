package verify_test

import (
	"math"
	"math/big"
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
