package pipeline_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/verify"
)

// holds runs the checker over a release and wants no check to fail.
func holds(t *testing.T, q verify.Request) {
	t.Helper()
	res, err := verify.Run(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range res.Checks {
		if slices.Contains(res.Failed(), c.Name) {
			t.Errorf("%s: %s", c.Name, c.Detail)
		}
	}
}

// TestMergedLetterKeepsItsOwnRow: 71 is treated as 23, and in the tree by tens
// it has nothing in common with 23. The floor that is stated is that of its own
// row, and the order's line of 71 is not called unused.
func TestMergedLetterKeepsItsOwnRow(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.parquet")
	counted(t, in, []string{"15", "23", "28", "71"}, []int{300, 300, 300, 5})
	order := filepath.Join(dir, "tens.csv")
	if err := os.WriteFile(order, []byte("15;10-19;*\n23;20-29;*\n28;20-29;*\n71;70-79;*\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	seed := uint64(1)
	o := pipeline.Options{Input: in, Column: "c", Utility: "hierarchy:" + order, MaxFactor: "3.2", FloorBy: "value",
		MinCount: 10, Other: "23",
		TestSeed: &seed, Output: filepath.Join(dir, "out.parquet"), Report: filepath.Join(dir, "r")}
	r := run(t, o)
	rows := planRows(t, filepath.Join(o.Report, "plan.json"))
	if len(rows["71"]) != len(rows["23"]) || r.Floor.Value != -2 || r.Floor.InWords != "any value at all" {
		t.Errorf("rows %v, floor %v (%s): 71 is published as a letter of another ten", rows, r.Floor.Value, r.Floor.InWords)
	}
	if r.Order.Extra != 0 || r.Other == nil || r.Other.Lent != 0 || r.Other.Letters != 1 || r.Prior.Unseen != 0 {
		t.Errorf("%d letters of the order unused, %d without a record, %+v", r.Order.Extra, r.Prior.Unseen, r.Other)
	}
	holds(t, verify.Request{Report: filepath.Join(o.Report, "report.json"), Input: in, Output: o.Output})

	// A floor that 71 cannot keep among the outputs of 23 is refused.
	floor := -1.0
	o.FloorBy, o.FloorValue = "", &floor
	o.Output, o.Report = filepath.Join(dir, "o2"), filepath.Join(dir, "r2")
	_, err := pipeline.Run(context.Background(), o)
	if f := fault.As(err); err == nil || f.Class != fault.Privacy {
		t.Errorf("a floor that no row keeps for 23 and 71: %v", err)
	}
}

// TestMergedLettersKeepTheFloor: random orders and counts, floors by rank and by
// utility, rows that the order lacks. Every letter, merged or not, keeps what is
// stated by its own row, computed here from the definition.
func TestMergedLettersKeepTheFloor(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 14))
	made, lent, refused, cases := 0, 0, 0, 16
	if os.Getenv("TACET_TORTURE") != "" {
		cases = 120
	}
	for range cases {
		n := 4 + r.IntN(3)
		letters, count := []string{}, []int{}
		for x := range n {
			letters, count = append(letters, string(rune('a'+x))), append(count, 20+r.IntN(200))
		}
		rare := 1 + r.IntN(n-2)
		for x := range rare {
			count[n-1-x] = 1 + r.IntN(9)
		}
		other := letters[r.IntN(n)]
		lacking := -1
		if r.IntN(3) == 0 && other != letters[n-1] {
			lacking = n - 1
		}
		value := make([][]float64, n)
		var b strings.Builder
		fmt.Fprintf(&b, "x,%s\n", strings.Join(letters[:n-rare], ","))
		for x := range n {
			if x != lacking {
				b.WriteString(letters[x])
			}
			for range n - rare {
				v := float64(r.IntN(6))
				value[x] = append(value[x], v)
				if x != lacking {
					fmt.Fprintf(&b, ",%v", v)
				}
			}
			if x != lacking {
				b.WriteString("\n")
			}
		}
		if lacking >= 0 {
			value[lacking] = value[slices.Index(letters, other)]
		}
		dir := t.TempDir()
		in, order := filepath.Join(dir, "in.parquet"), filepath.Join(dir, "u.csv")
		counted(t, in, letters, count)
		if err := os.WriteFile(order, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		seed := r.Uint64()
		o := pipeline.Options{Input: in, Column: "c", Utility: "matrix:" + order, MaxFactor: fmt.Sprint(3 + r.IntN(20)),
			FloorBy: []string{"", "value"}[r.IntN(2)],
			Design:  []string{"auto", "safe", "optimal"}[r.IntN(3)], MinCount: 10, Other: other, Audit: "off",
			TestSeed: &seed,
			Output:   filepath.Join(dir, "out.parquet"), Report: filepath.Join(dir, "r")}
		reports, err := pipeline.Run(context.Background(), o)
		var f *fault.Fault
		if errors.As(err, &f) && f.Class == fault.Privacy {
			refused++
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		rep := reports[0]
		made++
		lent += rep.Other.Lent
		if want := map[bool]int{true: 1}[lacking >= 0]; rep.Other.Lent != want || rep.Order.Extra != 0 {
			t.Errorf("%d rows lent, want %d; %d unused", rep.Other.Lent, want, rep.Order.Extra)
		}
		judgeOwnRows(t, rep, letters, count, value, filepath.Join(o.Report, "plan.json"))
		holds(t, verify.Request{Report: filepath.Join(o.Report, "report.json"), Input: in, Output: o.Output})
	}
	if made < cases*2/3 || lent < cases/12 {
		t.Errorf("%d made, %d with lent rows, %d refused: the test has become empty", made, lent, refused)
	}
}

// judgeOwnRows compares floor and expected utility with the rows of the plan.
func judgeOwnRows(t *testing.T, r *report.Report, letters []string, count []int, value [][]float64, path string) {
	t.Helper()
	rows := planRows(t, path)
	total, mean := 0, 0.0
	worst, rank := math.Inf(1), len(value[0])
	for x, l := range letters {
		weight := int64(0)
		for _, w := range rows[l] {
			weight += w
		}
		total += count[x]
		for out, w := range rows[l] {
			y := slices.Index(letters, out)
			place := 1
			for k, v := range value[x] {
				if v < value[x][y] || v == value[x][y] && k < y {
					place++
				}
			}
			worst, rank = min(worst, value[x][y]), min(rank, place)
			mean += float64(count[x]) * value[x][y] * float64(w) / float64(weight)
		}
	}
	mean /= float64(total)
	if r.Floor.Rank != rank || r.Floor.Value != worst || !(math.Abs(r.Utility.Expected-mean) <= 1e-9) ||
		!(r.Utility.UpperBound >= mean-1e-9) {
		t.Errorf("floor rank %d utility %v, mean %v of at most %v; by each letter's own row rank %d utility %v, mean %v",
			r.Floor.Rank, r.Floor.Value, r.Utility.Expected, r.Utility.UpperBound, rank, worst, mean)
	}
	var plan struct {
		Floor struct {
			By string
			At float64
		}
	}
	if err := json.Unmarshal(read(t, path), &plan); err != nil {
		t.Fatal(err)
	}
	if plan.Floor.By == "rank" && float64(rank) < plan.Floor.At || plan.Floor.By == "value" && worst < plan.Floor.At {
		t.Errorf("a letter is below the floor %v %v of the plan", plan.Floor.By, plan.Floor.At)
	}
}

// TestLettersWithoutARecord: z, as which e is treated, is no letter without a
// record. A plan declares d and has no record of it; applied to a file of which d
// has 900 records, d is none either, and the output that only d gives is listed.
func TestLettersWithoutARecord(t *testing.T) {
	dir := t.TempDir()
	order, domain := filepath.Join(dir, "u.csv"), filepath.Join(dir, "domain.txt")
	for path, text := range map[string]string{order: "x,p,q,r\na,2,1,0\nb,1,2,0\nd,0,0,3\nz,2,1,0\n", domain: "d\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	first, second := filepath.Join(dir, "in1"), filepath.Join(dir, "in2")
	counted(t, first, []string{"a", "b", "e"}, []int{600, 380, 5})
	counted(t, second, []string{"a", "b", "d"}, []int{600, 380, 900})
	floor := 3
	o := pipeline.Options{Input: first, Column: "c", Utility: "matrix:" + order, MaxFactor: "400", AllowUnchanged: true,
		FloorRank: &floor, MinCount: 10, Other: "z",
		Output: filepath.Join(dir, "o1"), Report: filepath.Join(dir, "r1")}
	r := run(t, o)
	if r.Other.Letters != 1 || r.Other.Lent != 1 || r.Prior.Unseen != 0 {
		t.Errorf("%+v, %d letters without a record; z is drawn like e", r.Other, r.Prior.Unseen)
	}
	holds(t, verify.Request{Report: filepath.Join(o.Report, "report.json"), Input: first, Output: o.Output})

	// Without --min-count d has a row of its own, and the plan has no record of it.
	counted(t, first, []string{"a", "b"}, []int{600, 380})
	o.Domain, o.MinCount, o.Other, o.Output, o.Report = domain, 0, "", filepath.Join(dir, "o2"), filepath.Join(dir, "r2")
	r = run(t, o)
	if r.Prior.Unseen != 1 || r.Prior.Late != 0 {
		t.Errorf("%d letters without a record, %d late; d is one", r.Prior.Unseen, r.Prior.Late)
	}
	a := pipeline.Options{Input: second, Plan: filepath.Join(o.Report, "plan.json"), AllowUnchanged: true,
		Output: filepath.Join(dir, "o3"), Report: filepath.Join(dir, "r3")}
	applied, err := pipeline.Apply(context.Background(), a)
	if err != nil {
		t.Fatal(err)
	}
	r = applied[0]
	found := false
	for _, y := range r.Outputs {
		found = found || y.Label.Text == "r" && y.Factor == "94/45" && y.Support == 1
	}
	if r.Prior.Unseen != 0 || r.Prior.Late != 0 || !found || len(r.Outputs) != 3 {
		t.Errorf("%d without a record, %d late, outputs %+v", r.Prior.Unseen, r.Prior.Late, r.Outputs)
	}
	holds(t, verify.Request{Report: filepath.Join(a.Report, "report.json"), Input: second, Output: a.Output})
}
