package neighbours

import (
	"context"
	"runtime"
	"slices"

	"github.com/tacet-privacy/tacet/estimate/judge"
	"github.com/tacet-privacy/tacet/io/dataset"
	"github.com/tacet-privacy/tacet/io/table"
)

// Result is what the kept columns and the places of the rows tell.
type Result struct {
	Rows, Of int64 // read, and in the file
	Columns  []Column
	Pairs    []Column // that are refused or warned of, and the one that makes a letter likelier the most
	// Pairs of columns: how many were looked at, and how many there are.
	PairsJudged, PairsOf int
	Place                Column  // of a row in the file
	All                  *Column // all columns together; nil where they were not judged so
	Runs                 *judge.Runs
	Factor               float64 // e^epsilon
	Blind                int     // letters of too few rows for a verdict of their own
	joint                *joint  // by which All was judged
}

// A Column is one kept column, or several that are judged together.
type Column struct {
	Names   []string
	Verdict judge.Verdict // of held-out rows
	Why     string        // its cells were not judged
	// TellsApart is set where nearly every row has a cell of its own.
	TellsApart bool
	Restores   bool // it would give the rows their order back after a shuffle
}

// Shares are those of counts.
func Shares(count []int64) []float64 {
	n, out := int64(0), make([]float64, len(count))
	for _, c := range count {
		n += c
	}
	for x, c := range count {
		out[x] = float64(c) / float64(max(1, n))
	}
	return out
}

// Measure judges the columns of r beside the private one, whose letters are those of a.
func Measure(ctx context.Context, in *dataset.Files, r Request, a *table.Alphabet) (*Result, error) {
	s, err := read(ctx, in, r, a)
	if s != nil && s.file != nil {
		defer s.file.Close()
	}
	if err != nil {
		return nil, err
	}
	letters := len(r.Prior)
	out := &Result{Rows: int64(len(s.letter)), Of: s.of, Factor: r.Factor, Columns: make([]Column, len(r.Columns)),
		Runs: s.runs(letters)}
	if !slices.Contains(s.late, true) {
		s.collect()
	}
	return out, s.judge(ctx, out, r, letters)
}

// collect gives memory back that reading left; few rows leave none worth the pause.
func (s *sample) collect() {
	if len(s.letter) >= 50_000 {
		runtime.GC()
		runtime.GC() // and the buffers of pools, which outlive one collection
	}
}

// runs looks at neighbours, which units part, and persons: the draws of one
// person's rows are one draw.
func (s *sample) runs(letters int) *judge.Runs {
	r := judge.NewRuns(letters)
	for _, p := range s.part {
		r.Break()
		if s.person == nil {
			r.Add(s.letter[p.from:p.to])
			continue
		}
		for from := p.from; from < p.to; {
			to := from + 1
			for to < p.to && s.person[to] != s.person[to-1] {
				to++
			}
			r.Break()
			r.Add(s.letter[from:to])
			from = to
		}
	}
	return r
}
