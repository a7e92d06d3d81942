package pipeline_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/verify"
)

// A maybe is a record of two columns that may be null.
type maybe struct {
	ID int64   `parquet:"id"`
	U  *string `parquet:"u,optional,dict"`
	V  *string `parquet:"v,optional,dict"`
}

// letterOrNull is a cell; "" is null.
func letterOrNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func writeMaybe(t *testing.T, path string, rows []maybe) {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[maybe](&b, parquet.MaxRowsPerRowGroup(int64(1+len(rows)/2)))
	_, err := w.Write(rows)
	if err := errors.Join(err, w.Close(), os.WriteFile(path, b.Bytes(), 0o600)); err != nil {
		t.Fatal(err)
	}
}

// shownMaybe are the cells of u by id, "" for a null.
func shownMaybe(t *testing.T, path string) map[int64]string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	in := parquet.NewGenericReader[struct {
		ID int64   `parquet:"id"`
		U  *string `parquet:"u,optional"`
	}](f)
	defer in.Close()
	out := map[int64]string{}
	rows := make([]struct {
		ID int64   `parquet:"id"`
		U  *string `parquet:"u,optional"`
	}, 100)
	for {
		n, err := in.Read(rows)
		for _, r := range rows[:n] {
			if out[r.ID] = ""; r.U != nil {
				out[r.ID] = *r.U
			}
		}
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// A trace is what a record showed, night by night, each with the law it was
// drawn by; "-" is a night in which it was not there.
type trace struct {
	shown []string
	law   []map[string]map[string]int64
}

// visible reports whether the trace shows that the record changed: no letter
// that never changed can give it. A null that stays is given by none.
func (s *trace) visible() bool {
	nulls, values := false, false
	var first map[string]map[string]int64
	var x []string
	under := map[string]string{}
	for i, y := range s.shown {
		switch {
		case y == "-":
			continue
		case first == nil:
			first = s.law[i]
			for l := range first {
				x = append(x, l)
			}
		}
		if y == "" {
			nulls = true
			continue
		}
		values = true
		name := fmt.Sprint(s.law[i])
		if before, known := under[name]; known && before != y {
			return true
		}
		under[name] = y
		var still []string
		for _, l := range x {
			if s.law[i][l][y] > 0 {
				still = append(still, l)
			}
		}
		x = still
	}
	return nulls && values || values && len(x) == 0
}

// presenceWorld plays nights of records whose values come and go, and compares
// the counts of the report with those that the published files show.
func presenceWorld(t *testing.T, seed uint64, change string, redesign bool) {
	r := rand.New(rand.NewPCG(seed, 5))
	dir, secret := t.TempDir(), newKey(t)
	letters := []string{"a", "a", "a", "b", "b", "c", ""}
	rows := make([]maybe, 60+r.IntN(60))
	for i := range rows {
		rows[i] = maybe{ID: int64(i), U: letterOrNull(letters[r.IntN(len(letters))])}
	}
	traces := map[int64]*trace{}
	held := map[int64]string{}
	for night := 1; night <= 5; night++ {
		in := filepath.Join(dir, fmt.Sprint("in", night))
		writeMaybe(t, in, rows)
		o := pipeline.Options{Input: in, Column: "u", Utility: "ordered:a,b,c", MaxFactor: "3", FloorBy: "rank",
			Headroom: "40%", Null: "public", Audit: "off", Keep: []string{"id"},
			Output: filepath.Join(dir, fmt.Sprint("out", night)), Report: filepath.Join(dir, fmt.Sprint("r", night)),
			Repeat: pipeline.Repeat{RecordID: []string{"id"}, KeyFile: secret, Ledger: filepath.Join(dir, "ledger"),
				Dataset: "d", OnChange: change},
			Settings: []report.Setting{{Name: "record-id", Value: "id", Origin: "flag"}}}
		if redesign && night >= 3 {
			o.MaxFactor, o.Redesign = "4", night == 3
		}
		reports, err := pipeline.Run(context.Background(), o)
		if err != nil {
			t.Fatalf("night %d: %v; hint: %s", night, err, fault.As(err).Hint)
		}
		rep := reports[0]
		law := planRows(t, filepath.Join(o.Report, "plan.json"))
		compareTraces(t, rep, traces, shownMaybe(t, o.Output), law, night)
		for id, y := range shownMaybe(t, o.Output) {
			if first, known := held[id]; !known {
				held[id] = y
			} else if change == "hold" && y != first {
				t.Fatalf("night %d: record %d shows %q and showed %q first", night, id, y, first)
			}
		}
		for _, m := range rows {
			if y := shownMaybe(t, o.Output)[m.ID]; change != "hold" && (y == "") != (m.U == nil) {
				t.Fatalf("night %d: record %d: presence is not published as it is", night, m.ID)
			}
		}
		holds(t, verify.Request{Report: filepath.Join(o.Report, "report.json"), Input: in, Output: o.Output, Ledger: o.Ledger,
			Key: secret})
		for i := range rows {
			if r.IntN(8) == 0 {
				rows[i].U = letterOrNull(letters[r.IntN(len(letters))])
			}
			if r.IntN(25) == 0 {
				rows[i].ID = int64(1000*night + i)
			}
		}
	}
}

// compareTraces adds a night to the traces and holds the report to them.
func compareTraces(t *testing.T, rep *report.Report, traces map[int64]*trace, shown map[int64]string,
	law map[string]map[string]int64, night int) {
	t.Helper()
	var fresh, vanished, visible, changed int64
	for id, y := range shown {
		s := traces[id]
		if s == nil {
			fresh++
			s = &trace{}
			for range night - 1 {
				s.shown, s.law = append(s.shown, "-"), append(s.law, nil)
			}
			traces[id] = s
		} else {
			for i := len(s.shown) - 1; i >= 0; i-- {
				if s.shown[i] != "-" {
					if s.shown[i] != y {
						changed++
					}
					break
				}
			}
		}
		by := law
		for _, earlier := range s.law {
			if rep.History.Series.OnChange == "hold" && earlier != nil {
				by = earlier // it shows the draw of its first night
				break
			}
		}
		s.shown, s.law = append(s.shown, y), append(s.law, by)
	}
	for _, s := range traces {
		if len(s.shown) < night {
			if s.shown[len(s.shown)-1] != "-" {
				vanished++
			}
			s.shown, s.law = append(s.shown, "-"), append(s.law, nil)
		}
		if s.visible() {
			visible++
		}
	}
	k := rep.History.Series.Kept
	if k.New != fresh || k.Vanished != vanished || k.Visible != visible || k.Changed != changed ||
		k.Records != int64(len(traces)) {
		t.Errorf("night %d: %d known, %d new, %d vanished, %d visible, %d changed; the files show %d, %d, %d, %d, %d",
			night, k.Records, k.New, k.Vanished, k.Visible, k.Changed, len(traces), fresh, vanished, visible, changed)
	}
}

// TestPresenceThroughNights: a value that becomes null and a null that becomes a
// value are changes. Published, they are visible; held, the record goes on
// showing what it showed first. Every count is that of the published files.
func TestPresenceThroughNights(t *testing.T) {
	for seed := range uint64(2) {
		for _, change := range []string{"draw", "hold"} {
			for _, redesign := range []bool{false, true} {
				t.Run(fmt.Sprint(change, seed, redesign), func(t *testing.T) { presenceWorld(t, seed, change, redesign) })
			}
		}
	}
}

// TestPresenceRefused: 60 values become null and 60 nulls become values; under
// refuse the night is not published.
func TestPresenceRefused(t *testing.T) {
	dir, secret := t.TempDir(), newKey(t)
	rows := make([]maybe, 1000)
	for i := range rows {
		rows[i] = maybe{ID: int64(i), U: letterOrNull([]string{"a", "b", "c", ""}[i%4])}
	}
	job := func(night int) pipeline.Options {
		in := filepath.Join(dir, fmt.Sprint("in", night))
		writeMaybe(t, in, rows)
		return pipeline.Options{Input: in, Column: "u", Utility: "ordered:a,b,c", MaxFactor: "3", Headroom: "40%",
			Null: "public", Audit: "off", Keep: []string{"id"},
			Output: filepath.Join(dir, fmt.Sprint("out", night)), Report: filepath.Join(dir, fmt.Sprint("r", night)),
			Repeat: pipeline.Repeat{RecordID: []string{"id"}, KeyFile: secret, Ledger: filepath.Join(dir, "ledger"),
				Dataset: "d", OnChange: "refuse"}}
	}
	run(t, job(1))
	run(t, job(2)) // nothing has changed
	for i := range 60 {
		rows[4*i].U, rows[4*i+3].U = nil, letterOrNull("a")
	}
	_, err := pipeline.Run(context.Background(), job(3))
	if f := fault.As(err); err == nil || f.Class != fault.Privacy {
		t.Fatalf("the night was published: %v", err)
	}
	want := "120 records would be published with another output than before"
	if !bytes.Contains([]byte(err.Error()), []byte(want)) {
		t.Errorf("%v, want %q", err, want)
	}
	again := job(3) // under another design no output is one of before, and presence still is
	again.MaxFactor, again.Redesign = "2", true
	again.Output, again.Report = again.Output+"again", again.Report+"again"
	_, err = pipeline.Run(context.Background(), again)
	if err == nil || fault.As(err).Class != fault.Privacy || !bytes.Contains([]byte(err.Error()), []byte(want)) {
		t.Errorf("under another design: %v, want %q", err, want)
	}
}

// TestMostlyNulls: of 10,000 records 9,900 are null. What a value tells by being
// there stands beside what a null tells, and every share is of the records that
// have a value, in public and inside.
func TestMostlyNulls(t *testing.T) {
	dir := t.TempDir()
	rows := make([]maybe, 10_000)
	for i := range rows {
		if i%100 == 0 {
			rows[i].U = letterOrNull([]string{"a", "a", "a", "a", "b"}[i/100%5])
		}
	}
	o := pipeline.Options{Input: filepath.Join(dir, "in"), Column: "u", Utility: "ordered:a,b", MaxFactor: "4.05",
		Null: "public", Keep: []string{"u"}, AllowSorted: true,
		Output: filepath.Join(dir, "out"), Report: filepath.Join(dir, "r")}
	writeMaybe(t, o.Input, rows)
	r := run(t, o)
	if n := r.Nulls; n.Factor != "100/99" || n.Present != "100" || !(n.Nats >= 0.01005033) || !(n.Valued >= 4.605170) {
		t.Errorf("%+v", n)
	}
	inside, public := string(read(t, filepath.Join(o.Report, "report.txt"))),
		string(read(t, filepath.Join(o.Report, "public", "report.txt")))+
			string(read(t, filepath.Join(o.Report, "public", "report.html")))
	for text, in := range map[string]string{
		"24.6 in 100 records that have a value hold":                public,
		"right for so many of the records that have a value before": public, "as a value reveals that it is there": public,
		"of the records that have a value": inside, "that the cell has a value becomes at most 100 times as likely": inside,
		"that the cell is null becomes at most 1.0102 times as likely": inside,
	} {
		if !strings.Contains(strings.Join(strings.Fields(in), " "), text) {
			t.Errorf("%q is not said", text)
		}
	}
	for _, w := range r.Warnings {
		if strings.Contains(w, "held by") && !strings.Contains(w, "held by at most 80 % of the records that have a value") ||
			strings.Contains(w, "0.01 nats") {
			t.Error(w)
		}
	}
	holds(t, verify.Request{Report: filepath.Join(o.Report, "report.json"), Input: o.Input, Output: o.Output})
}
