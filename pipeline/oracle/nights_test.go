package oracle_test

import (
	"math/big"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline/claim"
)

// nights are the releases of a series as the observer of all of them saw them.
type nights struct {
	rows        []standing // of this release's rows
	known       []*history // of all records, this release's too
	fresh, gone int64      // records that begin, or end
	certain     bool       // known is all that the program knows: nothing was merged or declared
	total       bool       // a record is drawn anew only within a total
	asked       *big.Rat   // of every published row; nil where the least is sought
}

// A standing is how a row of tonight came to be shown.
type standing struct {
	held   bool     // this release's mechanism cannot have drawn it, or not for this record
	unsure bool     // whether it is held hangs on a draw that nobody sees
	factor *big.Rat // of the draws that it shows, where it is certain that these are earlier ones
}

// A likelihood is that of outputs, by letter; nil letters have none.
type likelihood map[string]*big.Rat

// factor is the largest likelihood by the mean one under counts; nil where all are 0.
func (l likelihood) factor(prior counts) *big.Rat {
	top, mean, total := new(big.Rat), new(big.Rat), int64(0)
	for x, n := range prior {
		if total += n; n == 0 || l[x] == nil {
			continue
		}
		if l[x].Cmp(top) > 0 {
			top = l[x]
		}
		mean.Add(mean, new(big.Rat).Mul(l[x], big.NewRat(n, 1)))
	}
	if mean.Sign() == 0 {
		return nil
	}
	return new(big.Rat).Quo(new(big.Rat).Mul(top, big.NewRat(total, 1)), mean)
}

// times is the likelihood once an output was seen, too.
func (l likelihood) times(by law, y string) likelihood {
	to := likelihood{}
	for x, v := range l {
		if p := by[x][y]; p != nil {
			to[x] = new(big.Rat).Mul(v, p)
		}
	}
	return to
}

// A history is what was published of one record, and by which draws.
type history struct {
	first  *planned
	like   likelihood            // of all draws so far
	before map[string]likelihood // by draw, of those before it
	shown  map[string]string     // by draw
	tells  map[string]*big.Rat   // by output, the most that a single draw told that gave it
	opened string                // its first output
	under  string                // the draw of it
	letter string                // the true value then
	last   string                // its last output
	night  int                   // that it was last there

	absent, valued bool // it was shown as a null that stays, or as something else
}

func newHistory(p *planned, draw, x, y string) *history {
	h := &history{first: p, like: likelihood{}, before: map[string]likelihood{}, shown: map[string]string{},
		tells: map[string]*big.Rat{}, opened: y, under: draw, letter: x}
	for x := range p.counts {
		h.like[x] = big.NewRat(1, 1)
	}
	return h
}

// drawn reports whether a record is drawn anew: where every output that can occur keeps
// the total, as docs/repeated.md says.
func (h *history) drawn(before likelihood, by law, total *big.Rat) bool {
	for _, row := range by {
		for y := range row {
			if f := before.times(by, y).factor(h.first.counts); f != nil && f.Cmp(total) > 0 {
				return false
			}
		}
	}
	return before.factor(h.first.counts) != nil
}

// see judges a published output of a true value by what was published before, and takes it in.
func (h *history) see(t *testing.T, p *planned, draw string, hold bool, total *big.Rat, x, y string) standing {
	t.Helper()
	begins, by := !h.valued, p.of[""]
	h.valued = true
	if hold && (!begins || h.absent) {
		if y != h.opened {
			t.Error("a held record shows another output than its first")
		}
		s := standing{held: h.under != draw || by[x][y] == nil, factor: h.tells[y]}
		s.unsure = !s.held && h.letter != x
		return s
	}
	before, known := h.before[draw]
	if !known {
		before = h.like
		h.before[draw] = before
	}
	if total != nil && !begins && !h.drawn(before, by, total) {
		want := h.last
		if known {
			want = h.shown[draw]
		}
		if y != want {
			t.Errorf("%q is published, and nothing was to be drawn but %q shown", y, want)
		}
		h.shown[draw] = y
		return standing{held: true, unsure: known, factor: more(before.factor(h.first.counts), h.tells[y])}
	}
	if !known {
		h.like = h.like.times(by, y)
	} else if h.shown[draw] != y {
		h.like = likelihood{} // no value that stayed gives both
	}
	one := likelihood{}
	for x := range p.counts {
		one[x] = big.NewRat(1, 1)
	}
	h.shown[draw], h.tells[y] = y, more(h.tells[y], one.times(by, y).factor(p.counts))
	return standing{held: !begins && by[x][y] == nil}
}

