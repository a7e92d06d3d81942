package pipeline_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/fault"
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
	again.MaxFactor, again.Redesign = "5/2", true
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
