package kernel

import (
	"cmp"
	"math/big"
	"math/bits"
	"slices"
)

// A crowd is the records of a group with its rows.
type crowd struct {
	rows  []Row
	count []int64
}

// crowds are the records of every group, by one of its counts.
func (p *proof) crowds(of func(*Group) []int64) (all []crowd) {
	for i := range p.Groups {
		all = append(all, crowd{p.Groups[i].Rows, of(&p.Groups[i])})
	}
	return all
}

func priorsOf(g *Group) []int64  { return g.Prior }
func recordsOf(g *Group) []int64 { return g.Records }
func nowOf(g *Group) []int64     { return g.Now }
func hereOf(g *Group) []int64    { return g.Here }
func writtenOf(g *Group) []int64 { return g.Written }

// tell finds what outputs tell under some counts. Epsilon is kept for whoever knows the
// group and, unless that was given up, for whoever does not.
func (p *proof) tell(of func(*Group) []int64) Told {
	all, outputs := p.crowds(of), len(p.Plan.Outputs)
	t := Told{Given: one}
	for _, c := range all {
		t.Groups = append(t.Groups, factor([]crowd{c}, outputs))
		t.Given = larger(t.Given, t.Groups[len(t.Groups)-1])
	}
	t.All, t.Most = t.Given, t.Given
	if len(all) > 1 {
		if t.All = factor(all, outputs); !p.Plan.Given.Only {
			t.Most = larger(t.Given, t.All)
		}
	}
	return t
}

// factor is the largest e^l(y) = max_x p(y|x) / q_y over outputs that are produced and letters with
// records [S23; SO, equation (2)], 1 where there are none, for whoever does not know which of the
// crowds a record is in: p(y|x) is the mean sum_s c_sx p_s(y|x) / c_x.
//
// Of letters that share a row, which tell the same, one stands for all. Floats choose which
// p(y|x) may be the largest; these are compared as fractions.
func factor(all []crowd, outputs int) *big.Rat {
	all = joined(all)
	most := one
	held := counted(all)
	n := big.NewRat(sum(held), 1)
	for _, cells := range columnsOf(all, outputs) {
		if len(cells) == 0 {
			continue
		}
		peak, top, rough := new(big.Rat), cell{d: 1}, 0.0
		for from, to := 0, 0; from < len(cells); from = to {
			x, mean := cells[from].x, 0.0
			for to = from; to < len(cells) && cells[to].x == x; to++ {
				mean += cells[to].float() / float64(held[x])
			}
			if c := cells[from]; c.c == held[x] { // all its records are in one group
				if products(top.w, c.d, c.w, top.d) < 0 {
					top, rough = c, max(rough, mean)
				}
				continue
			}
			if mean < rough*(1-1e-9) {
				continue
			}
			rough = max(rough, mean)
			f := total(cells[from:to])
			peak = larger(peak, f.Quo(f, big.NewRat(held[x], 1)))
		}
		f := new(big.Rat).Mul(larger(peak, big.NewRat(top.w, top.d)), n)
		most = larger(most, f.Quo(f, total(cells)))
	}
	return most
}

// counted are the records by letter.
func counted(all []crowd) []int64 {
	held := make([]int64, len(all[0].rows))
	for _, c := range all {
		for x, k := range c.count {
			held[x] += k
		}
	}
	return held
}

// joined makes one crowd of several that share a mechanism, and counts letters that share a
// row, as those of a block, at the first of them.
func joined(all []crowd) []crowd {
	rows := all[0].rows
	if slices.ContainsFunc(all, func(c crowd) bool { return len(c.rows) == 0 || &c.rows[0] != &rows[0] }) {
		return all
	}
	count, first := make([]int64, len(rows)), map[*int32]int{}
	for x, k := range counted(all) {
		at, known := first[&rows[x].Output[0]]
		if !known {
			at, first[&rows[x].Output[0]] = x, x
		}
		count[at] += k
	}
	return []crowd{{rows, count}}
}

// A cell is c records of letter x, which give the output with the chance w/d.
type cell struct {
	x       int32
	c, w, d int64
}

func (c cell) float() float64 { return float64(c.c) * (float64(c.w) / float64(c.d)) }

// lawOf is n q_y of every output.
func lawOf(all []crowd, outputs int) (law []*big.Rat) {
	for _, cells := range columnsOf(joined(all), outputs) {
		law = append(law, total(cells))
	}
	return law
}

