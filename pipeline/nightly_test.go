package pipeline_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/key"
	"github.com/tacet-privacy/tacet/pipeline/ledger"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// A world is records whose letters change and which come and go.
type world struct {
	r      *rand.Rand
	letter map[int64]string
	next   int64
}

func newWorld(n int, seed uint64) *world {
	w := &world{r: rand.New(rand.NewPCG(seed, 7)), letter: map[int64]string{}}
	for range n {
		w.letter[w.next] = letterOf(w.r)
		w.next++
	}
	return w
}

// night lets a share of letters change, a tenth of it of records come, and as
// many go.
func (w *world) night(share float64) {
	for id := range w.next {
		if _, ok := w.letter[id]; !ok {
			continue
		}
		if w.r.Float64() < share {
			w.letter[id] = letterOf(w.r)
		}
		if w.r.Float64() < share/10 {
			delete(w.letter, id)
			w.letter[w.next] = letterOf(w.r)
			w.next++
		}
	}
}

func (w *world) write(t *testing.T, path string) {
	t.Helper()
	rows := make([]visit, 0, len(w.letter))
	for id := range w.next {
		if x, ok := w.letter[id]; ok {
			rows = append(rows, visit{ID: id, X: x})
		}
	}
	w.r.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	writeVisits(t, path, rows, 1+len(rows)/3)
}

// An observer has the plan and everything that was published, and keeps the
// books by fractions and by the definition: what every letter's likelihood of
// a record's outputs is, one factor for each draw, which is one for each key.
type observer struct {
	prior  map[string]*big.Rat
	law    map[string]map[string]*big.Rat // by input, by output
	total  *big.Rat                       // e^total; nil for none
	over   string
	record map[string]*seen
}

type seen struct {
	prior   map[string]*big.Rat // of the plan under which it began
	like    map[string]*big.Rat
	shown   map[string]string // by draw, first
	first   string
	last    string
	changed bool
}

func newObserver() *observer { return &observer{record: map[string]*seen{}} }

// learn takes the plan of a night.
func (o *observer) learn(t *testing.T, plan string) {
	t.Helper()
	var file struct {
		Inputs []string `json:"inputs"`
		Counts []string `json:"counts"`
	}
	if err := json.Unmarshal(read(t, plan), &file); err != nil {
		t.Fatal(err)
	}
	o.prior, o.law = map[string]*big.Rat{}, map[string]map[string]*big.Rat{}
	n := int64(0)
	for _, c := range file.Counts {
		n += number(t, c)
	}
	for i, x := range file.Inputs {
		o.prior[x] = big.NewRat(number(t, file.Counts[i]), n)
	}
	for x, row := range planRows(t, plan) {
		sum := int64(0)
		for _, w := range row {
			sum += w
		}
		o.law[x] = map[string]*big.Rat{}
		for y, w := range row {
			o.law[x][y] = big.NewRat(w, sum)
		}
	}
}

// factor is max L / mean L; nil where L is 0.
func factorUnder(prior, like map[string]*big.Rat) *big.Rat {
	most, mean := new(big.Rat), new(big.Rat)
	for x, p := range prior {
		if p.Sign() == 0 {
			continue
		}
		if like[x].Cmp(most) > 0 {
			most = like[x]
		}
		mean.Add(mean, new(big.Rat).Mul(p, like[x]))
	}
	if mean.Sign() == 0 {
		return nil
	}
	return new(big.Rat).Quo(most, mean)
}

// times is like times the chances of a set of outputs.
func (o *observer) times(like map[string]*big.Rat, outputs ...string) map[string]*big.Rat {
	out := map[string]*big.Rat{}
	for x, l := range like {
		p := new(big.Rat)
		for _, y := range outputs {
			if q := o.law[x][y]; q != nil {
				p.Add(p, q)
			}
		}
		out[x] = p.Mul(p, l)
	}
	return out
}

