package pipeline_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

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
			Dataset: "d", OnChange: "draw"}}
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

// TestHeldRowsAreTheirOwn: night 1 publishes the input as it is, and later nights hold
// all of it. Where one asks for almost nothing it is refused, and else no view takes
// this release's mechanism for the one of the rows.
func TestHeldRowsAreTheirOwn(t *testing.T) {
	s := newSeries4(t)
	job := func(factor string, redesign bool) night4 {
		return night4{p4(), func(o *pipeline.Options) {
			o.MaxFactor, o.OnChange, o.AllowUnchanged, o.Redesign = factor, "hold", true, redesign
		}}
	}
	if _, _, err := s.release(t, job("20", false)); err != nil {
		t.Fatal(err)
	}
	o, _, err := s.release(t, job("5/2", true))
	if f := fault.As(err); err == nil || f.Class != fault.Privacy ||
		!strings.Contains(f.What, "1000 rows would show an earlier draw, and may leak") {
		t.Fatalf("%v", err)
	}
	if _, err := os.Stat(o.Output); err == nil {
		t.Error("an output was written")
	}
	rotate(t, s.key)
	o, r, err := s.release(t, job("20", false))
	if err != nil {
		t.Fatal(err)
	}
	p := r.History.Series.Published
	if p.Drawn != 0 || p.Held == nil || p.Held.Rows != 1000 || p.Held.Factor != "20" || p.Held.Rank != 4 ||
		len(r.Caps) > 0 || r.Story != nil || r.Guess != nil || r.Binding != nil {
		t.Errorf("%+v %+v, %d caps, story %v", p, p.Held, len(r.Caps), r.Story)
	}
	text := string(read(t, filepath.Join(o.Report, "report.txt")))
	says(t, "the report", text, "1000 rows show an earlier output again: at most 20 times", "exactly 20",
		"0 of 0 records, of rows drawn anew")
	says(t, "the public report", public(t, o), "are held to the same limit",
		"The floor does not cover rows that are not drawn anew", "that was drawn anew")
	saysNot(t, "the report", text, "exactly 1)")
	saysNot(t, "the public report", public(t, o), "1000 rows show")
	sharesAreWhole(t, r)
	if c, _ := claim.Find(r.Claims, "leakage.reached"); c.Figure != nil {
		t.Error("a factor is stated of a mechanism that drew nothing")
	}
}

// TestRowsOfTheTotalAreTheirOwn is the same by a total: what cannot be drawn any
// more shows what it showed.
func TestRowsOfTheTotalAreTheirOwn(t *testing.T) {
	s, even := newSeries4(t), strings.Repeat("abcd", 250)
	job := func(design, factor string, redesign bool) night4 {
		return night4{even, func(o *pipeline.Options) {
			o.Utility = cyclic4(t, s)
			o.Design, o.MaxFactor, o.TotalEpsilon, o.Redesign = design, factor, "log(2)", redesign
		}}
	}
	if _, _, err := s.release(t, job("safe", "2", false)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.release(t, job("safe", "4/3", true)); err == nil || fault.As(err).Class != fault.Privacy ||
		!strings.Contains(err.Error(), "and may leak") {
		t.Fatalf("%v", err)
	}
	rotate(t, s.key)
	o, r, err := s.release(t, job("safe", "2", false))
	if err != nil {
		t.Fatal(err)
	}
	p := r.History.Series.Published
	if p.Held == nil || p.Held.Rows != 1000 || p.Held.Factor != "2" || p.Drawn != 0 {
		t.Fatalf("%+v", p)
	}
	text := string(read(t, filepath.Join(o.Report, "report.txt")))
	says(t, "the report", text, "1000 rows show an earlier output again",
		"for someone who sees one of them, is certain that its value never changed", "that was drawn anew")
	says(t, "the public report", public(t, o), "shows its last output again where a draw would pass the total")
	sharesAreWhole(t, r)
}

// cyclic4 is an order in which two of four outputs are near each letter.
func cyclic4(t *testing.T, s *series4) string {
	t.Helper()
	path := filepath.Join(s.dir, "cyclic.csv")
	if err := os.WriteFile(path, []byte(",a,b,c,d\na,3,2,1,0\nb,0,3,2,1\nc,1,0,3,2\nd,2,1,0,3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return "matrix:" + path
}

// TestVisibleChangesGoOn: letters change visibly under one plan; under the next a
// total has these records show their last output again, and the report warns.
func TestVisibleChangesGoOn(t *testing.T) {
	s, letters := newSeries4(t), []byte(strings.Repeat("abcd", 250))
	var last []string
	for night, c := range []struct{ design, factor string }{{"safe", "2"}, {"safe", "2"}, {"optimal", "3"}} {
		o, r, err := s.release(t, night4{string(letters), func(o *pipeline.Options) {
			o.Design, o.MaxFactor, o.TotalEpsilon, o.Redesign = c.design, c.factor, "log(8)", night == 2
		}})
		if err != nil {
			t.Fatalf("night %d: %v", night+1, err)
		}
		slices.Reverse(letters)
		shown := shownBy(t, o.Output)
		if night < 2 {
			last = shown
			continue
		}
		p, same := r.History.Series.Published, int64(0)
		for i, y := range shown {
			if y == last[i] {
				same++
			}
		}
		if p.Held == nil || p.Held.Visible == 0 || same < p.Held.Visible || !slices.ContainsFunc(r.Warnings,
			func(w string) bool { return strings.Contains(w, "nothing bounds what all that was published of") }) {
			t.Errorf("%d rows as before, %+v, %q", same, p.Held, r.Warnings)
		}
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
	says(t, "the report", text, "Every record that was drawn anew is published as one of its",
		fmt.Sprintf("rank %d of 4, 1 is the worst", rep.Floor.Rank),
		fmt.Sprintf("the worst of these outputs is of rank %d of 4", worst),
		fmt.Sprintf("0 of %d records, of rows drawn anew", p.Drawn))
	saysNot(t, "the report", text, "No record was replaced", fmt.Sprintf(" 0 of %d records", len(letters)))
	saysNot(t, "the public report", public(t, o), "No record was replaced", fmt.Sprintf("%d rows show", p.Held.Rows),
		fmt.Sprintf("rank %d of 4", worst))
}

// TestCumulativeIsForTheCertain: under draw no figure is for who thinks that
// values may change; hold covers them.
func TestCumulativeIsForTheCertain(t *testing.T) {
	for _, change := range []string{"draw", "hold"} {
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
		if open != (change == "draw") || c.Relative != claim.FirstPlan || c.Observer != claim.SeesReleases {
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
