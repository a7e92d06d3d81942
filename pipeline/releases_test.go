package pipeline_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/claim"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// A row of a series whose outputs may be null.
type row struct {
	ID int64   `parquet:"id"`
	V  *string `parquet:"v,dict,optional"`
}

// rows of letters, by id.
func rowsOf(letters string) []row {
	out := make([]row, len(letters))
	for i := range letters {
		v := letters[i : i+1]
		out[i] = row{int64(i), &v}
	}
	return out
}

// p4 has 500 a, 300 b, 150 c and 50 d.
func p4() string {
	return strings.Repeat("a", 500) + strings.Repeat("b", 300) + strings.Repeat("c", 150) + strings.Repeat("d", 50)
}

func writeRows(t *testing.T, path string, rows []row) {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[row](&b)
	_, err := w.Write(rows)
	if err := errors.Join(err, w.Close(), os.WriteFile(path, b.Bytes(), 0o600)); err != nil {
		t.Fatal(err)
	}
}

// shownBy are the outputs by id, "" for null.
func shownBy(t *testing.T, path string) []string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	in := parquet.NewGenericReader[row](f)
	defer in.Close()
	rows := make([]row, in.NumRows())
	if n, err := in.Read(rows); n != len(rows) && !errors.Is(err, io.EOF) {
		t.Fatal(n, err)
	}
	out := make([]string, len(rows))
	for _, r := range rows {
		if r.V != nil {
			out[r.ID] = *r.V
		}
	}
	return out
}

// distance4 is an order of four letters: the nearer in the alphabet, the better.
const distance4 = "ordered:a,b,c,d"

// A night4 is a job over letters.
type night4 struct {
	letters string
	change  func(*pipeline.Options)
}

// A series4 is released night after night.
type series4 struct {
	dir, key string
	n        int
}

func newSeries4(t *testing.T) *series4 { return &series4{dir: t.TempDir(), key: newKey(t)} }

// release makes the next night.
func (s *series4) release(t *testing.T, n night4) (pipeline.Options, *report.Report, error) {
	t.Helper()
	input := filepath.Join(s.dir, fmt.Sprint("in", s.n))
	writeRows(t, input, rowsOf(n.letters))
	o := pipeline.Options{Input: input, Column: "v", Utility: distance4, Audit: "off", Keep: []string{"id"},
		Output: filepath.Join(s.dir, fmt.Sprint("out", s.n)), Report: filepath.Join(s.dir, fmt.Sprint("report", s.n)),
		Repeat: pipeline.Repeat{RecordID: []string{"id"}, KeyFile: s.key, Ledger: filepath.Join(s.dir, "ledger"),
			Dataset: "d", OnChange: "publish"}}
	n.change(&o)
	r, err := pipeline.Run(context.Background(), o)
	if err != nil {
		return o, nil, err
	}
	s.n++
	return o, r[0], nil
}

// public is what everybody may read of a release.
func public(t *testing.T, o pipeline.Options) string {
	t.Helper()
	return string(read(t, filepath.Join(o.Report, "public", "report.txt")))
}

func says(t *testing.T, where, text string, want ...string) {
	t.Helper()
	text = strings.Join(strings.Fields(text), " ")
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("%s does not say %q", where, w)
		}
	}
}

func saysNot(t *testing.T, where, text string, unwanted ...string) {
	t.Helper()
	text = strings.Join(strings.Fields(text), " ")
	for _, w := range unwanted {
		if strings.Contains(text, w) {
			t.Errorf("%s says %q", where, w)
		}
	}
}

