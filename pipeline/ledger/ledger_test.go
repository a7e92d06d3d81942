package ledger

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

var ctx = context.Background()

func hex64(name string) string { return hashOf([]byte(name)) }

// nightly is a memoised release of one night's input.
func nightly(input string) Release {
	return Release{Series: Series{"flights", "origin", "all"}, PlanSHA256: hex64("plan"), DesignSHA256: hex64("design"),
		KeyID:       "key1",
		InputSHA256: hex64(input), Factor: "3/2", Budget: "2", OnChange: "hold",
		Documents: []Document{{Name: "plan.json", Data: []byte("{}")}}}
}

func fresh(input string) Release {
	r := nightly(input)
	r.KeyID = ""
	return r
}

func came(output string) Realised {
	return Realised{OutputSHA256: hex64(output), Rows: 10, Factor: "4/3", Cumulative: Claim{"4/3", "exact", "one draw"},
		New: 10}
}

func anything([]Entry) (Claim, error) { return Claim{"3/2", "bound", "test"}, nil }

func open(t *testing.T, path string, o Options) *Ledger {
	t.Helper()
	l, err := Open(ctx, path, o)
	ok(t, err)
	t.Cleanup(func() { l.Close() })
	return l
}

func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func look(t *testing.T, l *Ledger) *Reading {
	t.Helper()
	r, err := l.Look(ctx)
	ok(t, err)
	return r
}

// refused wants a refusal of this kind, in one line.
func refused(t *testing.T, err error, k Kind) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.Kind != k || strings.Contains(e.What+e.Hint, "\n") || e.What == "" {
		t.Errorf("error is %#v, want kind %d", err, k)
	}
}

func reserve(t *testing.T, l *Ledger, r Release) Ticket {
	t.Helper()
	k, err := l.Reserve(ctx, r, Changes{}, anything)
	ok(t, err)
	return k
}

func publishRelease(t *testing.T, l *Ledger, input string) Ticket {
	t.Helper()
	k := reserve(t, l, nightly(input))
	ok(t, l.Seal(ctx, k.ID, came("out "+input)))
	ok(t, l.Commit(ctx, k.ID))
	return k
}

func TestStates(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a ledger?%20#.db") // a name that is none in a URL
	l := open(t, path, Options{Create: true})
	first := reserve(t, l, nightly("1"))
	if first.Again || first.Night != 1 || first.State != IsReserved || first.Base != nil {
		t.Errorf("first ticket is %+v", first)
	}
	refused(t, l.Commit(ctx, first.ID), State)
	ok(t, l.Seal(ctx, first.ID, came("out 1")))
	refused(t, l.Void(ctx, first.ID, "killed", false), State)
	ok(t, l.Commit(ctx, first.ID))
	ok(t, l.Commit(ctx, first.ID))
	refused(t, l.Void(ctx, first.ID, "regretted", true), State)
	refused(t, l.Void(ctx, 999, "none", false), Unknown)
	second := reserve(t, l, nightly("2"))
	refused(t, l.Void(ctx, second.ID, "", false), Malformed)
	ok(t, l.Void(ctx, second.ID, "killed before it drew", false))
	refused(t, l.Seal(ctx, second.ID, came("out 2")), State)
	third := reserve(t, l, nightly("2"))
	if third.Again || third.Night != 3 {
		t.Errorf("a voided release came again: %+v", third)
	}
	ok(t, l.Seal(ctx, third.ID, came("out 2")))
	ok(t, l.Void(ctx, third.ID, "looked: no copy anywhere", true))
	list := look(t, l).Entries
	st, err := os.Stat(path)
	ok(t, err)
	if st.Mode().Perm() != 0o600 {
		t.Errorf("mode %v: the ledger holds plans, which hold counts", st.Mode())
	}
	ok(t, l.Close())
	again := open(t, path, Options{ReadOnly: true})
	reread := look(t, again).Entries
	for i := range list { // the data of documents are read by Document
		for j := range list[i].Documents {
			list[i].Documents[j].Data = nil
		}
	}
	if len(list) != 3 || !reflect.DeepEqual(list, reread) || list[0].State != IsCommitted ||
		list[1].Reason != "killed before it drew" || list[2].State != IsVoided {
		t.Errorf("releases are\n%+v\nand read again\n%+v", list, reread)
	}
	data, err := look(t, again).Document(ctx, list[0].Documents[0].SHA256)
	if string(data) != "{}" || err != nil {
		t.Errorf("the plan is %q, %v", data, err)
	}
	_, err = again.Reserve(ctx, nightly("3"), Changes{}, anything)
	refused(t, err, ReadOnly)
	v, err := again.Verify(ctx, "")
	if err != nil || v.Releases != 3 || v.Documents != 1 {
		t.Errorf("verdict %+v, %v", v, err)
	}
}

