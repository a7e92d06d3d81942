package columns

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
)

// A counting holds the letters of the rows, and the rows by which they are redrawn.
type counting struct {
	law     []exact.Row
	letter  []int32
	outputs int
}

// An inSample is what values of a column tell of the letters of their rows.
type inSample struct {
	strata, steps          int
	small                  int64
	alone, given, total    float64
	guess, without, both   float64
	certain, sure, removed float64
	worst, within          []seer // all that reach total and given
	letters, cells         int
}

// A seer is a guess that a value and an output make likelier.
type seer struct {
	output, letter        int32
	before, after, factor float64
}

// shownBy is what the letters of a value show in an output.
type shownBy struct {
	mass, most, high, lift float64
	by, by2                int32
	ways                   int
}

// A paired column tells something, and may stand in a pair.
type paired struct {
	name    string
	removed float64
}

// measure counts what values tell. A value is told apart from all others; what an
// output adds is by the law of the letters in it.
func (t *counting) measure(code []int32) *inSample {
	cell := map[uint64]int64{}
	for i, x := range t.letter {
		if x >= 0 {
			cell[uint64(code[i])<<32|uint64(x)]++
		}
	}
	keys := make([]uint64, 0, len(cell))
	for k := range cell {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	s := &inSample{}
	var judged [][]uint64
	count, n := make([]int64, len(t.law)), int64(0)
	for from, to := 0, 0; from < len(keys); from = to {
		total, once := int64(0), 0
		for to = from; to < len(keys) && keys[to]>>32 == keys[from]>>32; to++ {
			if total += cell[keys[to]]; cell[keys[to]] == 1 {
				once++
			}
		}
		if total < smallValue || float64(once) > onceShare*float64(total) {
			s.small += total
			continue
		}
		judged = append(judged, keys[from:to])
		for _, k := range keys[from:to] {
			count[uint32(k)] += cell[k]
			s.steps += len(t.law[uint32(k)].Output)
			s.cells++
		}
		n += total
	}
	if s.strata = len(judged); n == 0 {
		return s
	}
	seen := make([]shownBy, t.outputs)
	for _, g := range judged {
		t.value(s, g, cell, count, n, seen)
	}
	entropy, shared := 0.0, 0.0
	for _, c := range count {
		if c > 0 {
			p := float64(c) / float64(n)
			s.without, entropy = max(s.without, p), entropy-p*math.Log(p)
			s.letters++
		}
	}
	shared = entropy
	for _, g := range judged {
		total := int64(0)
		for _, k := range g {
			total += cell[k]
		}
		for _, k := range g {
			shared += float64(cell[k]) / float64(n) * math.Log(float64(cell[k])/float64(total))
		}
	}
	shared -= float64(s.cells-s.letters-s.strata+1) / (2 * float64(n)) // [Miller 1955]
	if entropy > 0 {
		s.removed = min(1, max(0, shared/entropy))
	}
	return s
}

// value adds what one value tells.
func (t *counting) value(s *inSample, g []uint64, cell map[uint64]int64, count []int64, n int64, seen []shownBy) {
	total, best, records := 0.0, 0.0, float64(n)
	for _, k := range g {
		total, best = total+float64(cell[k]), max(best, float64(cell[k]))
	}
	var used []int32
	for _, k := range g {
		x, c := int32(uint32(k)), float64(cell[k])
		part := c / float64(count[x])
		s.alone = max(s.alone, part*records/total)
		for i, y := range t.law[x].Output {
			p, at := float64(t.law[x].Weight[i])/float64(t.law[x].Total), &seen[y]
			if at.ways++; at.ways == 1 {
				used = append(used, y)
			}
			at.mass, at.most = at.mass+p*c, max(at.most, p*c)
			if p > at.high {
				at.high, at.by = p, x
			}
			if p*part > at.lift {
				at.lift, at.by2 = p*part, x
			}
		}
	}
	if s.guess += best / records; len(g) == 1 {
		s.certain += total / records
	}
	for _, y := range used {
		at := seen[y]
		if s.both += at.most / records; at.ways == 1 {
			s.sure += at.mass / records
		}
		f, before := at.high*total/at.mass, float64(cell[g[0]&^(1<<32-1)|uint64(at.by)])/total
		s.within = raise(&s.given, s.within, seer{y, at.by, before, before * f, f})
		f, before = at.lift*records/at.mass, float64(count[at.by2])/records
		s.worst = raise(&s.total, s.worst, seer{y, at.by2, before, before * f, f})
		seen[y] = shownBy{}
	}
}

// raise raises a maximum, and keeps those that reach it but for rounding.
func raise(to *float64, list []seer, s seer) []seer {
	if s.factor > *to*(1+1e-9) {
		list = list[:0]
	}
	if s.factor >= *to*(1-1e-9) {
		list = append(list, s)
	}
	*to = max(*to, s.factor)
	return list
}

// figures are what the report says of them: sums to nine digits, leakages not below
// what is found.
func (s *inSample) figures(v *document.View, of *beside) Figures {
	sum := func(f float64) document.Rounded { return rounded(f, 1) }
	nats := func(f float64) Rule {
		low := math.Log(max(1, f))
		return func(n Node) bool { return n.IsNumber() && n.Float("") >= low-1e-12 && n.Float("") <= low+1e-9*(1+low) }
	}
	oneOfThem := func(all []seer) any {
		if len(all) == 0 {
			return nil
		}
		return Rule(func(n Node) bool { // several may tell as much
			return slices.ContainsFunc(all, func(a seer) bool {
				var w document.Faults
				document.Diff(&w, "", n, Figures{"output": v.Plan.Outputs[a.output], "guess": v.Plan.Inputs[a.letter],
					"before": sum(a.before), "after": sum(min(1, a.after)), "factor": rounded(a.factor, 1e3*a.factor)})
				return len(w) == 0
			})
		})
	}
	return Figures{"identifier?": of.identifier, "bins?": of.bins, "strata": s.strata, "small_records": s.small,
		"alone_nats": nats(s.alone), "given_nats": nats(s.given), "total_nats": nats(s.total), "guess": sum(s.guess),
		"guess_without": sum(s.without), "guess_with_output": sum(s.both), "certain": sum(s.certain),
		"certain_with_output": sum(s.sure), "removed": document.Near{Value: s.removed, By: 1e-9}, "worst": oneOfThem(s.worst),
		"worst_within": oneOfThem(s.within)}
}

// pairs recomputes the first of the list, of the columns that tell most; others are
// there for what held-out rows show, and have no figures.
func (t *counting) pairs(v *document.View, w *document.Faults, list []Node, columns map[string]*beside, told []paired) {
	order := slices.Clone(told)
	slices.SortStableFunc(order, func(a, b paired) int { return cmp.Compare(b.removed, a.removed) })
	order = order[:min(pairedColumn, len(order))]
	n, left := len(order)*(len(order)-1)/2, pairsSteps
	w.Match(len(list) >= n, "the number of pairs")
	for i, p := range list {
		names := p.Texts("columns")
		s, of := &inSample{}, &beside{}
		if len(names) == 2 && columns[names[0]] != nil && columns[names[1]] != nil && i < n {
			high, low := columns[names[0]], columns[names[1]]
			code, both := make([]int32, len(t.letter)), map[uint64]int32{}
			for k := range code {
				pair := uint64(high.code[k])<<32 | uint64(low.code[k])
				if _, known := both[pair]; !known {
					both[pair] = int32(len(both))
				}
				code[k] = both[pair]
			}
			if s = t.measure(code); s.steps > left {
				s = &inSample{}
			} else {
				left -= s.steps
			}
		}
		document.Some(w, fmt.Sprintf("conditional.pairs[%d]", i), p, Figures{"in_sample": s.figures(v, of)})
	}
}

// runs compares neighbouring rows of a unit with a shuffled file: how many are equal,
// and how many standard deviations that is beyond what is expected [Mood 1940].
func (t *counting) runs(starts []int) Figures {
	count := map[int32]float64{}
	pairs, equal, n, last := 0.0, 0.0, 0.0, int32(-1)
	for i, x := range t.letter {
		if _, first := slices.BinarySearch(starts, i); first {
			last = -1
		}
		if x < 0 {
			continue
		}
		if last >= 0 {
			if pairs++; x == last {
				equal++
			}
		}
		last = x
		count[x]++
		n++
	}
	var same, expected, excess float64
	if pairs > 0 && n >= 2 {
		two, three, four, square := 0.0, 0.0, 0.0, 0.0
		for _, c := range count {
			two, three = two+c*(c-1), three+c*(c-1)*(c-2)
			four, square = four+c*(c-1)*(c-2)*(c-3), square+c*(c-1)*c*(c-1)
		}
		same, expected = equal/pairs, two/(n*(n-1))
		if n >= 4 {
			all := n * (n - 1) * (n - 2)
			variance := pairs*expected + 2*(pairs-1)*three/all + (pairs-1)*(pairs-2)*(four+two*two-square)/(all*(n-3)) -
				pairs*expected*pairs*expected
			if variance > 0 {
				excess = (equal - pairs*expected) / math.Sqrt(variance)
			}
		}
	}
	return Figures{"equal": rounded(same, 1), "expected": rounded(expected, 1),
		"excess": document.Near{Value: excess, By: 1e-6 * (1 + math.Abs(excess))}}
}
