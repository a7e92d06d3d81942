package neighbours

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/tacet-privacy/tacet/estimate/judge"
)

const (
	// mostPairs is how many pairs are looked at: those of the columns of the largest gain,
	// and of numbers and times before texts. Few pairs are looked at on many rows.
	mostPairs = 3000
	lookRows  = 1 << 16 // of all pairs together, and
	leastLook = 1 << 10 // of one
	// deepPairs is how many may be judged on more rows than those of the first stage.
	deepPairs = 300
	// paired are columns of which there are mostPairs pairs.
	paired = 78
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
	v.text, j.first[i] = nil, v
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
			if len(all) < mostPairs {
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
	found := make([]judge.Verdict, len(all))
	work, each := errgroup.WithContext(ctx)
	work.SetLimit(threads(j.q))
	for k, p := range all {
		work.Go(func() (err error) { found[k], err = j.pair(each, p, deep[p]); return err })
	}
	if err := work.Wait(); err != nil {
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
	c := &course{closed: map[string]bool{}, thin: slightPair}
	if err := ctx.Err(); err != nil {
		return c.verdict, err
	}
	v := [2]*values{j.first[p[0]], j.first[p[1]]}
	var own [2]*column
	rules := j.both(p, v, j.look, j.near)
	if len(rules) == 0 {
		return judge.Verdict{Outcome: judge.Clear, Letter: -1}, nil
	}
	t := judge.NewTrial(j.glance, j.law(j.stage[0]), firstRows(len(j.look)), len(j.look), rules)
	if t.Learn(); !t.Tells {
		return judge.Verdict{Outcome: judge.Clear, Letter: -1}, nil
	}
	for k, st := range j.stage {
		if err := ctx.Err(); err != nil {
			return c.verdict, err
		}
		if k > 0 {
			for side, i := range p {
				if own[side] == nil {
					var err error
					if own[side], err = j.cellsOf(ctx, i); err != nil {
						return c.verdict, err
					}
				}
				v[side] = j.values(own[side], st.cell, nil, nil)
			}
		}
		rows := firstRows(len(st.row))
		rules := j.both(p, v, rows, j.two[k]())
		if _, more := j.try(c, k, st, rows, len(rows), rules); !more || !deep {
			break
		}
	}
	return c.verdict, nil
}

// both are the rules of two columns on some rows of a stage.
func (j *jury) both(p [2]int, v [2]*values, row []int32, by *period) []judge.Rule {
	var own, coarse, of [2][]int32
	for side, i := range p {
		own[side], coarse[side] = v[side].paired(j.column[i].typ.Numeric())
		of[side] = spreadOut(v[side].of, row)
	}
	var codes [][2][]int32
	for _, c := range [][2][]int32{own, coarse} {
		if c[0] != nil && c[1] != nil {
			codes = append(codes, [2][]int32{spreadOut(c[0], of[0]), spreadOut(c[1], of[1])})
		}
	}
	return Two(codes, &v[0].numbers, &v[1].numbers, of, by.follows)
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