// TestHeldRowsAreTheirOwn: night 1 publishes the input as it is, night 2 asks
// for almost nothing and holds all of it. That is refused, and where it is asked
// for no view takes this release's mechanism for the one of the rows.
func TestHeldRowsAreTheirOwn(t *testing.T) {
	s := newSeries4(t)
	if _, _, err := s.release(t, night4{p4(), func(o *pipeline.Options) {
		o.MaxFactor, o.OnChange, o.AllowUnchanged = "20",
			"hold", true
	}}); err != nil {
		t.Fatal(err)
	}
	tight := func(o *pipeline.Options) { o.MaxFactor, o.OnChange, o.Redesign = "6/5", "hold", true }
	o, _, err := s.release(t, night4{p4(), tight})
	if f := fault.As(err); err == nil || f.Class != fault.Privacy ||
		!strings.Contains(f.What, "1000 rows would show the first output again") ||
		!strings.Contains(f.Hint, "--keep-earlier") {
		t.Fatalf("%v", err)
	}
	if _, err := os.Stat(o.Output); err == nil {
		t.Error("an output was written")
	}
	o, r, err := s.release(t, night4{p4(), func(o *pipeline.Options) { tight(o); o.KeepEarlier = true }})
	if err != nil {
		t.Fatal(err)
	}
	p := r.History.Series.Published
	if p.Drawn != 0 || p.Held == nil || p.Held.Rows != 1000 || p.Held.Factor != "20" || p.Held.Rank != 4 ||
		len(r.Caps) > 0 || r.Story != nil || r.Guess != nil || r.Binding != nil {
		t.Errorf("%+v %+v, %d caps, story %v", p, p.Held, len(r.Caps), r.Story)
	}
	text := string(read(t, filepath.Join(o.Report, "report.txt")))
	says(t, "the report", text, "1000 rows show their first output again: at most 20 times", "exactly 20",
		"nothing is promised of them: ", "They were kept on purpose", "0 of 0 records, of rows drawn anew")
	says(t, "the public report", public(t, o), "nothing is promised of them: ", "They were kept on purpose",
		"The floor does not cover rows that are not drawn anew", "that was drawn anew")
	saysNot(t, "the report", text, "exactly 1)", "exactly 6/5")
	saysNot(t, "the public report", public(t, o), "1000 rows show", "20 times")
	sharesAreWhole(t, r)
	if c, _ := claim.Find(r.Claims, "leakage.reached"); c.Figure != nil {
		t.Error("a factor is stated of a mechanism that drew nothing")
	}
}

