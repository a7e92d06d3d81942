package kernel

import (
	"cmp"
	"context"
	"maps"
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/verify/kernel/files"
)

// Limits of the search through combinations of outputs: its steps, and the cells of those
// that are compared as fractions.
const (
	jointSteps = 1 << 31
	jointCells = 1 << 24
)

// mostColumns is how many private columns a release has at most.
const mostColumns = 8

// A JointClaim is what a release of several private columns says of all of them; factors
// are "" where there are none.
type JointClaim struct {
	Factor   string
	Exact    bool   // the factor is reached, and no bound
	Target   string // epsilon of all columns together, "" where none was asked for
	Presence string // factor with the nulls that stay
	Unaware  string // factor for whoever does not know the group of strata
}

// A together is what several columns tell together. Factors are nil where finding them takes too
// long, and no factor exceeds one over the share of the rarest combination.
type together struct {
	records                   int64
	factor, presence, unaware *big.Rat // for whoever knows which cells are null, and the group; the group alone; neither
	bound, all                *big.Rat // of shares in a kind, and among all records
}

// A combination is what records hold in several private columns, files.Null for a null that
// is no letter; and behind that the groups of the plans that they are in.
type combination [2 * mostColumns]int32

// groups are the second half of a combination.
type groups [mostColumns]int32

// A kind is records that have letters in the same columns, and are in the same groups.
type kind struct {
	group   groups
	rows    [][]Row // of the columns that have letters
	list    []peers
	records int64
}

// Peers are the records of a kind that hold the same letters.
type peers struct {
	letter []int32
	count  int64
}

// ProveJoint proves what columns that were privatized one by one tell together: the factor
// n max_x p(y|x) / sum_x c_x p(y|x) of combinations x of letters with c_x records, and y of
// outputs, with p(y|x) the product of the columns' chances, which are drawn one by one.
func ProveJoint(ctx context.Context, of []*Release, facts []*Facts, c JointClaim) (*Result, error) {
	r := &Result{}
	const name = "joint factor"
	if len(of) > mostColumns {
		r.Add(name, false, "there are more than %d private columns", mostColumns)
		return r, nil
	}
	for i := range of {
		if of[i].In == nil || facts[i].Groups == nil && !of[i].Plan.Empty() {
			r.Skip(name, Either(of[i].In == nil, "no input", "the rows of a plan are not known"))
			return r, nil
		}
	}
	list, err := combine(ctx, of)
	if err != nil {
		return r, err
	}
	kinds := kindsOf(facts, list)
	j, nulls := measure(kinds), slices.ContainsFunc(kinds, func(k *kind) bool { return len(k.rows) < len(of) })
	var w Faults
	for _, k := range []struct {
		what, claim   string
		there         bool
		factor, bound *big.Rat
	}{
		{"the factor of all columns", c.Factor, true, j.factor, j.bound},
		{"the factor with nulls", c.Presence, nulls, j.presence, j.all},
		{"the factor without the group", c.Unaware, slices.ContainsFunc(of, hasStrata), j.unaware, j.all},
	} {
		// A claim is the factor, or a bound that is neither below it nor above what there can be.
		f, ok := Fraction(k.claim)
		if k.claim != "" || k.there {
			w.Match(ok && f.Cmp(k.bound) <= 0 && (k.factor == nil || f.Cmp(k.factor) >= 0 &&
				(!c.Exact || f.Cmp(k.factor) == 0)), k.what)
		}
	}
	if c.Exact && j.factor == nil && len(w) == 0 {
		r.Skip(name, "the combinations of outputs are too many to go through")
	} else {
		r.Settle(name, w, "of %d combinations in %d records, %s", len(list), j.records,
			Either(c.Exact, "exactly", "a bound, and not below what is reached"))
	}
	if t, ok := ParseTarget(c.Target); c.Target != "" {
		f, known := Fraction(c.Factor)
		r.Add("joint target", ok && known && t.Admits(f), "all columns together, and the epsilon asked for of them")
	}
	return r, nil
}

func hasStrata(r *Release) bool { return r.Plan.Given.Of != "" }

// combine counts the combinations of letters and groups of the input.
func combine(ctx context.Context, of []*Release) (map[combination]int64, error) {
	const hint = "name the input of this release"
	var sides []Side
	var place []int // of what a side has in a combination
	for i, r := range of {
		by, err := r.Plan.letters(r.In.Type())
		if err != nil {
			return nil, Errorf(hint, "the values of a plan are not those of its column")
		}
		sides, place = append(sides, Side{r.In, by}), append(place, i)
		if hasStrata(r) {
			strata, why := r.Plan.groupsIn(r.In)
			if why != "" {
				return nil, Errorf(hint, "the strata of a plan: %s", why)
			}
			sides, place = append(sides, *strata), append(place, mostColumns+i)
		}
	}
	begin := func() map[combination]int64 { return map[combination]int64{} }
	all := begin()
	return all, eachBlock(ctx, len(of[0].In.Units()), sides, begin, func(own map[combination]int64, u int,
		block [][]int32) error {
		for row := range block[0] {
			var c combination
			for k, at := range place {
				c[at] = block[k][row]
			}
			if slices.Contains(c[:], files.Stranger) {
				return Errorf(hint, "unit %d holds a value or a stratum that its plan lacks", u+1)
			}
			own[c]++
		}
		return nil
	}, func(own map[combination]int64) {
		for c, n := range own {
			all[c] += n
		}
	})
}

