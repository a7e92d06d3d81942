package plan

import (
	"fmt"
	"math/big"
)

// A Population is what was decided of the population before a record was
// touched: what is claimed, by which rules, and over which letters and sets.
type Population struct {
	Delta   string   // chance that the claim fails, as the user wrote it
	Rules   []string // that share Delta: "sets", "ball", "letters", "split"
	Sets    int      // different sets S_y among which the design chose
	Letters int      // over which the law may be any, before letters were merged
	Domain  string   // "declared", or "observed" where the letters are those of the data
	Design  *big.Rat // the factor that was designed for, so that the population keeps the target; nil unless asked for
}

// populationFile is the member "population" of plan.json.
type populationFile struct {
	Delta   string   `json:"delta"`
	Rules   []string `json:"rules"`
	Sets    int      `json:"sets"`
	Letters int      `json:"letters"`
	Domain  string   `json:"domain"`
	Design  string   `json:"design_factor,omitempty"`
}

func (q *Population) file() *populationFile {
	if q == nil {
		return nil
	}
	f := &populationFile{q.Delta, q.Rules, q.Sets, q.Letters, q.Domain, ""}
	if q.Design != nil {
		f.Design = q.Design.RatString()
	}
	return f
}

func (f *populationFile) restore() (*Population, error) {
	if f == nil {
		return nil, nil
	}
	q := &Population{Delta: f.Delta, Rules: f.Rules, Sets: f.Sets, Letters: f.Letters, Domain: f.Domain}
	if f.Design != "" {
		var ok bool
		if q.Design, ok = new(big.Rat).SetString(f.Design); !ok {
			return nil, fmt.Errorf("its design_factor is not a fraction")
		}
	}
	return q, nil
}
