package neighbours

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/tacet-privacy/tacet/estimate/judge"
	"github.com/tacet-privacy/tacet/io/table"
)

const (
	// mostPairs is how many pairs are looked at of more than paired columns: those of the
	// largest gain, and of numbers and times before texts. Few are looked at on many rows.
	mostPairs = 3000
	lookRows  = 1 << 16 // of all pairs together, and
	leastLook = 1 << 10 // of one
	// deepPairs is how many may be judged on more rows than those of the first stage.
	deepPairs = 300
	// paired are columns of which all pairs are looked at.
	paired = 100
	// mostPaired is how many different values a column may have to be paired by
	// them, and fewPaired how many parts by size numbers of more are paired by.
	mostPaired = 4096
	fewPaired  = 16
)

// pairable keeps what a column holds at the first stage, as long as no others are worth more.
func (j *jury) pairable(i int, v *values, gain float64) {
	if j.view[i].cut != nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.worth[i] = gain; v.size != nil {
		j.worth[i]++
	}
	v.text, v.key, v.rules, j.first[i] = nil, nil, nil, v
	if j.seen++; len(j.first) > paired+paired/4 {
		for _, i := range j.byWorth()[paired:] {
			delete(j.first, i)
		}
	}
}

// byWorth are the columns that may be paired, those that are worth most first.
func (j *jury) byWorth() []int {
	return slices.SortedFunc(maps.Keys(j.first), func(a, b int) int {
		return cmp.Or(cmp.Compare(j.worth[b], j.worth[a]), cmp.Compare(a, b))
	})
}

// pairs judges columns two by two: those first that tell most by themselves, and of these
// numbers and times before others.
func (j *jury) pairs(ctx context.Context, out *Result) error {
	by := j.byWorth()
	var all [][2]int
	for k, b := range by {
		for _, a := range by[:k] {
			if j.seen <= paired || len(all) < mostPairs {
				all = append(all, [2]int{min(a, b), max(a, b)})
			}
		}
	}
	out.PairsOf = j.seen * (j.seen - 1) / 2
	out.PairsJudged = len(all)
	deep := map[[2]int]bool{}
	for _, p := range all[:min(deepPairs, len(all))] {
		deep[p] = true
	}
	slices.SortFunc(all, func(a, b [2]int) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	j.sides = map[int]*side{}
	for i, v := range j.first {
		j.sides[i] = j.side(i, v, j.look)
	}
	found := make([]judge.Verdict, len(all))
	err := table.EachUnit(ctx, len(all), threads(j.q), func(_, k int) (err error) {
		found[k], err = j.pair(ctx, all[k], deep[all[k]])
		return err
	})
	if err != nil {
		return err
	}
	most := 0.0
	for _, v := range found {
		most = max(most, v.Lift.Factor)
	}
	for k, p := range all {
		if v := found[k]; v.Outcome >= judge.Warn || most > 0 && v.Lift.Factor == most {
			a, b := &out.Columns[j.view[p[0]].column], &out.Columns[j.view[p[1]].column]
			out.Pairs = append(out.Pairs, Column{Names: []string{a.Names[0], b.Names[0]}, Verdict: v})
		}
	}
	return nil
}

// pair judges two columns: at a glance, and on more rows where that shows anything, at all
// stages where it goes deep.
func (j *jury) pair(ctx context.Context, p [2]int, deep bool) (judge.Verdict, error) {
	rows, rules := firstRows(len(j.look)), pairRules(j.sides[p[0]], j.sides[p[1]], j.near.follows)
	if !judge.NewTrial(j.glance, j.law(j.stage[0]), rows, len(rows), rules).Tells() {
		return judge.Verdict{Outcome: judge.Clear, Letter: -1}, nil
	}
	c := j.course(slightPair)
	var own [2]*column
	for k, st := range c.stages(ctx) {
		rows, sides := firstRows(st.own), [2]*side{}
		for n, i := range p {
			v := j.first[i]
			if k > 0 {
				if own[n] == nil {
					var err error
					if own[n], err = j.cellsOf(ctx, i); err != nil {
						return c.verdict, err
					}
				}
				v = own[n].values(st.cell[:st.own], st.own, nil)
			}
			sides[n] = j.side(i, v, rows)
		}
		if c.try(k, st, rows, st.own, pairRules(sides[0], sides[1], j.two[k]().follows)); !deep {
			break
		}
	}
	return c.verdict, ctx.Err()
}

// A side is one column of a pair on some rows.
type side struct {
	*values
	row  []int32    // by row: the value
	code [2][]int32 // by row: the values, and their sizes; nil where they are too many
}

func (j *jury) side(i int, v *values, row []int32) *side {
	s := &side{values: v, row: spreadOut(v.of, row)}
	if v.many <= mostPaired {
		s.code = [2][]int32{s.row, s.row}
	}
	if j.column[i].typ.Numeric() && v.many > 4*fewPaired {
		s.code[1] = spreadOut(quantiles(v.rows, fewPaired), s.row)
	}
	return s
}

// firstRows are the rows from 0 on.
func firstRows(n int) []int32 {
	row := make([]int32, n)
	for i := range row {
		row[i] = int32(i)
	}
	return row
}

// spreadOut gives every row what its value has.
func spreadOut[T any](by []T, of []int32) []T {
	out := make([]T, len(of))
	for i, v := range of {
		out[i] = by[v]
	}
	return out
}
