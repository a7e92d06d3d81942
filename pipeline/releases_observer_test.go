package pipeline_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// A plan4 is a plan as an observer reads it.
type plan4 struct {
	prior  map[string]*big.Rat
	law    map[string]map[string]*big.Rat // by letter, by output
	design string
}

func plan4Of(t *testing.T, path string) *plan4 {
	t.Helper()
	var file struct {
		Inputs []string `json:"inputs"`
		Counts []string `json:"counts"`
		Design string   `json:"design_sha256"`
	}
	if err := json.Unmarshal(read(t, path), &file); err != nil {
		t.Fatal(err)
	}
	p, n := &plan4{map[string]*big.Rat{}, map[string]map[string]*big.Rat{}, file.Design}, int64(0)
	for _, c := range file.Counts {
		n += number(t, c)
	}
	for i, x := range file.Inputs {
		p.prior[x] = big.NewRat(number(t, file.Counts[i]), n)
	}
	for x, row := range planRows(t, path) {
		sum := int64(0)
		for _, w := range row {
			sum += w
		}
		p.law[x] = map[string]*big.Rat{}
		for y, w := range row {
			p.law[x][y] = big.NewRat(w, sum)
		}
	}
	return p
}

// A like is the likelihood of letters.
type like map[string]*big.Rat

// outputs are those that a set of outputs gives together.
func (p *plan4) sum(x string, outputs map[string]bool) *big.Rat {
	s := new(big.Rat)
	for y, q := range p.law[x] {
		if outputs[y] {
			s.Add(s, q)
		}
	}
	return s
}

// factor is max L / mean L under a prior; nil where L is 0.
func (l like) factor(prior map[string]*big.Rat) *big.Rat {
	most, mean := new(big.Rat), new(big.Rat)
	for x, q := range prior {
		if q.Sign() == 0 || l[x] == nil {
			continue
		}
		if l[x].Cmp(most) > 0 {
			most = l[x]
		}
		mean.Add(mean, new(big.Rat).Mul(q, l[x]))
	}
	if mean.Sign() == 0 {
		return nil
	}
	return new(big.Rat).Quo(most, mean)
}

func (l like) times(p *plan4, outputs map[string]bool) like {
	to := like{}
	for x, v := range l {
		to[x] = new(big.Rat).Mul(v, p.sum(x, outputs))
	}
	return to
}

// A past4 is what an observer has of one record.
type past4 struct {
	first  *plan4
	like   like            // of its outputs by the draws so far
	before map[string]like // by draw: like before it was first used
	shown  map[string]string
	by     map[string]*big.Rat // by output, what the single draws tell that gave it
	last   string
	opened string // its first output
	under  string // draw of it
	letter string // when it was first seen
}

const nothing = "nothing"

// ruling4 is the rule of docs/series.md: which outputs are published as s, and
// whether a draw is made at all.
func ruling4(l like, first, p *plan4, total *big.Rat, s string) (barred map[string]bool, drawn, over bool) {
	barred, drawn = map[string]bool{}, true
	merged := map[string]bool{}
	all := map[string]bool{}
	for _, row := range p.law {
		for y := range row {
			all[y] = true
		}
	}
	for y := range all {
		switch f := l.times(p, map[string]bool{y: true}).factor(first.prior); {
		case f == nil:
			barred[y] = true
		case f.Cmp(total) > 0:
			barred[y], over = true, true
		}
	}
	for y := range barred {
		merged[y] = true
	}
	if all[s] && !barred[s] {
		merged[s] = true
	}
	if f := l.times(p, merged).factor(first.prior); over && (f == nil || f.Cmp(total) > 0) {
		return barred, false, true
	}
	return barred, true, over
}

// A finding is the oracle's of one row.
type finding struct {
	class  string   // "" for drawn
	factor *big.Rat // nil for none
	unsure bool     // which class it is depends on the draw
}

