package plan

import (
	"encoding/json"
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
	Counts   numbers        `json:"counts"`
	Records  numbers        `json:"records,omitempty"` // where the counts are not those of the records
	Law      int            `json:"mechanism"`         // place in mechanisms, from 0
	Factor   *big.Rat       `json:"factor"`
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
	return &p.Given
}

func (p *Plan) groupFiles() []groupFile {
	out := []groupFile{}
	_, of := p.Laws()
	for i, g := range p.Groups {
		_, factor := g.Leakage.Max()
		e := groupFile{Names: g.Names, Rest: g.Rest, Counts: g.Prior.Counts(), Law: of[i],
			Factor: factor, Nats: mechanism.Nats(factor), Rank: g.Rank, Value: g.Value, Expected: g.Expected}
		if p.Of != "" {
			e.Records = g.Sample.Counts()
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
		if e.Prior, err = g.Counts.of(p.Inputs.Len()); err != nil {
			return fmt.Errorf("group %d: %w", i+1, err)
		}
		if e.Sample = e.Prior; f.Prior != nil {
			if e.Sample, err = g.Records.of(p.Inputs.Len()); err != nil {
				return fmt.Errorf("group %d: records: %w", i+1, err)
			}
		}
		if g.Factor == nil || g.Factor.Sign() <= 0 || mechanism.Nats(g.Factor) != g.Nats {
			return fmt.Errorf("group %d: its factor is not a fraction, or has another logarithm", i+1)
		}
		e.Mechanism, e.Leakage = laws[g.Law], claimed(g.Factor)
		p.Groups = append(p.Groups, e)
	}
	return nil
}

// numbers are integers that stand in a file as texts, since they may pass 2^53.
type numbers []int64

// MarshalJSON writes them.
func (n numbers) MarshalJSON() ([]byte, error) { return json.Marshal(report.Counts(n)) }

// UnmarshalJSON reads them.
func (n *numbers) UnmarshalJSON(data []byte) error {
	var text []string
	if err := json.Unmarshal(data, &text); err != nil {
		return err
	}
	*n = make(numbers, len(text))
	for i, t := range text {
		v, err := strconv.ParseInt(t, 10, 64)
		if err != nil {
			return fmt.Errorf("number %d of a list is none", i+1)
		}
		(*n)[i] = v
	}
	return nil
}

// of are they as counts, one for each letter.
func (n numbers) of(letters int) (p mechanism.Prior, err error) {
	if len(n) != letters {
		return p, fmt.Errorf("there is not one count per value")
	}
	return mechanism.NewPrior(n)
}

// claimed is a leakage of which nothing is known but its largest factor.
func claimed(factor *big.Rat) mechanism.Leakage { return mechanism.Leakage{Output: []*big.Rat{factor}} }

// hashGroups adds what draws depend on where a column is given: 2^64-1, where another
// plan has the number of its rows, then column and an empty text, the number of
// mechanisms and each of them as a plan's rows, the number of groups and, per
// group, its mechanism, 1 where it is the rest and else 0, and its strata.
func (p *Plan) hashGroups(h hash.Hash) {
	hashNumbers(h, math.MaxUint64)
	hashLabels(h, []report.Label{{Text: p.Given.Column}, {}})
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
