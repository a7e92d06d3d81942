package columns

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/files"
)

// What a run takes of a file to judge the columns published in clear, and how it
// counts what they tell in sample.
const (
	sampledRows  = 250_000     // beyond, a run counts one row in so many, unless it was asked for all
	countedCells = 10_000_000  // up to which all columns are held here
	smallValue   = 20          // a value of fewer records is not counted,
	onceShare    = .1          // nor one of which more records hold a private value that comes up once in it
	binnedShare  = .1          // of records that hold small values, above which numbers are cut into quantiles
	mostBins     = 256         // quantiles, of
	binRows      = 100         // records each at the least
	binSteps     = 64_000_000  // bounds quantiles times letters times outputs
	uniqueShare  = .9          // of different values, from which on a column is an identifier
	placeBlocks  = 256         // parts of equally many rows that places are cut into
	columnSteps  = 200_000_000 // bounds what is counted of a column,
	pairsSteps   = 400_000_000 // and of all pairs
	pairedColumn = 6           // columns that tell most, which are counted in pairs
)

// A beside is a column published in clear, row by row.
type beside struct {
	code       []int32 // 0 is null
	bins       int
	identifier bool
}

// CheckBeside recomputes from the input what columns published in clear, pairs of
// them and the places of the rows tell by the frequencies of the rows, and how often
// neighbouring rows hold one value.
func CheckBeside(ctx context.Context, v *document.View, q document.Request, f *document.Files) error {
	const name = "neighbours in sample"
	b := v.Report.At("conditional")
	if !b.Has("records") {
		return nil
	}
	rows, laws := v.Report.Int("input.rows"), len(v.Laws)
	switch {
	case f.In == nil || v.Pairs == nil:
		v.Skip(name, "no input")
		return nil
	case laws != 1:
		v.Skip(name, document.Either(laws > 1, "each stratum has a mechanism of its own", "the rows are not known"))
		return nil
	case rows > sampledRows && v.Report.Option("audit") != "full":
		v.Skip(name, "the run counted a sample of the rows")
		return nil
	case int64(len(b.List("columns"))+1)*rows > countedCells:
		v.Skip(name, "there are too many cells to count all of them again")
		return nil
	}
	by, err := files.NewLetters(f.In.Type(), v.Plan.Inputs)
	if err != nil {
		return nil // compare has said so
	}
	letters, starts, err := f.In.Letters(ctx, by)
	if err != nil {
		return err
	}
	t := &counting{law: v.Laws[0], letter: letters, outputs: len(v.Plan.Outputs)}
	var w document.Faults
	document.Some(&w, "conditional", b, Figures{"records": len(letters), "of": len(letters)})
	placed := !v.Report.Shuffled() || b.Has("place")
	if placed && v.Report.Option("person") == "" && v.Report.Int("person_figures.persons") == 0 {
		document.Some(&w, "conditional", b, Figures{"runs": t.runs(starts)})
	}
	columns := map[string]*beside{}
	var told []paired
	open := 0
	for i, c := range b.List("columns") {
		names := c.Texts("columns")
		of, err := readBeside(ctx, q, f, names, t)
		if err != nil {
			return err
		}
		if of == nil {
			open++
			continue
		}
		columns[names[0]] = of
		s := t.measure(of.code)
		if s.steps > columnSteps {
			s = &inSample{}
		} else if !of.identifier && s.strata > 1 {
			told = append(told, paired{names[0], s.removed})
		}
		document.Some(&w, fmt.Sprintf("conditional.columns[%d]", i), c, Figures{"in_sample": s.figures(v, of)})
	}
	if open == 0 {
		t.pairs(v, &w, b.List("pairs"), columns, told)
	}
	place := make([]int32, len(letters))
	for i := range place {
		place[i] = int32(float64(i) / float64(len(place)) * placeBlocks)
	}
	if placed {
		document.Some(&w, "conditional.place", b.At("place"),
			Figures{"in_sample": t.measure(place).figures(v, &beside{})})
	}
	v.Settle(name, w, "%d columns, %d pairs and the places of %d rows, by the frequencies of the rows%s", len(columns),
		len(b.List("pairs")), len(letters), document.Either(open == 0, "",
			fmt.Sprintf("; %d columns are of a type that is not read again, and with them the pairs", open)))
	return nil
}

// readBeside reads a column and numbers its values, those of numbers and times in
// their order; nil for one of a type that is not read.
func readBeside(ctx context.Context, q document.Request, f *document.Files, names []string, t *counting) (*beside,
	error) {
	if len(names) != 1 {
		return nil, nil
	}
	in, err := f.In.Beside(names[0])
	var unread *files.Error
	if errors.As(err, &unread) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	number := map[string]int32{}
	var values []string
	code := make([]int32, 0, len(t.letter))
	for u := range in.Units() {
		var texts []string
		side := document.Side{Of: in, By: files.NewTexts(in.Type(), &texts)}
		err := document.Abreast(ctx, u, []document.Side{side}, func(block [][]int32) error {
			for _, at := range block[0] {
				if at < 0 {
					code = append(code, 0)
					continue
				}
				k, known := number[texts[at]]
				if !known {
					k = int32(len(values)) + 1
					number[texts[at]], values = k, append(values, texts[at])
				}
				code = append(code, k)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	if len(code) != len(t.letter) {
		return nil, nil // its units hold other rows than their heads say
	}
	return t.divide(code, values, in.Type()), nil
}

// divide cuts numbers and times into quantiles where their values have few rows.
func (t *counting) divide(code []int32, values []string, of files.Type) *beside {
	rank := make([]int, len(values))
	for k := range rank {
		rank[k] = k
	}
	numeric := of.Kind != files.Text && of.Kind != files.Binary && of.Kind != files.Boolean
	if numeric {
		key := make([]files.Key, len(values))
		for k, s := range values {
			if key[k].Number, _ = strconv.ParseInt(s, 10, 64); of.Kind != files.Timestamp {
				key[k], _ = of.Key(s)
			}
		}
		slices.SortFunc(rank, func(a, b int) int { return of.Compare(key[a], key[b]) })
	}
	place, rows := make([]int32, len(values)+1), make([]int, len(values)+1)
	for i, k := range rank {
		place[k+1] = int32(i) + 1
	}
	filled := 0
	for i, k := range code {
		if code[i] = place[k]; k > 0 {
			rows[code[i]]++
			filled++
		}
	}
	out := &beside{code: code,
		identifier: filled > 1 && float64(len(values)) >= uniqueShare*float64(filled)}
	small := 0
	for _, n := range rows[1:] {
		if n < smallValue {
			small += n
		}
	}
	if !numeric || float64(small) <= binnedShare*float64(len(code)) {
		return out
	}
	steps := 0
	for _, r := range t.law {
		steps += len(r.Output)
	}
	most := min(mostBins, max(1, binSteps/max(1, steps)))
	out.bins = min(most, max(1, filled/binRows))
	before := make([]int, len(rows)+1)
	for k, n := range rows {
		before[k+1] = before[k] + n
	}
	for i, k := range code {
		if k > 0 {
			code[i] = 1 + int32(before[k]*out.bins/max(1, filled))
		}
	}
	return out
}