// see judges a published row by what was published before, and takes it in.
func (h *past4) see(t *testing.T, p *plan4, draw, change, over string, total *big.Rat, x, y string) finding {
	own := like{}
	for x := range p.law {
		own[x] = big.NewRat(1, 1)
	}
	alone := own.times(p, map[string]bool{y: true}).factor(p.prior)
	begins := h.first == nil
	if begins {
		h.first, h.like, h.last = p, own, nothing
		h.before, h.shown, h.by, h.opened, h.under, h.letter = map[string]like{}, map[string]string{}, map[string]*big.Rat{},
			y, draw, x
	}
	f := finding{factor: alone}
	if change == "hold" && !begins {
		if y != h.opened {
			t.Error("a held record shows another output than its first")
		}
		f.factor = h.by[y]
		if f.class = "held"; h.under == draw {
			f.unsure = h.letter != x
			if !f.unsure {
				f.class = ""
			}
		}
		return f
	}
	prefix, known := h.before[draw]
	if !known {
		prefix = h.like
		h.before[draw] = prefix
	}
	after := map[string]bool{y: true}
	if total != nil {
		s := ""
		if over == "repeat" {
			s = h.last
		}
		if known { // the rule of the night before, on a draw of this one
			if h.shown[draw] != y {
				h.like = like{}
			}
			h.shown[draw], h.last = y, y
			return finding{unsure: true}
		}
		if prefix.factor(h.first.prior) == nil { // a visible change: s without a draw
			h.last = y
			return finding{class: over, factor: h.by[y]}
		}
		barred, drawn, passes := ruling4(prefix, h.first, p, total, s)
		switch {
		case !drawn:
			if y != s {
				t.Errorf("%q is published, and nothing was to be drawn but %q shown", y, s)
			}
			f = finding{class: over, factor: more(h.like.factor(h.first.prior), h.by[y])}
			h.shown[draw], h.last = y, y
			return f
		case y == s && (passes || len(barred) > 0 && over == "suppress"):
			for b := range barred {
				after[b] = true
			}
			joint := h.like.times(p, after)
			f = finding{class: over, factor: more(joint.factor(h.first.prior),
				more(h.by[y], own.times(p, after).factor(h.first.prior)))}
		case y == s && len(barred) > 0:
			for b := range barred {
				after[b] = true
			}
			f.unsure = true
		case barred[y]:
			t.Errorf("%q is published, and the total bars it", y)
		}
	}
	if !known {
		h.like = h.like.times(p, after)
	} else if h.shown[draw] != y {
		h.like = like{} // visible
	}
	h.shown[draw], h.last = y, y
	h.by[y] = more(h.by[y], alone)
	return f
}

func more(a, b *big.Rat) *big.Rat {
	if a == nil || b != nil && b.Cmp(a) > 0 {
		return b
	}
	return a
}

// TestReleasesObserved plays small series of all kinds and holds what is said of
// every row to an observer who has plans and outputs and keeps the books by
// fractions: the largest factor of any row by the draws that it shows, the worst
// rank of any row, and which nights are refused.
func TestReleasesObserved(t *testing.T) {
	series := 30
	if os.Getenv("TACET_TORTURE") != "" {
		series = 2000
	}
	kinds := map[string]int{}
	for seed := range series {
		observeSeries(t, uint64(seed), kinds)
	}
	for _, k := range []string{"hold held", "publish drawn", "repeat repeat", "suppress suppress", "refused earlier",
		"refused otherwise", "kept"} {
		if kinds[k] == 0 {
			t.Errorf("control: no series has %q: %v", k, kinds)
		}
	}
	t.Log(kinds)
}

func observeSeries(t *testing.T, seed uint64, kinds map[string]int) {
	r := rand.New(rand.NewPCG(seed, 77))
	s := newSeries4(t)
	change := []string{"publish", "hold", "publish", "refuse"}[r.IntN(4)]
	over := ""
	if change != "hold" {
		over = []string{"", "repeat", "suppress", "repeat", "suppress", "refuse"}[r.IntN(6)]
	}
	totals := []string{"2", "4/3", "3"}
	total := totals[r.IntN(3)]
	var sum *big.Rat
	if over != "" {
		sum = ratOf(t, total)
	}
	n := 120
	letters := make([]byte, n)
	for i := range letters {
		letters[i] = "aaabbbccd"[r.IntN(9)]
	}
	copy(letters, "abcd")
	books := make([]past4, n)
	moved := seed%2 == 0
	for night := range 3 {
		factor, redesign := []string{"4", "2", "3/2", "3"}[r.IntN(4)], night > 0
		job := func(keep bool) night4 {
			return night4{string(letters), func(o *pipeline.Options) {
				o.Utility = "matrix:" + filepath.Join(s.dir, "cyclic.csv")
				if err := os.WriteFile(filepath.Join(s.dir, "cyclic.csv"),
					[]byte(",a,b,c,d\na,3,2,1,0\nb,0,3,2,1\nc,1,0,3,2\nd,2,1,0,3\n"), 0o600); err != nil {
					t.Fatal(err)
				}
				o.Design, o.MaxFactor, o.OnChange, o.Redesign, o.KeepEarlier = []string{"safe", "optimal"}[seed%2], factor, change,
					redesign, keep
				if over != "" {
					o.TotalEpsilon, o.OverBudget = "log("+total+")", over
				}
			}}
		}
		o, rep, err := s.release(t, job(false))
		refused := err != nil && strings.Contains(err.Error(), "may leak") || err != nil &&
			strings.Contains(err.Error(), "no epsilon bounds what these nulls")
		if refused {
			kinds["refused earlier"]++
			if o, rep, err = s.release(t, job(true)); err == nil {
				kinds["kept"]++
			}
		}
		if err != nil {
			if c := fault.As(err).Class; c != fault.Privacy {
				t.Fatalf("series %d, night %d: %v", seed, night+1, err)
			}
			kinds["refused otherwise"]++
			return
		}
		p := plan4Of(t, filepath.Join(o.Report, "plan.json"))
		judgeRows(t, fmt.Sprintf("series %d (%s %s %s), night %d", seed, change, over, total, night+1), books, o, rep, p,
			change, over, sum, string(letters), factor, refused, kinds)
		if moved {
			for i := range letters {
				if r.IntN(6) == 0 {
					letters[i] = "aaabbbccd"[r.IntN(9)]
				}
			}
			copy(letters, "abcd")
		}
	}
}

