package pipeline_test

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/claim"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/request"
	"github.com/tacet-privacy/tacet/pipeline/verify"
)

// twoColumns is a run that privatizes u and v, whose nulls stay.
func twoColumns(t *testing.T, rows []maybe, factor string) pipeline.Options {
	t.Helper()
	dir := t.TempDir()
	o := pipeline.Options{Input: filepath.Join(dir, "in"), Keep: []string{"u", "v"}, AllowUnchanged: true,
		Output: filepath.Join(dir, "out"), Report: filepath.Join(dir, "r")}
	writeMaybe(t, o.Input, rows)
	for _, c := range []string{"u", "v"} {
		o.Columns = append(o.Columns, request.Choice{Column: c, Utility: "ordered:a,b,c,d", MaxFactor: factor,
			Null: "public"})
	}
	return o
}

// TestNullsGiveAnotherColumnAway: u is null exactly where v is d. That is
// refused as a column that gives v away is, and can be allowed by name; what is
// said of both together carries its condition.
func TestNullsGiveAnotherColumnAway(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	var rows []maybe
	for range 1000 {
		m := maybe{V: letterOrNull([]string{"a", "b", "c", "d"}[min(3, r.IntN(19)/6)]),
			U: letterOrNull(string(rune('a' + r.IntN(3))))}
		if *m.V == "d" {
			m.U = nil
		}
		rows = append(rows, m)
	}
	o := twoColumns(t, rows, "12/5")
	_, err := pipeline.Run(context.Background(), o)
	if f := fault.As(err); err == nil || f.Class != fault.Privacy || !strings.Contains(f.Hint, "--allow-linked u") ||
		!strings.Contains(err.Error(), `null makes some guess of "v"`) {
		t.Fatalf("u tells of v by its nulls: %v", err)
	}
	o.AllowLinked, o.AllowSorted = []string{"u"}, true
	reports, err := pipeline.Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	j := reports[0].Joint
	if len(j.Presence) != 1 || j.Presence[0].Of != "v" || !j.Presence[0].Beyond ||
		!strings.Contains(strings.Join(j.Words, " "), "for somebody who knows which these are") {
		t.Errorf("%+v, %q", j.Presence, j.Words)
	}
	if c, ok := claim.Find(reports[0].Claims, "joint.reached"); !ok || c.Records != claim.Valued ||
		!strings.Contains(c.Words, "among the records that are null in the same columns") {
		t.Errorf("%+v", c)
	}
	holds(t, verify.Request{Report: filepath.Join(o.Report, "joint.json"), Input: o.Input, Output: o.Output})

	forgedPresence(t, o, `"gain": `, `"gain": 1`)
	forgedPresence(t, o, `"with_presence": {
      "factor": "`, `"with_presence": {
      "factor": "1`)

	// Nulls that fall where they will are not refused.
	for i := range rows {
		if rows[i].U = letterOrNull("a"); r.IntN(19) == 0 {
			rows[i].U = nil
		} else if r.IntN(2) == 0 {
			rows[i].U = letterOrNull("b")
		}
	}
	if _, err := pipeline.Run(context.Background(), twoColumns(t, rows, "12/5")); err != nil {
		t.Error(err)
	}
}

// forgedPresence writes something else into joint.json and the reports of both
// columns, and wants the check of presence to fail; then all is put back.
func forgedPresence(t *testing.T, o pipeline.Options, old, now string) {
	t.Helper()
	for _, name := range []string{"joint.json", "1/report.json", "2/report.json"} {
		path := filepath.Join(o.Report, name)
		data := read(t, path)
		if !strings.Contains(string(data), old) && name == "joint.json" {
			t.Fatalf("%s does not hold %q", name, old)
		}
		forged := strings.Replace(string(data), old, now, 1)
		if err := os.WriteFile(path, []byte(forged), 0o600); err != nil {
			t.Fatal(err)
		}
		defer os.WriteFile(path, data, 0o600)
	}
	res, err := verify.Run(context.Background(), verify.Request{Report: filepath.Join(o.Report, "joint.json"),
		Input: o.Input, Output: o.Output})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(res.Failed(), "joint presence") {
		t.Errorf("%q passed: %v", now, res.Failed())
	}
}

