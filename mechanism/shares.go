package mechanism

import (
	"fmt"
	"math/big"
)

// Shares say how far a count of the published column is from the truth before
// sampling: pi_y is the share of the letter that output y stands for, 0 where it
// stands for none, and q_y the share of records that get y.
type Shares struct {
	// Shift is sum_y (q_y - pi_y)^+, the most that any set of letters gains or
	// loses, in shares of all records. A letter that no output stands for counts
	// as one that is never published.
	Shift *big.Rat
	Used  int // outputs that occur

	// Relative is the largest |q - pi|/pi among the letters of one record in a
	// hundred and more, and Letter the first that has it; 0 and -1 where no
	// letter is so common.
	Relative *big.Rat
	Letter   int
}

// Shares are those of a mechanism. See SharesOf.
func (m *Mechanism) Shares(p Prior, stands []int) Shares {
	return SharesOf([]Part{{Mechanism: m, Prior: p}}, stands)
}

// SharesOf are the shares of all parts together, exactly. Output y stands for
// letter stands[y], -1 for none; no two outputs stand for one letter. The parts
// have the same letters and outputs, and their leakage is not looked at. Without
// records nothing is shifted.
func SharesOf(part []Part, stands []int) Shares {
	count, total := sumOf(part)
	s := Shares{Shift: new(big.Rat), Relative: new(big.Rat), Letter: -1}
	if total == 0 {
		return s
	}
	output := outputsOf(len(count), part[0].Mechanism.outputs, stands)
	published := published(part) // n q_y; nil where y does not occur
	sum := newRatios()
	for y, v := range published {
		if v == nil {
			continue
		}
		s.Used++
		if k := stands[y]; k >= 0 {
			v = new(big.Rat).Sub(v, new(big.Rat).SetInt64(count[k]))
		}
		if v.Sign() > 0 {
			sum.add(v)
		}
	}
	s.Shift.Quo(sum.value(), new(big.Rat).SetInt64(total))
	for x, c := range count {
		if c < (total+99)/100 {
			continue
		}
		off := big.NewRat(1, 1)
		if y := output[x]; y >= 0 && published[y] != nil {
			off.Quo(published[y], new(big.Rat).SetInt64(c))
			off.Sub(off, one).Abs(off)
		}
		if s.Letter < 0 || off.Cmp(s.Relative) > 0 {
			s.Relative, s.Letter = off, x
		}
	}
	return s
}

// StandsFor inverts stands: the output that stands for each letter, -1 for none.
// It fails on letters that are out of range or stood for twice.
func StandsFor(inputs, outputs int, stands []int) ([]int, error) {
	if len(stands) != outputs {
		return nil, fmt.Errorf("shares: %d outputs, and it is said of %d what they stand for", outputs, len(stands))
	}
	output := make([]int, inputs)
	for x := range output {
		output[x] = -1
	}
	for y, x := range stands {
		switch {
		case x == -1:
		case x < 0 || x >= inputs:
			return nil, fmt.Errorf("shares: output %d stands for letter %d of %d", y, x, inputs)
		case output[x] >= 0:
			return nil, fmt.Errorf("shares: outputs %d and %d stand for one letter", output[x], y)
		default:
			output[x] = y
		}
	}
	return output, nil
}

func outputsOf(inputs, outputs int, stands []int) []int {
	output, err := StandsFor(inputs, outputs, stands)
	if err != nil {
		panic(err)
	}
	return output
}

// published is n q_y by output; nil where y does not occur.
func published(part []Part) []*big.Rat {
	out := make([]*big.Rat, part[0].Mechanism.outputs)
	for _, p := range part {
		for y, k := range p.Mechanism.columns(p.Prior) {
			if k.d == 0 {
				continue
			}
			v := new(big.Rat).SetFrac(k.num, k.den)
			if out[y] != nil {
				v.Add(v, out[y])
			}
			out[y] = v
		}
	}
	return out
}

// ratios sum fractions, those of one denominator before all others: a
// mechanism has few of them, and thousands of outputs.
type ratios struct {
	by map[string]*big.Rat
}

func newRatios() *ratios { return &ratios{make(map[string]*big.Rat)} }

func (r *ratios) add(v *big.Rat) {
	key := string(v.Denom().Bytes())
	if at := r.by[key]; at != nil {
		at.Add(at, v)
		return
	}
	r.by[key] = new(big.Rat).Set(v)
}

func (r *ratios) value() *big.Rat {
	sum := new(big.Rat)
	for _, v := range r.by {
		sum.Add(sum, v)
	}
	return sum
}