// kindsOf parts combinations by the columns that hold letters, and by groups.
func kindsOf(facts []*Facts, all map[combination]int64) (out []*kind) {
	at := map[combination]*kind{} // by groups, and nulls
	for _, c := range slices.SortedFunc(maps.Keys(all), func(a, b combination) int { return slices.Compare(a[:], b[:]) }) {
		of, letter, rows, group := c, []int32(nil), [][]Row(nil), groups(c[mostColumns:])
		for i, f := range facts {
			if of[i] = min(c[i], 0); c[i] != files.Null {
				letter, rows = append(letter, c[i]), append(rows, f.Groups[group[i]].Rows)
			}
		}
		if at[of] == nil {
			at[of] = &kind{group: group, rows: rows}
			out = append(out, at[of])
		}
		at[of].list, at[of].records = append(at[of].list, peers{letter, all[c]}), at[of].records+all[c]
	}
	return out
}

// measure finds the factor of every kind; whoever does not know the kind of a record learns
// that, too: one over its share among those that are alike before.
func measure(kinds []*kind) *together {
	j, near := &together{factor: one, presence: one, unaware: one, bound: one, all: new(big.Rat)}, map[groups]int64{}
	for _, k := range kinds {
		j.records, near[k.group] = j.records+k.records, near[k.group]+k.records
	}
	for _, k := range kinds {
		rarest := slices.MinFunc(k.list, func(a, b peers) int { return cmp.Compare(a.count, b.count) }).count
		j.bound, j.all = larger(j.bound, big.NewRat(k.records, rarest)), larger(j.all, big.NewRat(j.records, rarest))
		if j.factor == nil {
			continue
		}
		f := k.factor()
		if f == nil {
			j.factor, j.presence, j.unaware = nil, nil, nil
			continue
		}
		among := func(n int64) *big.Rat { return new(big.Rat).Mul(f, big.NewRat(n, k.records)) }
		j.factor, j.presence = larger(j.factor, f), larger(j.presence, among(near[k.group]))
		j.unaware = larger(j.unaware, among(j.records))
	}
	return j
}

// A hunt goes through the outputs of one column after the other: what is left after some
// are fixed are the combinations that may give them. Floats choose which outputs are
// compared as fractions.
type hunt struct {
	*kind
	best  float64
	found *big.Rat
	cells int
}

// left is a combination that may give the outputs so far, with its chance.
type left struct {
	*peers
	p float64
}

// factor is the joint factor of a kind, nil where finding it takes too long.
func (k *kind) factor() *big.Rat {
	if len(k.rows) == 0 {
		return one
	}
	h := &hunt{kind: k, found: one}
	steps, now := int64(0), make([]left, len(k.list))
	for i := range k.list {
		now[i] = left{&k.list[i], 1}
		ways := int64(1)
		for c, x := range k.list[i].letter {
			ways = min(ways*int64(len(k.rows[c][x].Output)), jointSteps)
		}
		if steps += ways; steps >= jointSteps {
			return nil
		}
	}
	if h.fix(now, nil); h.cells > jointCells {
		return nil
	}
	return h.found
}

// A share is the largest chance of some combinations, and c p of all of them added up.
type share struct{ top, over float64 }

func (s *share) add(chance float64, n int64) {
	s.top, s.over = max(s.top, chance), s.over+chance*float64(n)
}

// near reports whether n max p / sum c p is not below the best so far.
func (h *hunt) near(s share) bool {
	return s.over > 0 && float64(h.records)*s.top/s.over >= h.best*(1-margin)
}

// fix tries every output of the next column. Of the last one, an output says no more of
// combinations than which letter they have there: where no letter tells as much as the best
// so far, no output does.
func (h *hunt) fix(now []left, output []int32) {
	k := len(output)
	rows, last := h.rows[k], k == len(h.rows)-1
	size := int32(0)
	for _, r := range rows {
		size = max(size, r.Output[len(r.Output)-1]+1)
	}
	if !last {
		then := make([][]left, size)
		for _, l := range now {
			r := rows[l.letter[k]]
			for i, y := range r.Output {
				then[y] = append(then[y], left{l.peers, l.p * r.Chance(i)})
			}
		}
		for y, list := range then {
			if list != nil {
				h.fix(list, append(slices.Clone(output), int32(y)))
			}
		}
		return
	}
	letters, shown := make([]share, len(rows)), make([]share, size)
	for _, l := range now {
		letters[l.letter[k]].add(l.p, l.count)
	}
	if !slices.ContainsFunc(letters, h.near) {
		return
	}
	for _, l := range now {
		r := rows[l.letter[k]]
		for i, y := range r.Output {
			shown[y].add(l.p*r.Chance(i), l.count)
		}
	}
	for y, s := range shown {
		if h.near(s) {
			h.best = max(h.best, float64(h.records)*s.top/s.over)
			h.judge(now, append(slices.Clone(output), int32(y)))
		}
	}
}

// margin is above what quotients of floats are off by.
const margin = 1e-9

// judge compares outputs with the best so far.
func (h *hunt) judge(now []left, output []int32) {
	top, terms, last := new(big.Rat), []*big.Rat(nil), len(output)-1
	for _, l := range now {
		if h.rows[last][l.letter[last]].Of(output[last]) == 0 {
			continue
		}
		if h.cells++; h.cells > jointCells {
			return
		}
		p := big.NewRat(1, 1)
		for k, x := range l.letter {
			p.Mul(p, big.NewRat(h.rows[k][x].Of(output[k]), h.rows[k][x].Total))
		}
		top = larger(top, p)
		terms = append(terms, new(big.Rat).Mul(p, big.NewRat(l.count, 1)))
	}
	f := new(big.Rat).Mul(top, big.NewRat(h.records, 1))
	h.found = larger(h.found, f.Quo(f, added(terms)))
}
