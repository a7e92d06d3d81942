package estimate

import "math"

// Strata are parts of a sample, each drawn by a mechanism of its own. What is estimated
// in each adds up by its share of the rows.
type Strata struct {
	share []float64
	draws float64 // that all rows are worth
}

// NewStrata takes the parts of a sample; at least one.
func NewStrata(parts []*Sample) *Strata {
	s := &Strata{}
	rows, inverse := 0.0, 0.0
	for _, p := range parts {
		rows += p.rows
	}
	for _, p := range parts {
		w := p.rows / rows
		s.share, inverse = append(s.share, w), inverse+w*w/p.Draws
	}
	s.draws = 1 / inverse
	return s
}

// Draws is how many independent draws the rows are worth.
func (s *Strata) Draws() float64 { return s.draws }

// Mean is a figure of all rows, of those of the parts.
func (s *Strata) Mean(of func(part int) float64) (mean float64) {
	for i, w := range s.share {
		mean += w * of(i)
	}
	return mean
}

// Estimate is that of the whole, of those of the parts. For the file the sizes of the
// parts are fixed and variances add; the population draws these, too, so that the
// differences between the parts count.
func (s *Strata) Estimate(parts []Unbiased) Unbiased {
	if len(parts) == 1 {
		return parts[0]
	}
	out := Unbiased{Share: s.Mean(func(i int) float64 { return parts[i].Share })}
	out.Errors[OfFile] = s.spread(func(i int) float64 { return parts[i].Errors[OfFile] })
	out.Errors[OfPopulation] = math.Hypot(s.spread(func(i int) float64 { return parts[i].Errors[OfPopulation] }),
		s.between(out.Share, func(i int) float64 { return parts[i].Share }))
	return out
}

// spread is the standard error of a sum over parts, whose draws are independent.
func (s *Strata) spread(of func(part int) float64) float64 {
	variance := 0.0
	for i, w := range s.share {
		variance += w * w * of(i) * of(i)
	}
	return math.Sqrt(variance)
}

// between is the standard error that drawing the sizes of the parts adds.
func (s *Strata) between(mean float64, of func(part int) float64) float64 {
	return math.Sqrt(s.Mean(func(i int) float64 { return (of(i) - mean) * (of(i) - mean) }) / s.draws)
}
