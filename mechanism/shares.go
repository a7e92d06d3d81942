package mechanism

import (
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
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

	Never  []int // letters of some record that no record is published as, by what outputs stand for
	Absent int64 // records that hold them
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
	s := Shares{Shift: new(big.Rat)}
	if total == 0 {
		return s
	}
	output := outputsOf(len(count), part[0].Mechanism.outputs, stands)
	near := published(part)
	own := func(y int) int64 {
		if k := stands[y]; k >= 0 {
			return count[k]
		}
		return 0
	}
	// Floats tell which outputs gain; fractions decide where these are close.
	gains, open := make([]bool, len(near)), make([]bool, len(near))
	for y, v := range near {
		if v == 0 {
			continue
		}
		s.Used++
		off := v - float64(own(y))
		gains[y], open[y] = off > 0, math.Abs(off) <= nearMax*v
	}
	for x, c := range count {
		if y := output[x]; c > 0 && (y < 0 || near[y] == 0) {
			s.Never, s.Absent = append(s.Never, x), s.Absent+c
		}
	}
	for y, v := range publishedExactly(part, open) {
		gains[y] = v.Cmp(new(big.Rat).SetInt64(own(y))) > 0
	}
	held := int64(0)
	for y, is := range gains {
		if is {
			held += own(y)
		}
	}
	s.Shift.Sub(mass(part, gains), new(big.Rat).SetInt64(held))
	s.Shift.Quo(s.Shift, new(big.Rat).SetInt64(total))
	return s
}

// KeepsHalf reports whether every letter with records has an output, and is published with
// at least half of its share: 2 n q_y >= c_y, exactly.
func (m *Mechanism) KeepsHalf(p Prior, stands []int) bool {
	output := outputsOf(len(m.row), m.outputs, stands)
	part := []Part{{Mechanism: m, Prior: p}}
	near, open := published(part), make([]bool, m.outputs)
	for x, y := range output {
		half := float64(p.Count(x)) / 2
		switch {
		case half == 0:
		case y < 0 || near[y] < half*(1-nearMax):
			return false
		default:
			open[y] = near[y] <= half*(1+nearMax)
		}
	}
	for y, v := range publishedExactly(part, open) {
		if v.Mul(v, big.NewRat(2, 1)).Cmp(new(big.Rat).SetInt64(p.Count(stands[y]))) < 0 {
			return false
		}
	}
	return true
}

// Apart is the largest difference of the shares of any set of letters between two priors: the
// total variation of one from the other; 0 where one has no records.
func Apart(a, b Prior) *big.Rat {
	d := new(big.Rat)
	if a.total == 0 || b.total == 0 {
		return d
	}
	gain, own, other := new(big.Int), new(big.Int), new(big.Int)
	for x := range a.Letters() {
		own.Mul(big.NewInt(a.Count(x)), big.NewInt(b.total))
		if own.Sub(own, other.Mul(big.NewInt(b.Count(x)), big.NewInt(a.total))); own.Sign() > 0 {
			gain.Add(gain, own)
		}
	}
	return d.SetFrac(gain, own.Mul(big.NewInt(a.total), big.NewInt(b.total)))
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

// published is n q_y by output, in floats; 0 where y does not occur. Sums of so many
// positive products are nearer than nearMax.
func published(part []Part) []float64 {
	out := make([]float64, part[0].Mechanism.outputs)
	for _, p := range part {
		for k := range p.Mechanism.block {
			r := p.Mechanism.block[k].Row
			if c := p.Mechanism.block[k].Records(p.Prior); c > 0 {
				for i, y := range r.Output {
					out[y] += float64(c) * (float64(r.At(i)) / float64(r.Total))
				}
			}
		}
	}
	return out
}

// publishedExactly is n q_y of some outputs that occur, of all for nil.
func publishedExactly(part []Part, of []bool) map[int]*big.Rat {
	out := map[int]*big.Rat{}
	for _, p := range part {
		for y, k := range p.Mechanism.columnsOf(p.Prior, of) {
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

// mass is n q of a set of outputs: a sum over rows, of which many have one total.
func mass(part []Part, set []bool) *big.Rat {
	over := map[int64]*big.Int{} // c w added up by total
	var c, w big.Int
	for _, p := range part {
		for k := range p.Mechanism.block {
			r, held := p.Mechanism.block[k].Row, p.Mechanism.block[k].Records(p.Prior)
			weight := int64(0)
			for i, y := range r.Output {
				if set[y] {
					weight += r.At(i)
				}
			}
			if over[r.Total] == nil {
				over[r.Total] = new(big.Int)
			}
			over[r.Total].Add(over[r.Total], c.Mul(c.SetInt64(held), w.SetInt64(weight)))
		}
	}
	var sum []*big.Rat
	for _, d := range slices.Sorted(maps.Keys(over)) {
		sum = append(sum, new(big.Rat).SetFrac(over[d], big.NewInt(d)))
	}
	for len(sum) > 1 { // in pairs: the long fractions are few
		half := sum[:0]
		for i := 0; i < len(sum); i += 2 {
			if v := sum[i]; i+1 < len(sum) {
				half = append(half, v.Add(v, sum[i+1]))
			} else {
				half = append(half, v)
			}
		}
		sum = half
	}
	return sum[0]
}