// moved reports whether the outputs show that the value changed.
func (h *history) moved() bool {
	return h.valued && (h.absent || h.like.factor(h.first.counts) == nil)
}

func more(a, b *big.Rat) *big.Rat {
	if a == nil || b != nil && b.Cmp(a) > 0 {
		return b
	}
	return a
}

// among reports whether row i of tonight belongs to a set of records.
func (n *nights) among(i int, of claim.Records) bool {
	switch of {
	case claim.Drawn, claim.DrawnValued:
		return !n.rows[i].held && !n.rows[i].unsure
	case claim.Held:
		return n.rows[i].held && !n.rows[i].unsure && n.rows[i].factor != nil
	}
	return true
}

// mixed reports that some row of tonight is known not to be drawn anew.
func (n *nights) mixed() bool {
	if n == nil {
		return false
	}
	for _, s := range n.rows {
		if s.held && !s.unsure {
			return true
		}
	}
	return false
}

// earlier is the largest factor of the draws that rows of earlier nights show;
// nil where none is certain to.
func (n *nights) earlier() (most *big.Rat) {
	for _, s := range n.rows {
		if s.held && !s.unsure && s.factor != nil && (most == nil || s.factor.Cmp(most) > 0) {
			most = s.factor
		}
	}
	return most
}

// cumulative is the largest factor of all outputs of a record, for someone who
// is certain that its value never changed, with the prior of its first plan; nil
// where the books do not tell.
func (n *nights) cumulative() *big.Rat {
	if n.total && !n.certain {
		return nil
	}
	most := big.NewRat(1, 1)
	for _, h := range n.known {
		if h.valued && !h.moved() {
			most = more(most, h.like.factor(h.first.counts))
		}
	}
	return most
}

// checkSeries holds what is counted of a series, and of the rows that are not drawn anew,
// to what was published.
func (r *release) checkSeries(t *testing.T, seen map[string]int) {
	t.Helper()
	if r.nights == nil || !r.nights.certain || r.column != "v" {
		return
	}
	seen["series"]++
	n, s := r.nights, r.report.History.Series
	moved := int64(0)
	for _, h := range n.known {
		if h.moved() {
			moved++
		}
	}
	if k := s.Kept; k.Records != int64(len(n.known)) || k.New != n.fresh || k.Vanished != n.gone ||
		k.Visible != moved {
		t.Errorf("%d known, %d new, %d vanished, %d visible; the observer finds %d, %d, %d, %d", k.Records,
			k.New, k.Vanished, k.Visible, len(n.known), n.fresh, n.gone, moved)
	}
	if f := n.cumulative(); s.Cumulative.Label == "exact" && s.Cumulative.Factor != f.RatString() {
		t.Errorf("the figure of the series is %s; the observer finds %s", s.Cumulative.Factor, f.RatString())
	}
	if r.public {
		return // rows that show that there was no value are told apart
	}
	var factor *big.Rat
	held, unsure, worst, ranks := int64(0), int64(0), 0, r.plans[r.column].ranks
	for i, row := range n.rows {
		switch {
		case row.unsure:
			unsure++
		case row.held:
			held++
			factor = more(factor, row.factor)
			if k := ranks[r.truth[i].cell(r.column)][r.shown[i].cell(r.column)]; worst == 0 || k < worst {
				worst = k
			}
		}
	}
	rows := int64(0)
	if m := r.report.History.Mixed(); m != nil {
		rows = m.Held.Rows
	}
	if rows < held || rows > held+unsure {
		t.Errorf("%d rows show earlier draws; the observer finds %d, or %d more", rows, held, unsure)
		return
	}
	if held > 0 {
		seen["held rows"]++
		h := s.Published.Held
		stated, ok := new(big.Rat).SetString(h.Factor)
		if !ok || stated.Cmp(factor) < 0 || unsure == 0 && stated.Cmp(factor) != 0 {
			t.Errorf("rows that show earlier draws tell %s; the observer finds %s", h.Factor, factor.RatString())
		}
		if n.asked != nil && factor.Cmp(n.asked) > 0 {
			t.Errorf("rows that show earlier draws tell %s; %s was asked for", factor.RatString(), n.asked.RatString())
		}
		if h.Rank > worst || unsure == 0 && h.Rank != worst {
			t.Errorf("the worst row that shows an earlier draw has rank %d; the observer finds %d", h.Rank, worst)
		}
	}
}
