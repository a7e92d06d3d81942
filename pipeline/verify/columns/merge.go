package columns

import (
	"cmp"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
)

// merge leaves out what is alike, and changes no quotient n max p / sum c p. Letters of one
// law are one letter with the records of both. Of outputs whose chances, over all letters
// that occur, are multiples of one another, one is left: the quotient is the same for each.
func merge(rows [][]exact.Row, list []combination) (few [][]exact.Row, merged []combination) {
	for _, c := range list {
		merged = append(merged, combination{letter: slices.Clone(c.letter), count: c.count})
	}
	for k, column := range rows {
		place, laws := mergeLetters(column, list, k)
		for i := range merged {
			merged[i].letter[k] = place[list[i].letter[k]]
		}
		few = append(few, mergeOutputs(laws))
	}
	slices.SortFunc(merged, func(a, b combination) int { return slices.Compare(a.letter, b.letter) })
	last := 0
	for _, c := range merged[1:] {
		if slices.Equal(merged[last].letter, c.letter) {
			merged[last].count += c.count
			continue
		}
		last++
		merged[last] = c
	}
	return few, merged[:last+1]
}

// mergeLetters are the laws of the letters of a column that occur, and the place of each.
func mergeLetters(column []exact.Row, list []combination, k int) (place []int32, laws []exact.Row) {
	place = make([]int32, len(column))
	var occur []int32
	for _, c := range list {
		if x := c.letter[k]; place[x] == 0 {
			place[x], occur = 1, append(occur, x)
		}
	}
	alike := func(a, b int32) int {
		return cmp.Or(slices.Compare(column[a].Output, column[b].Output),
			slices.Compare(column[a].Weight, column[b].Weight))
	}
	slices.SortFunc(occur, func(a, b int32) int { return cmp.Or(alike(a, b), cmp.Compare(a, b)) })
	for i, x := range occur {
		if i == 0 || alike(occur[i-1], x) != 0 {
			laws = append(laws, column[x])
		}
		place[x] = int32(len(laws)) - 1
	}
	return place, laws
}

// mergeOutputs leaves the first of all outputs whose weights are multiples of one another.
func mergeOutputs(laws []exact.Row) []exact.Row {
	// A class is outputs whose weights so far are, in every law, in the proportion of their
	// first weights; an output of no law yet is of class 0.
	type part struct {
		class       int32
		over, under int64
	}
	type output struct {
		class int32
		first int64
	}
	of, last := map[int32]output{}, int32(0)
	for _, r := range laws {
		parts := map[part]int32{}
		for i, y := range r.Output {
			o, w := of[y], r.Weight[i]
			if o.class == 0 {
				o.first = w
			}
			g := divisor(w, o.first)
			p := part{o.class, w / g, o.first / g}
			if parts[p] == 0 {
				last++
				parts[p] = last
			}
			of[y] = output{parts[p], o.first}
		}
	}
	chosen := map[int32]int32{}
	for y, o := range of {
		if z, known := chosen[o.class]; !known || y < z {
			chosen[o.class] = y
		}
	}
	few := make([]exact.Row, len(laws))
	for x, r := range laws {
		few[x].Total = r.Total
		for i, y := range r.Output {
			if chosen[of[y].class] == y {
				few[x].Output, few[x].Weight = append(few[x].Output, y), append(few[x].Weight, r.Weight[i])
			}
		}
	}
	return few
}

// divisor is the greatest common divisor.
func divisor(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
