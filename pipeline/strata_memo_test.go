package pipeline_test

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism/draw"
	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/decide"
	"github.com/tacet-privacy/tacet/pipeline/key"
)

// TestStrataMemoised: with a mechanism for each day, a record is drawn by id,
// letter and the mechanism of its day, as docs/draws.md says, whatever the order
// of the rows, the row groups and the threads. A record that comes into another
// stratum is drawn anew; no other record changes.
func TestStrataMemoised(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 1))
	rows, secret := visits(6000, r), newKey(t)
	for i := range rows { // the days have different letters
		if rows[i].Day == "day 1" {
			at := 'A' + 'J' - rune(rows[i].X[0])
			rows[i].X = string(at)
		}
	}
	shuffled := append([]visit{}, rows...)
	r.Shuffle(len(rows), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	moved := append([]visit{}, rows...)
	var swapped []int // records of one letter change their days, so that the counts stay
	for i := 17; len(swapped) < 20; i++ {
		for j := i + 1; j < i+100; j++ {
			if !slices.Contains(swapped, i) && !slices.Contains(swapped, j) && moved[i].X == moved[j].X &&
				moved[i].Day != moved[j].Day {
				moved[i].Day, moved[j].Day = moved[j].Day, moved[i].Day
				swapped = append(swapped, i, j)
			}
		}
	}
	o := strataJob(t, rows, 6000, secret)
	first, path := run(t, o), filepath.Join(o.Report, "plan.json")
	p, err := decide.LoadPlan(path)
	if err != nil {
		t.Fatal(err)
	}
	laws, law := p.Laws()
	if first.Strata.Rule != "apart" || len(laws) != 3 || first.Plan.Design != p.DesignHash {
		t.Fatalf("%s, %d mechanisms", first.Strata.Rule, len(laws))
	}
	k, err := key.Read(secret, key.Draw, "")
	if err != nil {
		t.Fatal(err)
	}
	design, err := hex.DecodeString(p.DesignHash)
	if err != nil {
		t.Fatal(err)
	}
	var drawer []*draw.Drawer
	for i, m := range laws {
		bound := draw.Binding{Unit: draw.Record, Design: sha256.Sum256(binary.BigEndian.AppendUint64(append([]byte{},
			design...), uint64(i))), Column: "x"}
		drawer = append(drawer, draw.NewKeyed(draw.KeyOf([32]byte(k.Secret())), bound, m).Drawer())
	}
	expected := func(rows []visit) map[string]string {
		out := map[string]string{}
		for _, v := range rows {
			var id draw.ID
			id.Int(v.ID)
			y := drawer[law[v.Day[4]-'0']].Draw(&id, int32(v.X[0]-'A'))
			out[fmt.Sprint(v.ID)] = kinds[y : y+1]
		}
		return out
	}
	before, after := expected(rows), expected(moved)
	if maps.Equal(before, after) {
		t.Fatal("no record that came into another stratum is drawn otherwise")
	}
	for _, c := range []struct {
		rows    []visit
		group   int
		threads int
		want    map[string]string
	}{{rows, 6000, 1, before}, {shuffled, 700, 3, before}, {shuffled, 700, 1, before}, {moved, 900, 3, after}} {
		o := strataJob(t, c.rows, c.group, secret)
		o.Threads, o.Plan, o.Column, o.Utility, o.Epsilon, o.Strata, o.GivenOnly = c.threads, path, "", "", "", "", false
		if _, err := pipeline.Apply(context.Background(), o); err != nil {
			t.Fatal(err)
		}
		got := arrowColumns(t, o.Output, "id", "x")
		for i, id := range got["id"] {
			if got["x"][i] != c.want[id] {
				t.Fatalf("record %s is published as %s, want %s", id, got["x"][i], c.want[id])
			}
		}
		if len(got["id"]) != len(rows) {
			t.Errorf("%d records", len(got["id"]))
		}
	}
}

// strataJob draws by id, given the day.
func strataJob(t *testing.T, rows []visit, group int, secret string) pipeline.Options {
	t.Helper()
	input := filepath.Join(t.TempDir(), "in")
	writeVisits(t, input, rows, group)
	o := remembered(t.TempDir(), input, secret, "id")
	o.Strata, o.GivenOnly, o.Keep = "day", true, []string{"id", "day"}
	return o
}