// TestAgain: the same input, plan and key are the same release.
func TestAgain(t *testing.T) {
	l := open(t, filepath.Join(t.TempDir(), "l"), Options{Create: true})
	first := publishRelease(t, l, "1")
	publishRelease(t, l, "2")
	head := look(t, l).Head()
	never := func([]Entry) (Claim, error) { return Claim{}, errors.New("asked") }
	again, err := l.Reserve(ctx, nightly("1"), Changes{}, never)
	ok(t, err)
	if !again.Again || again.ID != first.ID || again.Realised.OutputSHA256 != hex64("out 1") {
		t.Errorf("the replay is %+v", again)
	}
	ok(t, l.Seal(ctx, again.ID, came("out 1")))
	ok(t, l.Commit(ctx, again.ID))
	refused(t, l.Seal(ctx, again.ID, came("other bytes")), Output)
	if look(t, l).Head() != head {
		t.Error("a replay made events")
	}
	for name, r := range map[string]Release{
		"input":   nightly("3"),
		"fresh":   fresh("1"),
		"changes": func() Release { r := nightly("1"); r.OnChange = "publish"; return r }(),
		"dataset": func() Release { r := nightly("1"); r.Dataset = "other"; return r }(),
	} {
		if k := reserve(t, l, r); k.Again {
			t.Errorf("another %s was taken for a replay", name)
		}
	}
	// A run that died after it reserved is taken over by the next.
	died := reserve(t, l, nightly("3"))
	if !died.Again || died.State != IsReserved {
		t.Errorf("the reservation of a dead run is %+v", died)
	}
}

// TestRule: the rule sees what counts, in order, and its refusal is kept out.
func TestRule(t *testing.T) {
	l := open(t, filepath.Join(t.TempDir(), "l"), Options{Create: true})
	publishRelease(t, l, "1")
	voided := reserve(t, l, nightly("2"))
	ok(t, l.Void(ctx, voided.ID, "died", false))
	column := nightly("3")
	column.Column = "destination"
	reserve(t, l, column)
	elsewhere := nightly("4")
	elsewhere.Population = "staff"
	reserve(t, l, elsewhere)
	before := look(t, l).Head()
	no := errors.New("over budget")
	_, err := l.Reserve(ctx, nightly("5"), Changes{}, func(earlier []Entry) (Claim, error) {
		if len(earlier) != 2 || earlier[0].State != IsCommitted || earlier[1].Column != "destination" ||
			earlier[1].Claim.Factor != "3/2" {
			t.Errorf("the rule sees %+v", earlier)
		}
		return Claim{}, no
	})
	if look(t, l).Head() != before || !errors.Is(err, no) {
		t.Errorf("refused with %v, or with an event", err)
	}
}

// TestPinned: neither the design nor the key changes unsaid.
func TestPinned(t *testing.T) {
	path := filepath.Join(t.TempDir(), "l")
	l := open(t, path, Options{Create: true})
	publishRelease(t, l, "1")
	other := nightly("2")
	other.DesignSHA256, other.KeyID = hex64("design 2"), "key2"
	_, err := l.Reserve(ctx, other, Changes{Redesign: "new airport"}, anything)
	refused(t, err, Key)
	_, err = l.Reserve(ctx, other, Changes{Rotate: "yearly"}, anything)
	refused(t, err, Design)
	k, err := l.Reserve(ctx, other, Changes{Redesign: "new airport", Rotate: "yearly"}, anything)
	ok(t, err)
	if design, key := look(t, l).Drawn(other.Series); design != other.DesignSHA256 || key != "key2" {
		t.Errorf("drawn by the design %s and the key %s", design, key)
	}
	_, err = l.Reserve(ctx, nightly("3"), Changes{}, anything)
	refused(t, err, Key)
	ok(t, l.Void(ctx, k.ID, "the redesign was a mistake", false))
	reserve(t, l, nightly("3")) // back to the first design and key
	v, err := l.Verify(ctx, "")
	if err != nil || v.Events != 9 {
		t.Errorf("%+v, %v", v, err)
	}
}

func TestClock(t *testing.T) {
	now := time.Date(2026, 3, 1, 2, 0, 0, 5e8, time.UTC)
	l := open(t, filepath.Join(t.TempDir(), "l"), Options{Create: true, Now: func() time.Time { return now }})
	k := reserve(t, l, nightly("1"))
	now = now.Add(-time.Hour)
	_, err := l.Reserve(ctx, nightly("2"), Changes{}, anything)
	refused(t, err, Clock)
	// What is drawn is recorded whatever the clock shows.
	ok(t, l.Seal(ctx, k.ID, came("out")))
	e, err := look(t, l).Entry(k.ID)
	if err != nil || e.SealedAt != "2026-03-01T02:00:00Z" {
		t.Errorf("sealed at %s, %v", e.SealedAt, err)
	}
	now = now.Add(time.Hour - slack)
	reserve(t, l, nightly("2"))
	var b strings.Builder
	ok(t, l.Export(ctx, &b))
	if n := strings.Count(b.String(), `"clock":"2026-03-01T01:`); n != 2 {
		t.Errorf("%d events tell what the clock showed:\n%s", n, b.String())
	}
}