// TestPresenceTogether: of random small files, what all cells of a record tell
// with which of them are null, and what nulls tell of the other column, are what
// the definition gives for the rows that were drawn from; and so is what a null
// or a value of one column tells by being there.
func TestPresenceTogether(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 9))
	for range 12 {
		var rows []maybe
		for range 6 + r.IntN(30) {
			cell := func() *string { return letterOrNull([]string{"", "a", "a", "b", "c"}[r.IntN(5)]) }
			rows = append(rows, maybe{U: cell(), V: cell()})
		}
		rows = append(rows, maybe{U: letterOrNull("a"), V: letterOrNull("b")}, maybe{})
		o := twoColumns(t, rows, fmt.Sprint(2+r.IntN(3)))
		o.Audit = "off"
		reports, err := pipeline.Run(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		holds(t, verify.Request{Report: filepath.Join(o.Report, "joint.json"), Input: o.Input, Output: o.Output})
		law := [2]map[string]map[string]int64{planRows(t, filepath.Join(o.Report, "1", "plan.json")),
			planRows(t, filepath.Join(o.Report, "2", "plan.json"))}
		count := map[[2]string]int64{}
		for _, m := range rows {
			k := [2]string{}
			for i, c := range []*string{m.U, m.V} {
				if c != nil {
					k[i] = *c
				}
			}
			count[k]++
		}
		j := reports[0].Joint
		if want := allCells(count, law, int64(len(rows))); j.Shown == nil || j.Shown.Factor != want.RatString() ||
			!(j.Shown.Nats >= math.Log(float(want))-1e-12) {
			t.Errorf("all cells with their nulls: %+v, want %v", j.Shown, want)
		}
		for i, name := range []string{"u", "v"} {
			for _, p := range j.Presence {
				if p.Of == name {
					if want, gain := tellsOf(count, i); p.Factor != want.RatString() || !(math.Abs(p.Gain-gain) <= 1e-12) {
						t.Errorf("nulls tell of %s %s and %v, want %v and %v", name, p.Factor, p.Gain, want, gain)
					}
				}
			}
			nulls := int64(0)
			for k, c := range count {
				if k[i] == "" {
					nulls += c
				}
			}
			n, all := reports[i].Nulls, int64(len(rows))
			if n.Factor != big.NewRat(all, nulls).RatString() || n.Present != big.NewRat(all, all-nulls).RatString() {
				t.Errorf("%d nulls of %d: a null tells %s, a value %s", nulls, all, n.Factor, n.Present)
			}
		}
	}
}

func float(r *big.Rat) float64 { v, _ := r.Float64(); return v }

// chanceOf is the chance that a cell shows as y: a null that stays always does.
func chanceOf(law map[string]map[string]int64, x, y string) *big.Rat {
	switch {
	case x == "" && y == "":
		return big.NewRat(1, 1)
	case x == "" || y == "":
		return new(big.Rat)
	}
	total := int64(0)
	for _, w := range law[x] {
		total += w
	}
	return big.NewRat(law[x][y], total)
}

// allCells is max over what a record may show of max p / sum P p.
func allCells(count map[[2]string]int64, law [2]map[string]map[string]int64, n int64) *big.Rat {
	best := new(big.Rat)
	letters := []string{"", "a", "b", "c", "d"}
	for _, y := range letters {
		for _, z := range letters {
			most, sum := new(big.Rat), new(big.Rat)
			for k, c := range count {
				p := new(big.Rat).Mul(chanceOf(law[0], k[0], y), chanceOf(law[1], k[1], z))
				if p.Cmp(most) > 0 {
					most = p
				}
				sum.Add(sum, new(big.Rat).Mul(p, big.NewRat(c, n)))
			}
			if sum.Sign() > 0 {
				if f := new(big.Rat).Quo(most, sum); f.Cmp(best) > 0 {
					best = f
				}
			}
		}
	}
	return best
}

// tellsOf is what the nulls of the other column tell of column i.
func tellsOf(count map[[2]string]int64, i int) (*big.Rat, float64) {
	n := int64(0)
	sum, row, rows := map[string]int64{}, map[bool]map[string]int64{true: {}, false: {}}, map[bool]int64{}
	for k, c := range count {
		if k[i] == "" {
			continue
		}
		n += c
		sum[k[i]] += c
		row[k[1-i] == ""][k[i]] += c
		rows[k[1-i] == ""] += c
	}
	best, right := big.NewRat(1, 1), int64(0)
	most := func(m map[string]int64) (v int64) {
		for _, k := range m {
			v = max(v, k)
		}
		return v
	}
	for null, m := range row {
		right += most(m)
		for x, c := range m {
			if f := big.NewRat(c*n, rows[null]*sum[x]); f.Cmp(best) > 0 {
				best = f
			}
		}
	}
	return best, float64(right-most(sum)) / float64(n)
}