// TestRepeatedRowsAreTheirOwn is the same by a total: what cannot be drawn any
// more shows what it showed.
func TestRepeatedRowsAreTheirOwn(t *testing.T) {
	s, even := newSeries4(t), strings.Repeat("abcd", 250)
	total := func(over string) func(*pipeline.Options) {
		return func(o *pipeline.Options) {
			o.Utility = "matrix:" + filepath.Join(s.dir, "cyclic.csv")
			if err := os.WriteFile(filepath.Join(s.dir, "cyclic.csv"),
				[]byte(",a,b,c,d\na,3,2,1,0\nb,0,3,2,1\nc,1,0,3,2\nd,2,1,0,3\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			o.Design, o.MaxFactor, o.TotalEpsilon, o.OverBudget = "safe", "2", "log(2)", over
		}
	}
	for _, over := range []string{"repeat", "suppress"} {
		t.Run(over, func(t *testing.T) {
			*s = *newSeries4(t)
			if _, _, err := s.release(t, night4{even, total(over)}); err != nil {
				t.Fatal(err)
			}
			tight := func(o *pipeline.Options) { total(over)(o); o.MaxFactor, o.Redesign = "4/3", true }
			if _, _, err := s.release(t, night4{even, tight}); err == nil || fault.As(err).Class != fault.Privacy ||
				!strings.Contains(err.Error(), "and may leak") {
				t.Fatalf("%v", err)
			}
			o, r, err := s.release(t, night4{even, func(o *pipeline.Options) { tight(o); o.KeepEarlier = true }})
			if err != nil {
				t.Fatal(err)
			}
			p, shown := r.History.Series.Published, shownBy(t, o.Output)
			of := map[string]*report.Shown{"repeat": p.Repeated, "suppress": p.Suppressed}[over]
			if of == nil || of.Rows == 0 || !(ratOf(t, of.Factor).Cmp(big.NewRat(4, 3)) > 0) || p.Drawn+of.Rows != 1000 {
				t.Fatalf("%+v", p)
			}
			nulls := int64(0)
			for _, y := range shown {
				if y == "" {
					nulls++
				}
			}
			if over == "suppress" && nulls != of.Rows {
				t.Errorf("%d rows are null, %d are said to be", nulls, of.Rows)
			}
			text := string(read(t, filepath.Join(o.Report, "report.txt")))
			says(t, "the report", text, fmt.Sprintf("%d rows", of.Rows),
				"for someone who sees one of them, is certain that its value never changed", "that was drawn anew")
			if over == "suppress" {
				says(t, "the public report", public(t, o), "a null stands for what the total does not let be published",
					"refused in the input")
				saysNot(t, "the public report", public(t, o), "there are none")
			} else {
				says(t, "the public report", public(t, o), "shows its last output again where a draw would pass the total")
			}
			sharesAreWhole(t, r)
		})
	}
}

// TestNullsOfVisibleChanges: letters change visibly under one plan; under the
// next the total suppresses these records, and no epsilon bounds what their nulls
// tell, however little the draws of the others do.
func TestNullsOfVisibleChanges(t *testing.T) {
	s, letters := newSeries4(t), []byte(strings.Repeat("abcd", 250))
	job := func(design, factor string, redesign, keep bool) night4 {
		return night4{string(letters), func(o *pipeline.Options) {
			o.Design, o.MaxFactor, o.TotalEpsilon, o.OverBudget, o.Redesign, o.KeepEarlier = design, factor, "log(8)",
				"suppress", redesign, keep
		}}
	}
	for night := range 2 {
		if _, _, err := s.release(t, job("safe", "2", false, false)); err != nil {
			t.Fatalf("night %d: %v", night+1, err)
		}
		if night == 0 {
			slices.Reverse(letters)
		}
	}
	_, _, err := s.release(t, job("optimal", "3", true, false))
	if err == nil {
		t.Fatal("the night was published")
	}
	if f := fault.As(err); f.Class != fault.Privacy || !strings.Contains(f.What,
		"of records that changed visibly would be published as null") {
		t.Fatalf("%v", err)
	}
	_, r, err := s.release(t, job("optimal", "3", true, true))
	if err != nil {
		t.Fatal(err)
	}
	p := r.History.Series.Published
	if p.Suppressed == nil || p.Suppressed.Visible == 0 || !slices.ContainsFunc(r.Warnings,
		func(w string) bool { return strings.Contains(w, "nothing bounds what all that was published of") }) {
		t.Errorf("%+v, %q", p.Suppressed, r.Warnings)
	}
}

// TestFloorOfHeldRows: a floor is said of the rows that were drawn, and the worst
// of the others is named.
func TestFloorOfHeldRows(t *testing.T) {
	s := newSeries4(t)
	r := rand.New(rand.NewPCG(4, 4))
	letters := []byte(strings.Repeat(p4(), 4))
	var o pipeline.Options
	var rep *report.Report
	for night := range 4 {
		var err error
		o, rep, err = s.release(t, night4{string(letters), func(o *pipeline.Options) {
			o.MaxFactor, o.OnChange, o.Headroom = "5/2", "hold", "20%"
			if night == 3 {
				o.MaxFactor, o.Redesign = "4", true
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		if night == 3 {
			break
		}
		for i := range letters {
			if r.IntN(3) == 0 {
				letters[i] = p4()[r.IntN(1000)]
			}
		}
	}
	worst, below := 4, 0
	ranks := ranks4(t, filepath.Join(o.Report, "order.csv"))
	for i, y := range shownBy(t, o.Output) {
		k := ranks[string(letters[i])][y]
		worst = min(worst, k)
		if k < rep.Floor.Rank {
			below++
		}
	}
	p := rep.History.Series.Published
	if p.Held == nil || p.Held.Rank != worst || worst >= rep.Floor.Rank || below == 0 || int64(below) > p.Held.Rows {
		t.Errorf("the floor is %d; the worst published is %d, %d rows below; said %+v", rep.Floor.Rank, worst, below, p.Held)
	}
	text := string(read(t, filepath.Join(o.Report, "report.txt")))
	says(t, "the report", text, fmt.Sprintf("No record that was drawn anew was replaced by a value worse than rank "+
		"%d of 4", rep.Floor.Rank),
		fmt.Sprintf("the worst of these outputs is of rank %d of 4", worst),
		fmt.Sprintf("0 of %d records, of rows drawn anew", p.Drawn))
	saysNot(t, "the report", text, "No record was replaced", fmt.Sprintf(" 0 of %d records", len(letters)))
	saysNot(t, "the public report", public(t, o), "No record was replaced", fmt.Sprintf("%d rows show", p.Held.Rows),
		fmt.Sprintf("rank %d of 4", worst))
}

// TestCumulativeIsForTheCertain: under publish no figure is for who thinks that
// values may change; hold covers them.
func TestCumulativeIsForTheCertain(t *testing.T) {
	for _, change := range []string{"publish", "hold"} {
		s := newSeries4(t)
		job := func(o *pipeline.Options) { o.MaxFactor, o.OnChange = "2", change }
		if _, _, err := s.release(t, night4{p4(), job}); err != nil {
			t.Fatal(err)
		}
		o, r, err := s.release(t, night4{p4(), job})
		if err != nil {
			t.Fatal(err)
		}
		c, _ := claim.Find(r.Claims, "cumulative")
		says(t, change, c.Words, "is certain that its value never changed", "data of the plan of its first release",
			"A record that changed visibly has no such figure")
		_, open := claim.Find(r.Claims, "cumulative.changes")
		if open != (change == "publish") || c.Relative != claim.FirstPlan || c.Observer != claim.SeesReleases {
			t.Errorf("%s: %v, %+v", change, open, c)
		}
		if open {
			says(t, "the public report", public(t, o), "or that there was none", "only showing first outputs again covers that")
		}
	}
}

func sharesAreWhole(t *testing.T, r *report.Report) {
	t.Helper()
	sum := 0.0
	for _, o := range r.Outputs {
		sum += o.Share
	}
	if !(sum > 1-1e-9 && sum < 1+1e-9) {
		t.Errorf("the shares of the outputs add up to %v", sum)
	}
}

func ratOf(t *testing.T, s string) *big.Rat {
	t.Helper()
	f, ok := new(big.Rat).SetString(s)
	if !ok {
		t.Fatalf("%q is no fraction", s)
	}
	return f
}

// ranks4 are by letter and output, 1 the worst; of a tie the lower column ranks
// lower.
func ranks4(t *testing.T, order string) map[string]map[string]int {
	t.Helper()
	out := map[string]map[string]int{}
	lines := strings.Split(strings.TrimSpace(string(read(t, order))), "\n")
	head := strings.Split(lines[0], ",")[1:]
	for _, l := range lines[1:] {
		cells := strings.Split(l, ",")
		rank := map[string]int{}
		for i, y := range head {
			for j := range head {
				a, b := ratOf(t, cells[i+1]), ratOf(t, cells[j+1])
				if c := b.Cmp(a); c < 0 || c == 0 && j <= i {
					rank[strings.Trim(y, `"`)]++
				}
			}
		}
		out[strings.Trim(cells[0], `"`)] = rank
	}
	return out
}

var _ = json.Valid
var _ = maps.Keys[map[int]int]
var _ = slices.Sort[[]int]
var _ = mechanism.Nats