func TestMalformed(t *testing.T) {
	l := open(t, filepath.Join(t.TempDir(), "l"), Options{Create: true})
	for name, spoil := range map[string]func(*Release){
		"no dataset":     func(r *Release) { r.Dataset = "" },
		"control":        func(r *Release) { r.Column = "a\nb" },
		"not UTF-8":      func(r *Release) { r.Population = "\xff" },
		"long":           func(r *Release) { r.Budget = strings.Repeat("1", 1001) },
		"short hash":     func(r *Release) { r.InputSHA256 = "ab" },
		"upper case":     func(r *Release) { r.PlanSHA256 = strings.ToUpper(r.PlanSHA256) },
		"not reduced":    func(r *Release) { r.Factor = "6/4" },
		"decimal":        func(r *Release) { r.Factor = "1.5" },
		"less than one":  func(r *Release) { r.Factor = "1/2" },
		"document named": func(r *Release) { r.Documents[0].Name = "\t" },
	} {
		r := nightly("1")
		spoil(&r)
		_, err := l.Reserve(ctx, r, Changes{}, anything)
		t.Run(name, func(t *testing.T) { refused(t, err, Malformed) })
	}
	for _, c := range []Claim{{}, {Label: "exact"}, {Label: "none", Factor: "2"}, {Label: "guess", Factor: "2"},
		{Label: "bound", Factor: "x"}} {
		_, err := l.Reserve(ctx, nightly("1"), Changes{}, func([]Entry) (Claim, error) { return c, nil })
		refused(t, err, Malformed)
	}
	k := reserve(t, l, nightly("1"))
	for _, h := range []string{"", "../x", "a/b", ".hidden"} {
		r := came("out")
		r.History = &Segment{File: h, SHA256: hex64("h")}
		refused(t, l.Seal(ctx, k.ID, r), Malformed)
	}
	r := came("out")
	r.Held = -1
	refused(t, l.Seal(ctx, k.ID, r), Malformed)
}

// TestHistoryInEffect follows the segments through seals and voids.
func TestHistoryInEffect(t *testing.T) {
	l := open(t, filepath.Join(t.TempDir(), "l"), Options{Create: true})
	of := nightly("").Series
	seal := func(input, base string) (Ticket, error) {
		k := reserve(t, l, nightly(input))
		if got := hashOfSegment(k.Base); got != base {
			t.Errorf("night %d continues %.8s, want %.8s", k.Night, got, base)
		}
		r := came("out " + input)
		r.History = &Segment{File: input + ".history", SHA256: hex64(input), Base: base, Records: 1, Entries: 1}
		return k, l.Seal(ctx, k.ID, r)
	}
	kept := func(want ...string) {
		t.Helper()
		if keep := look(t, l).Keep(of); fmt.Sprint(keep) != fmt.Sprint(want) {
			t.Errorf("keep %v, want %v", keep, want)
		}
	}
	first, err := seal("a", "")
	ok(t, err)
	ok(t, l.Commit(ctx, first.ID))
	kept("a.history")
	second, err := seal("b", hex64("a"))
	ok(t, err)
	kept("b.history", "a.history")
	ok(t, l.Void(ctx, second.ID, "never left the disk", true))
	kept("a.history")
	third, err := seal("c", hex64("a"))
	ok(t, err)
	if again := reserve(t, l, nightly("c")); again.State != IsSealed || hashOfSegment(again.Base) != hex64("a") {
		t.Errorf("the sealed night again is %+v", again)
	}
	refused(t, l.Void(ctx, first.ID, "x", true), State)
	fourth, err := seal("d", hex64("c"))
	ok(t, err)
	refused(t, l.Void(ctx, third.ID, "x", true), State) // the fourth builds on it
	ok(t, l.Commit(ctx, fourth.ID))
	kept("d.history", "a.history") // the third may still be taken up again
	ok(t, l.Commit(ctx, third.ID))
	kept("d.history")
	k := reserve(t, l, nightly("e"))
	r := came("e")
	r.History = &Segment{File: "e.history", SHA256: hex64("e"), Base: hex64("a")}
	refused(t, l.Seal(ctx, k.ID, r), State)
	if again := reserve(t, l, nightly("c")); !again.Again || hashOfSegment(again.Base) != hex64("d") {
		t.Errorf("the third night again is %+v", again)
	}
}

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "l")
	l, other := open(t, path, Options{Create: true}), open(t, path, Options{})
	of := nightly("").Series
	unlock, err := l.Lock(of)
	ok(t, err)
	_, err = other.Lock(of)
	refused(t, err, Locked)
	column := of
	column.Column = "destination"
	elsewhere, err := other.Lock(column)
	ok(t, err)
	elsewhere()
	unlock()
	unlock, err = other.Lock(of)
	ok(t, err)
	unlock()
}
