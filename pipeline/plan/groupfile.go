package plan

import (
	"fmt"
	"hash"
	"math"
	"math/big"
	"strconv"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

type groupFile struct {
	Names    []report.Label `json:"strata,omitempty"`
	Rest     bool           `json:"rest,omitempty"`
	Counts   []string       `json:"counts"`
	Records  []string       `json:"records,omitempty"` // where the counts are not those of the records
	Law      int            `json:"mechanism"`         // place in mechanisms, from 0
	Factor   string         `json:"factor"`
	Nats     float64        `json:"nats"`
	Rank     int            `json:"rank"`
	Value    float64        `json:"value"`
	Expected float64        `json:"expected"`
}

// given is the member "strata" of plan.json, nil where no column is given.
func (p *Plan) given() *Given {
	if p.Given.Column == "" {
		return nil
	}
	g := p.Given
	g.Tried = append([]Tried{}, g.Tried...)
	return &g
}

func (p *Plan) groupFiles() []groupFile {
	out := []groupFile{}
	_, of := p.Laws()
	for i, g := range p.Groups {
		_, factor := g.Leakage.Max()
		e := groupFile{Names: g.Names, Rest: g.Rest, Counts: report.Counts(g.Prior.Counts()), Law: of[i],
			Factor: factor.RatString(), Nats: mechanism.Nats(factor), Rank: g.Rank, Value: g.Value, Expected: g.Expected}
		if p.Of != "" {
			e.Records = report.Counts(g.Sample.Counts())
		}
		out = append(out, e)
	}
	return out
}

// restoreGroups reads the groups of a plan whose letters are known: their factors are
// claims until they are verified.
func (p *Plan) restoreGroups(f *file, read func(string) ([]byte, error)) error {
	var laws []*mechanism.Mechanism
	for i := range f.Laws {
		m, err := p.restoreLaw(&f.Laws[i], f, read)
		if err != nil {
			return fmt.Errorf("mechanism %d: %w", i+1, err)
		}
		laws = append(laws, m)
	}
	for i, g := range f.Groups {
		e := Group{Names: g.Names, Rest: g.Rest, Rank: g.Rank, Value: g.Value, Expected: g.Expected}
		if g.Law < 0 || g.Law >= len(laws) {
			return fmt.Errorf("group %d has no mechanism", i+1)
		}
		var err error
		if e.Prior, err = countsOf(g.Counts, p.Inputs.Len()); err != nil {
			return fmt.Errorf("group %d: %w", i+1, err)
		}
		if f.Prior != nil {
			if e.Sample, err = countsOf(g.Records, p.Inputs.Len()); err != nil {
				return fmt.Errorf("group %d: records: %w", i+1, err)
			}
		}
		factor, ok := new(big.Rat).SetString(g.Factor)
		if !ok || mechanism.Nats(factor) != g.Nats {
			return fmt.Errorf("group %d: its factor is not a fraction, or has another logarithm", i+1)
		}
		e.Mechanism, e.Leakage = laws[g.Law], claimed(factor)
		p.Groups = append(p.Groups, e)
	}
	return nil
}

// countsOf reads one count per letter.
func countsOf(text []string, letters int) (p mechanism.Prior, err error) {
	if len(text) != letters {
		return p, fmt.Errorf("there is not one count per value")
	}
	count, err := numbersOf(text)
	if err != nil {
		return p, fmt.Errorf("count %w", err)
	}
	return mechanism.NewPrior(count)
}

// numbersOf reads integers, which stand in the file as texts; an error goes on after what
// they are.
func numbersOf(text []string) (out []int64, err error) {
	for i, t := range text {
		v, err := strconv.ParseInt(t, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%d is not a number", i+1)
		}
		out = append(out, v)
	}
	return out, nil
}

// claimed is a leakage of which nothing is known but its largest factor.
func claimed(factor *big.Rat) mechanism.Leakage { return mechanism.Leakage{Output: []*big.Rat{factor}} }

// hashGroups adds what draws depend on where a column is given: 2^64-1, where another
// plan has the number of its rows, then column and function as texts, the number of
// mechanisms and each of them as a plan's rows, the number of groups and, per
// group, its mechanism, 1 where it is the rest and else 0, and its strata.
func (p *Plan) hashGroups(h hash.Hash) {
	hashNumbers(h, math.MaxUint64)
	hashLabels(h, []report.Label{{Text: p.Given.Column}, {Text: p.Given.Function}})
	laws, of := p.Laws()
	hashNumbers(h, uint64(len(laws)))
	for _, m := range laws {
		hashRows(h, m)
	}
	hashNumbers(h, uint64(len(p.Groups)))
	for i, g := range p.Groups {
		rest := uint64(0)
		if g.Rest {
			rest = 1
		}
		hashNumbers(h, uint64(of[i]), rest)
		hashLabels(h, g.Names)
	}
}