// columnsOf are the cells by output, of letters with records, letter by letter.
func columnsOf(all []crowd, outputs int) [][]cell {
	columns := make([][]cell, outputs)
	for x := range all[0].rows {
		for _, c := range all {
			if c.count[x] == 0 {
				continue
			}
			for i, y := range c.rows[x].Output {
				columns[y] = append(columns[y], cell{int32(x), c.count[x], c.rows[x].Weight[i], c.rows[x].Total})
			}
		}
	}
	return columns
}

// total is sum c w/d: numerators are added up by denominator, and then halves of these.
func total(cells []cell) *big.Rat {
	over := map[int64]*big.Int{}
	k, w := new(big.Int), new(big.Int)
	for _, c := range cells {
		if over[c.d] == nil {
			over[c.d] = new(big.Int)
		}
		over[c.d].Add(over[c.d], k.Mul(k.SetInt64(c.c), w.SetInt64(c.w)))
	}
	terms := make([]*big.Rat, 0, len(over))
	for d, n := range over {
		terms = append(terms, new(big.Rat).SetFrac(n, big.NewInt(d)))
	}
	return added(terms)
}

func added(terms []*big.Rat) *big.Rat {
	switch n := len(terms); n {
	case 0:
		return new(big.Rat)
	case 1:
		return terms[0]
	default:
		return new(big.Rat).Add(added(terms[:n/2]), added(terms[n/2:]))
	}
}

// larger is the larger of two fractions, of which either may be nil.
func larger(a, b *big.Rat) *big.Rat {
	if a == nil || b != nil && b.Cmp(a) > 0 {
		return b
	}
	return a
}

// products compares a b with c d, of numbers that are not negative.
func products(a, b, c, d int64) int {
	h, l := bits.Mul64(uint64(a), uint64(b))
	k, m := bits.Mul64(uint64(c), uint64(d))
	return cmp.Or(cmp.Compare(h, k), cmp.Compare(l, m))
}

// factors: the factor of every group and of all is what the plan states, as it was made.
func (p *proof) factors() {
	if p.Groups == nil && !p.Plan.Empty() {
		p.Skip("factors", "the rows are not known")
		p.Skip("epsilon", "the rows are not known")
		return
	}
	p.Made = p.tell(priorsOf)
	if p.Now, p.Own = p.Made, p.Made; p.Claimed.Counts != nil {
		p.Now = p.tell(nowOf)
	}
	if p.Plan.Prior != nil || p.Claimed.Counts != nil {
		p.Own = p.tell(hereOf)
	}
	var w Faults
	for i, g := range p.Plan.Groups {
		most := p.Made.Groups[i]
		w.Match(g.Factor == most.RatString() && IsNats(g.Nats, most), "the factor"+p.which(i))
	}
	p.Settle("factors", w, "the largest e^l(y) of %d outputs, exactly, in %d groups", len(p.Plan.Outputs), len(p.Groups))
	e := p.Plan.Epsilon
	ok := e.Factor == p.Made.Most.RatString() && IsNats(e.Nats, p.Made.Most)
	p.Add("epsilon", ok, "%s", Either(ok, "the largest of them is the factor stated, and epsilon its logarithm rounded up",
		"the largest of them is not the factor that the plan states"))
}

// which names a group where there are several.
func (p *proof) which(group int) string {
	if len(p.Groups) == 1 {
		return ""
	}
	return " of group " + big.NewInt(int64(group+1)).String()
}

// target: the factor reached is at most e^epsilon, exactly: under the plan's own prior, under
// that of this file and, unless that was given up, relative to the records themselves.
func (p *proof) target() {
	const name = "target"
	e := p.Plan.Epsilon
	t, ok := ParseTarget(e.Target)
	var w Faults
	switch {
	case !ok:
		w.Addf("the target is neither a decimal nor log(p/q)")
	case p.Made.Most == nil:
		p.Skip(name, "the factor is not known")
		return
	default:
		if !t.Admits(p.Made.Most) || !t.Admits(p.Now.Most) {
			w.Addf("the factor reached is above e^target")
		}
		if p.Plan.held() && (!t.Admits(p.Own.Most) || !t.Admits(p.tell(recordsOf).Most)) {
			w.Addf("the factor relative to the records themselves is above e^target, and was not given up")
		}
	}
	p.Settle(name, w, "the factor reached is at most e^epsilon of the epsilon asked for, exactly")
}