// see takes one published output of a record under a draw.
func (o *observer) see(t *testing.T, id, draw, y string) {
	s := o.record[id]
	if s == nil {
		s = &seen{prior: o.prior, like: map[string]*big.Rat{}, shown: map[string]string{}, first: y}
		for x := range o.prior {
			s.like[x] = big.NewRat(1, 1)
		}
		o.record[id] = s
	}
	defer func() { s.last = y }()
	if shown, ok := s.shown[draw]; ok {
		s.changed = s.changed || shown != y
		return
	}
	s.shown[draw] = y
	if s.changed || o.total != nil && s.last != "" && factorUnder(s.prior, s.like) == nil {
		return // it has no figure any more
	}
	if o.total == nil || s.last == "" && o.within(s) {
		s.like = o.times(s.like, y)
		return
	}
	// The rule of docs/series.md, from the published history alone.
	var admitted, barred []string
	over := false
	for out := range o.outputs() {
		f := factorUnder(s.prior, o.times(s.like, out))
		switch {
		case f == nil:
			barred = append(barred, out)
		case f.Cmp(o.total) <= 0:
			admitted = append(admitted, out)
		default:
			barred, over = append(barred, out), true
		}
	}
	if !over {
		if slices.Contains(barred, y) || y == s.last {
			y2 := append(barred, s.last)
			if slices.Contains(barred, s.last) {
				y2 = barred
			}
			if y != s.last {
				t.Errorf("record %s shows what no constant letter gives", id)
			}
			s.like = o.times(s.like, y2...)
			return
		}
		s.like = o.times(s.like, y)
		return
	}
	merged := barred
	if slices.Contains(admitted, s.last) {
		merged = append(merged, s.last)
	}
	if f := factorUnder(s.prior, o.times(s.like, merged...)); f == nil || f.Cmp(o.total) > 0 {
		if y != s.last {
			t.Errorf("record %s does not show the fixed symbol", id)
		}
		return // published without a draw
	}
	if y == s.last {
		s.like = o.times(s.like, merged...)
	} else {
		s.like = o.times(s.like, y)
	}
}

// within reports that a first release bars nothing.
func (o *observer) within(s *seen) bool {
	for y := range o.outputs() {
		if f := factorUnder(s.prior, o.times(s.like, y)); f != nil && f.Cmp(o.total) > 0 {
			return false
		}
	}
	return true
}

func (o *observer) outputs() map[string]bool {
	out := map[string]bool{}
	for _, row := range o.law {
		for y := range row {
			out[y] = true
		}
	}
	return out
}

// books are the largest factor of the records that have one, and how many have
// none.
func (o *observer) books() (largest *big.Rat, visible int64) {
	largest = new(big.Rat)
	known := map[string]*big.Rat{}
	for _, s := range o.record {
		name := fmt.Sprintf("%p %v", s.prior, s.shown)
		if s.changed {
			visible++
			continue
		}
		f, ok := known[name]
		if !ok || o.total != nil {
			f = factorUnder(s.prior, s.like)
			known[name] = f
		}
		if f == nil {
			visible++
		} else if f.Cmp(largest) > 0 {
			largest = f
		}
	}
	return largest, visible
}

// TestNights releases a changing file night after night, with a new key now
// and then, and recomputes every figure from what was published alone.
func TestNights(t *testing.T) {
	nights, records := 15, 500
	if os.Getenv("TACET_TORTURE") != "" {
		nights, records = 365, 200_000
	}
	for _, c := range []struct{ change, total, over string }{
		{"publish", "", ""}, {"hold", "", ""}, {"publish", "1.5", "repeat"}, {"publish", "1.0", "repeat"},
	} {
		t.Run(strings.TrimSpace(c.change+" "+c.total), func(t *testing.T) { simulate(t, nights, records, c.change, c.total, c.over) })
	}
}