// judgeRows compares a night's report with what the rows show.
func judgeRows(t *testing.T, where string, books []past4, o pipeline.Options, rep *report.Report, p *plan4, change,
	over string, total *big.Rat, letters, target string, refused bool, kinds map[string]int) {
	t.Helper()
	ranks := ranks4(t, filepath.Join(o.Report, "order.csv"))
	draw := rep.Draws.KeyID + p.design
	said := map[string]*report.Shown{"held": rep.History.Series.Published.Held,
		"repeat": rep.History.Series.Published.Repeated, "suppress": rep.History.Series.Published.Suppressed}
	rows, unsure, most := map[string]int64{}, int64(0), map[string]*big.Rat{}
	worst := map[string]int{}
	for i, y := range shownBy(t, o.Output) {
		x := letters[i : i+1]
		f := books[i].see(t, p, draw, change, over, total, x, y)
		if f.unsure {
			unsure++
			continue
		}
		rows[f.class]++
		most[f.class] = more(most[f.class], f.factor)
		if k, ok := ranks[x][y]; ok && (worst[f.class] == 0 || k < worst[f.class]) {
			worst[f.class] = k
		}
		if y == "" && over != "suppress" {
			t.Errorf("%s: a null was published", where)
		}
	}
	shown := rep.History.Series.Published
	if rows[""] > 0 {
		kinds[change+" drawn"]++
		if stated := ratOf(t, rep.Epsilon.Factor); most[""] != nil && most[""].Cmp(stated) > 0 || worst[""] > 0 &&
			worst[""] < rep.Floor.Rank {
			t.Errorf("%s: rows drawn anew tell %v at rank %d; stated %v, rank %d", where, most[""], worst[""], stated,
				rep.Floor.Rank)
		}
	}
	top := new(big.Rat)
	for class, s := range said {
		n := int64(0)
		if s != nil {
			n = s.Rows
		}
		if n < rows[class] || n > rows[class]+unsure {
			t.Errorf("%s: %d rows are %s, stated %d (%d may be)", where, rows[class], class, n, unsure)
			continue
		}
		if rows[class] == 0 {
			continue
		}
		kinds[strings.TrimSpace(map[string]string{"held": "hold"}[class]+over+" "+class)]++
		if f := most[class]; f != nil {
			if f.Cmp(top) > 0 {
				top = f
			}
			if s.Factor == "" || ratOf(t, s.Factor).Cmp(f) < 0 || unsure == 0 && ratOf(t, s.Factor).Cmp(f) != 0 {
				t.Errorf("%s: %s rows tell %s, stated %q", where, class, f.RatString(), s.Factor)
			}
		}
		if w := worst[class]; s.Rank > w && w > 0 || unsure == 0 && s.Rank != w {
			t.Errorf("%s: the worst of %s rows has rank %d, stated %d", where, class, w, s.Rank)
		}
	}
	if s := shown.Suppressed; s != nil && s.Visible > 0 && !refused {
		t.Errorf("%s: %d nulls of records that changed visibly were published without --keep-earlier", where, s.Visible)
	}
	if over := top.Cmp(ratOf(t, target)) > 0; over && !refused || refused && !over && unsure == 0 &&
		(shown.Suppressed == nil || shown.Suppressed.Visible == 0) {
		t.Errorf("%s: rows of earlier draws tell %s, %s was asked for, refused %v", where, top.RatString(), target, refused)
	}
	sharesAreWhole(t, rep)
}
