package count

import (
	"cmp"
	"fmt"
	"math/big"
	"os"
	"strings"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/utility"
)

// A Law is a law over letters that the user declares.
type Law struct {
	Path   string
	Label  []string            // as the file lists them
	Chance map[string]*big.Rat // by label
	Null   *big.Rat            // of the null letter; nil where the file has none
}

// ReadLaw reads label,probability; its labels may be named in messages.
func ReadLaw(path string) (*Law, error) {
	const hint = "give a CSV file with the header label,probability; probabilities are decimals or fractions p/q"
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fault.Unreadable("--prior", path, err)
	}
	f, header := &Law{Path: path, Chance: map[string]*big.Rat{}}, ""
	total := new(big.Rat)
	err = utility.EachRecord(path, data, func(line int, record []string) error {
		if header == "" {
			if header = strings.Join(record, ","); header != "label,probability" && header != "label,probability,null" {
				return fault.New(fault.Input, hint, "%s does not start with the header label,probability", path)
			}
			return nil
		}
		v, ok := report.Number(record[1])
		if !ok {
			return fault.New(fault.Input, hint, "%s: line %d: the probability of %q is neither a decimal nor a fraction", path,
				line, record[0])
		}
		total.Add(total, v)
		switch null := len(record) == 3 && record[2] == "1"; {
		case null && f.Null == nil:
			f.Null = v
		case null || f.Chance[record[0]] != nil:
			return fault.New(fault.Input, "add the probabilities up", "%s: line %d repeats the label %q", path, line,
				record[0])
		default:
			f.Label, f.Chance[record[0]] = append(f.Label, record[0]), v
		}
		return nil
	})
	if err = hinted(err, hint); err != nil {
		return nil, err
	}
	if header == "" {
		return nil, fault.New(fault.Input, hint, "%s does not start with the header label,probability", path)
	}
	if total.Cmp(big.NewRat(1, 1)) != 0 {
		return nil, fault.New(fault.Input, "correct them; fractions such as 1/3 are exact",
			"%s: the probabilities sum to %s, not to 1", path, shortRat(total))
	}
	return f, nil
}

// merge adds the chances of some labels to that of another.
func (f *Law) merge(labels []string, into string) {
	for _, l := range labels {
		if v := f.Chance[l]; v != nil {
			f.Chance[into] = new(big.Rat).Add(v, cmp.Or(f.Chance[into], new(big.Rat)))
		}
	}
}

// shortRat is a fraction as it is where that is short, else its decimals.
func shortRat(r *big.Rat) string {
	if s := r.RatString(); len(s) <= 24 {
		v, _ := r.Float64()
		return fmt.Sprintf("%s (%.12g)", s, v)
	}
	return "about " + r.FloatString(12)
}

// Of is the law over these letters, null last, as whole numbers over their
// common denominator.
func (f *Law) Of(label []string, null bool) (mechanism.Prior, error) {
	chance := make([]*big.Rat, 0, len(label)+1)
	for _, l := range label {
		chance = append(chance, f.Chance[l])
	}
	if null {
		chance = append(chance, f.Null)
	}
	common := big.NewInt(1)
	for _, v := range chance {
		d := v.Denom()
		common.Mul(common, new(big.Int).Quo(d, new(big.Int).GCD(nil, nil, common, d)))
		if common.BitLen() > 62 {
			return mechanism.Prior{}, fault.New(fault.Input, "use fewer digits",
				"%s: the probabilities have no common denominator below 2^62", f.Path)
		}
	}
	count := make([]int64, len(chance))
	for x, v := range chance {
		count[x] = new(big.Int).Mul(v.Num(), new(big.Int).Quo(common, v.Denom())).Int64()
	}
	return mechanism.NewPrior(count)
}
