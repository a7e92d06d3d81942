package neighbours

import (
	"math"

	"github.com/tacet-privacy/tacet/estimate/judge"
	"github.com/tacet-privacy/tacet/mechanism"
)

// A seen is what an observer of kept columns sees of a record with letter x
// that is redrawn by law.
type seen struct {
	x   int
	w   string
	law *mechanism.Mechanism
}

// chance is p(y|x) under m.
func chance(m *mechanism.Mechanism, x, y int) float64 {
	r := m.Row(x)
	for i, o := range r.Output {
		if int(o) == y {
			return float64(r.At(i)) / float64(r.Total)
		}
	}
	return 0
}

// judgeable leaves out the strata of fewer than 20 records, and those where
// more than a tenth of the records hold a letter that comes up once.
func judgeable(rows []seen) (out []seen) {
	all, by := map[string]int{}, map[string]map[int]int{}
	for _, r := range rows {
		if all[r.w]++; by[r.w] == nil {
			by[r.w] = map[int]int{}
		}
		by[r.w][r.x]++
	}
	for _, r := range rows {
		once := 0
		for _, n := range by[r.w] {
			if n == 1 {
				once++
			}
		}
		if all[r.w] >= 20 && 10*once <= all[r.w] {
			out = append(out, r)
		}
	}
	return out
}

// brute writes out the joint law of what is kept, letter and output, and reads
// every figure off it.
func brute(all []seen, letters, outputs int) (f judge.Figures) {
	rows := judgeable(all)
	n := float64(len(rows))
	joint := map[string][][]float64{} // of w, x and y
	own, drawn := make([]float64, letters), make([][]float64, letters)
	for x := range drawn {
		drawn[x] = make([]float64, outputs)
	}
	for _, r := range rows {
		if joint[r.w] == nil {
			joint[r.w] = make([][]float64, letters)
			for x := range letters {
				joint[r.w][x] = make([]float64, outputs)
			}
		}
		own[r.x] += 1 / n
		for y := range outputs {
			p := chance(r.law, r.x, y) / n
			joint[r.w][r.x][y] += p
			drawn[r.x][y] += p
		}
	}
	// observe is what an event tells that has probability at[x] together with
	// letter x, for a prior: its factor, the share of the best guess, its
	// probability, and whether only one letter allows it.
	observe := func(at, prior []float64) (factor, guess, mass float64, sure bool) {
		most, ways := 0.0, 0
		for x, p := range at {
			if mass += p; p > 0 {
				ways++
				most, guess = max(most, p/prior[x]), max(guess, p)
			}
		}
		return most / mass, guess, mass, ways == 1
	}
	column := func(table [][]float64, y int) (at []float64) {
		for x := range table {
			at = append(at, table[x][y])
		}
		return at
	}
	cells, seenLetters, shared := 0, 0, 0.0
	for _, p := range own {
		if p > 0 {
			seenLetters++
			f.GuessNone = max(f.GuessNone, p)
			f.Entropy -= p * math.Log(p)
		}
	}
	for y := range outputs {
		if _, guess, mass, sure := observe(column(drawn, y), own); mass > 0 {
			f.GuessDrawn += guess
			if sure {
				f.CertainDrawn += mass
			}
		}
	}
	for _, table := range joint {
		in := make([]float64, letters)
		for x := range table {
			for _, p := range table[x] {
				in[x] += p
			}
		}
		factor, guess, mass, sure := observe(in, own)
		f.Alone, f.GuessAlone = max(f.Alone, math.Log(factor)), f.GuessAlone+guess
		if sure {
			f.CertainAlone += mass
		}
		given := make([]float64, letters)
		for x, p := range in {
			if given[x] = p / mass; p > 0 {
				cells++
				shared += p * math.Log(p/(mass*own[x]))
			}
		}
		for y := range outputs {
			factor, guess, both, sure := observe(column(table, y), own)
			if !(both > 0) {
				continue
			}
			f.Total, f.GuessBoth = max(f.Total, math.Log(factor)), f.GuessBoth+guess
			if sure {
				f.CertainBoth += both
			}
			within := column(table, y)
			for x := range within {
				within[x] /= mass
			}
			factor, _, _, _ = observe(within, given)
			f.Given = max(f.Given, math.Log(factor))
		}
	}
	f.Records, f.Strata = int64(len(rows)), len(joint)
	if f.Entropy > 1e-12 {
		f.Removed = min(1, max(0, (shared-float64(cells-seenLetters-len(joint)+1)/(2*n))/f.Entropy))
	}
	return f
}
