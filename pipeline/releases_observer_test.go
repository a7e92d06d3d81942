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

// times is the likelihood once an output was seen.
func (l like) times(p *plan4, y string) like {
	to := like{}
	for x, v := range l {
		q := p.law[x][y]
		if q == nil {
			q = new(big.Rat)
		}
		to[x] = new(big.Rat).Mul(v, q)
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

// draws4 is the rule of docs/repeated.md: a record is drawn where every output that can
// occur keeps the total.
func draws4(l like, first, p *plan4, total *big.Rat) bool {
	for _, row := range p.law {
		for y := range row {
			if f := l.times(p, y).factor(first.prior); f != nil && f.Cmp(total) > 0 {
				return false
			}
		}
	}
	return l.factor(first.prior) != nil
}

// A finding is the oracle's of one row.
type finding struct {
	held   bool     // it shows an earlier draw
	factor *big.Rat // nil for none
	unsure bool     // whether it is held depends on the draw
}

// see judges a published row by what was published before, and takes it in.
func (h *past4) see(t *testing.T, p *plan4, draw, change string, total *big.Rat, x, y string) finding {
	own := like{}
	for x := range p.law {
		own[x] = big.NewRat(1, 1)
	}
	alone := own.times(p, y).factor(p.prior)
	begins := h.first == nil
	if begins {
		h.first, h.like = p, own
		h.before, h.shown, h.by, h.opened, h.under, h.letter = map[string]like{}, map[string]string{}, map[string]*big.Rat{},
			y, draw, x
	}
	f := finding{factor: alone}
	if change == "hold" && !begins {
		if y != h.opened {
			t.Error("a held record shows another output than its first")
		}
		same := h.under == draw
		return finding{held: !same, factor: h.by[y], unsure: same && h.letter != x}
	}
	prefix, known := h.before[draw]
	if !known {
		prefix = h.like
		h.before[draw] = prefix
	}
	if total != nil && !begins && !draws4(prefix, h.first, p, total) {
		last := h.last
		if known {
			last = h.shown[draw]
		}
		if y != last {
			t.Errorf("%q is published, and nothing was to be drawn but %q shown", y, last)
		}
		h.shown[draw], h.last = y, y
		return finding{held: true, factor: more(prefix.factor(h.first.prior), h.by[y]), unsure: known}
	}
	if !known {
		h.like = h.like.times(p, y)
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
	for _, k := range []string{"hold held", "draw drawn", "total held", "total drawn", "refused earlier",
		"refused otherwise"} {
		if kinds[k] == 0 {
			t.Errorf("control: no series has %q: %v", k, kinds)
		}
	}
	t.Log(kinds)
}

func observeSeries(t *testing.T, seed uint64, kinds map[string]int) {
	r := rand.New(rand.NewPCG(seed, 77))
	s := newSeries4(t)
	change, total, kind := []string{"draw", "hold", "draw", "refuse"}[r.IntN(4)], "", ""
	if kind = change; change != "hold" && r.IntN(4) > 0 {
		total, kind = []string{"2", "4/3", "3"}[r.IntN(3)], "total"
	}
	var sum *big.Rat
	if total != "" {
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
		o, rep, err := s.release(t, night4{string(letters), func(o *pipeline.Options) {
			o.Utility = cyclic4(t, s)
			o.Design, o.MaxFactor, o.OnChange, o.Redesign = []string{"safe", "optimal"}[seed%2], factor, change, redesign
			if total != "" {
				o.TotalEpsilon = "log(" + total + ")"
			}
		}})
		if err != nil {
			if c := fault.As(err).Class; c != fault.Privacy {
				t.Fatalf("series %d, night %d: %v", seed, night+1, err)
			}
			if strings.Contains(err.Error(), "may leak") {
				kinds["refused earlier"]++
			} else {
				kinds["refused otherwise"]++
			}
			return
		}
		p := plan4Of(t, filepath.Join(o.Report, "plan.json"))
		judgeRows(t, fmt.Sprintf("series %d (%s %s), night %d", seed, change, total, night+1), books, o, rep, p,
			change, kind, sum, string(letters), factor, kinds)
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
	kind string, total *big.Rat, letters, target string, kinds map[string]int) {
	t.Helper()
	ranks := ranks4(t, filepath.Join(o.Report, "order.csv"))
	draw := rep.Draws.KeyID + p.design
	rows, unsure, most, worst := map[bool]int64{}, int64(0), map[bool]*big.Rat{}, map[bool]int{}
	for i, y := range shownBy(t, o.Output) {
		x := letters[i : i+1]
		f := books[i].see(t, p, draw, change, total, x, y)
		if y == "" {
			t.Errorf("%s: a null was published", where)
		}
		if f.unsure {
			unsure++
			continue
		}
		rows[f.held]++
		most[f.held] = more(most[f.held], f.factor)
		if k := ranks[x][y]; worst[f.held] == 0 || k < worst[f.held] {
			worst[f.held] = k
		}
	}
	if rows[false] > 0 {
		kinds[kind+" drawn"]++
		if stated := ratOf(t, rep.Epsilon.Factor); most[false] != nil && most[false].Cmp(stated) > 0 ||
			worst[false] < rep.Floor.Rank {
			t.Errorf("%s: rows drawn anew tell %v at rank %d; stated %v, rank %d", where, most[false], worst[false], stated,
				rep.Floor.Rank)
		}
	}
	s, n := rep.History.Series.Published.Held, rep.History.Series.Published.Earlier()
	if n < rows[true] || n > rows[true]+unsure {
		t.Fatalf("%s: %d rows are held, stated %d (%d may be)", where, rows[true], n, unsure)
	}
	if rows[true] > 0 {
		kinds[kind+" held"]++
		if f := most[true]; f != nil && (s.Factor == "" || ratOf(t, s.Factor).Cmp(f) < 0 ||
			unsure == 0 && ratOf(t, s.Factor).Cmp(f) != 0 || f.Cmp(ratOf(t, target)) > 0) {
			t.Errorf("%s: held rows tell %s, stated %q; %s was asked for", where, f.RatString(), s.Factor, target)
		}
		if w := worst[true]; s.Rank > w || unsure == 0 && s.Rank != w {
			t.Errorf("%s: the worst of held rows has rank %d, stated %d", where, w, s.Rank)
		}
	}
	sharesAreWhole(t, rep)
}