func simulate(t *testing.T, nights, records int, change, total, over string) {
	dir, secret, w := t.TempDir(), newKey(t), newWorld(records, 11)
	input := filepath.Join(dir, "in")
	o := newObserver()
	if total != "" {
		o.total, o.over = factorOf(t, total), over
	}
	unchanged := map[string]string{} // letter when the output was first shown
	var fds int
	for night := 1; night <= nights; night++ {
		if night%(nights/3+1) == 0 {
			rotate(t, secret)
		}
		w.write(t, input)
		job := remembered(dir, input, secret, "id")
		job.Keep, job.Overwrite, job.Headroom = []string{"id"}, true, "40%"
		if job.Redesign = change == "publish" && night == nights/2; job.Redesign || night > nights/2 && change == "publish" {
			job.Epsilon = "0.8"
		}
		job.Ledger, job.Dataset, job.OnChange, job.TotalEpsilon, job.OverBudget = filepath.Join(dir, "ledger"), "visits", change, total, over
		rep, err := pipeline.Run(context.Background(), job)
		if err != nil {
			t.Fatalf("night %d: %v", night, err)
		}
		if night == 1 || job.Redesign {
			o.learn(t, filepath.Join(job.Report, "plan.json"))
		}
		draw := rep[0].Draws.KeyID + rep[0].Plan.Design
		got := arrowColumns(t, job.Output, "id", "x")
		changedNow := int64(0)
		for i, id := range got["id"] {
			x, y := w.letter[number(t, id)], got["x"][i]
			s := o.record[id]
			if s != nil && s.last != y {
				changedNow++
			}
			if s != nil && change == "hold" && y != s.first {
				t.Fatalf("night %d: record %s does not show its first output", night, id)
			}
			if s != nil && s.shown[draw] != "" && unchanged[id+draw] == x && s.shown[draw] != y && !s.changed {
				t.Fatalf("night %d: record %s is unchanged and shows another output", night, id)
			}
			if unchanged[id+draw] == "" {
				unchanged[id+draw] = x
			}
			if change == "hold" && s != nil {
				continue // nothing new was told
			}
			o.see(t, id, draw, y)
		}
		if records < 10_000 || night%30 == 0 || night == nights {
			compareBooks(t, night, rep[0], o, changedNow)
		}
		if n := openFiles(); night == 2 {
			fds = n
		} else if n > fds+3 && night > 2 {
			t.Errorf("night %d: %d files are open, %d in the second night", night, n, fds)
		}
		w.night(.01)
	}
	l, err := ledger.Open(context.Background(), filepath.Join(dir, "ledger"), ledger.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if v, err := l.Verify(context.Background(), ""); err != nil || v.Releases != nights {
		t.Errorf("the ledger has %d releases of %d: %v", v.Releases, nights, err)
	}
}

func compareBooks(t *testing.T, night int, rep *report.Report, o *observer, changedNow int64) {
	t.Helper()
	s := rep.History.Series

	largest, visible := o.books()
	if s.Cumulative.Factor != largest.RatString() || s.Cumulative.Label != "exact" {
		t.Errorf("night %d: the figure is %s, the published outputs give %s", night, s.Cumulative.Factor, largest.RatString())
	}
	if s.Kept.Visible != visible || s.Kept.Records != int64(len(o.record)) || s.Kept.Changed != changedNow {
		t.Errorf("night %d: %d visible of %d records, %d changed outputs; the published outputs give %d of %d, %d", night,
			s.Kept.Visible, s.Kept.Records, s.Kept.Changed, visible, len(o.record), changedNow)
	}
	reserved, _ := new(big.Rat).SetString(s.Reserved.Factor)
	if !(reserved.Cmp(largest) >= 0) {
		t.Errorf("night %d: more was told than was reserved", night)
	}
	if o.total != nil && largest.Cmp(o.total) > 0 {
		t.Errorf("night %d: a record passed its budget", night)
	}
}

func rotate(t *testing.T, path string) {
	t.Helper()
	if _, _, _, err := key.Rotate(path, "2026-02-01T00:00:00Z"); err != nil {
		t.Fatal(err)
	}
}

func factorOf(t *testing.T, nats string) *big.Rat {
	t.Helper()
	e, err := mechanism.ParseEpsilon(nats)
	if err != nil {
		t.Fatal(err)
	}
	return e.Factor()
}

func openFiles() int {
	list, _ := os.ReadDir("/proc/self/fd")
	return len(list)
}
