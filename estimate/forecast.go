package estimate

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/tacet-privacy/tacet/mechanism"
)

// A Set is some letters, and the outputs that a plain count takes for them.
type Set struct{ Letters, Outputs []int }

// A Forecast is what releases of a known file tell of the share of a set. Intervals are
// about the file.
type Forecast struct {
	Share   float64 // of the letters in the file
	Counted float64 // of the outputs, on average over releases
	Error   float64 // standard error of the outputs' share
	Plain   float64 // half the width of the plain count's interval
	Covers  float64 // chance that this holds the share, by the normal law

	Told  bool    // the share can be estimated
	Width float64 // of the interval about the estimate
}

// Bias is by how much a plain count is off, on average over releases.
func (f *Forecast) Bias() float64 { return f.Counted - f.Share }

// An Outlook is on the releases of a known file, whose parts may have mechanisms of
// their own.
type Outlook struct {
	part []*prospect
	all  *Strata
}

// A prospect is on the records that one mechanism draws.
type prospect struct {
	c       *Channel
	records mechanism.Prior
	share   []float64 // by letter
	mean    *Sample   // of all releases
	l       *Linear   // with the weights that are best for the mean
}

// NewOutlook takes a mechanism and the records of each part, and at least one record.
func NewOutlook(channels []*Channel, records []mechanism.Prior) (*Outlook, error) {
	o := &Outlook{}
	var means []*Sample
	for i, c := range channels {
		if records[i].Total() == 0 {
			continue
		}
		p := &prospect{c: c, records: records[i], share: make([]float64, c.Letters()), mean: c.expected(records[i])}
		for x := range p.share {
			p.share[x] = float64(records[i].Count(x)) / p.mean.rows
		}
		var err error
		if p.l, err = c.Linear(p.mean); err != nil {
			return nil, err
		}
		o.part, means = append(o.part, p), append(means, p.mean)
	}
	if o.part == nil {
		return nil, errors.New("estimate: no records")
	}
	o.all = NewStrata(means)
	return o, nil
}

// mean is a figure of the file, of those of its parts.
func (o *Outlook) mean(of func(p *prospect) float64) float64 {
	return o.all.Mean(func(i int) float64 { return of(o.part[i]) })
}

// expected is the mean of the releases of a file. An output that occurs counts as seen.
func (c *Channel) expected(records mechanism.Prior) *Sample {
	s := &Sample{rows: float64(records.Total()), share: c.law.OutputLaw(records), Count: make([]int64, c.Outputs())}
	s.Draws = s.rows
	for y, q := range s.share {
		if q > 0 {
			s.Count[y] = max(1, int64(math.Round(q*s.rows)))
		}
	}
	return s
}

// Forecast tells of the intervals of a level. A plain count's is wider by limit on
// either side: by how much it may be off before draws.
func (o *Outlook) Forecast(sets []Set, level, limit float64) ([]Forecast, error) {
	out, z := make([]Forecast, len(sets)), width(level)
	for i, set := range sets {
		f := &out[i]
		f.Share = o.mean(func(p *prospect) float64 { return among(p.share, set.Letters) })
		f.Counted = o.mean(func(p *prospect) float64 { return among(p.mean.share, set.Outputs) })
		f.Error = o.all.spread(func(k int) float64 { return o.part[k].c.drawn(o.part[k].records, set.Outputs) })
		f.Plain = limit + z*root(f.Counted*(1-f.Counted)/o.all.Draws())
		f.Covers = within(f.Bias(), f.Error, f.Plain+rounding)
		err := o.estimate(f, set.Letters, level)
		if f.Told = err == nil; !f.Told && !errors.Is(err, ErrUntold) && !errors.Is(err, ErrIllConditioned) {
			return nil, err
		}
	}
	return out, nil
}

// estimate finds what is told beyond the plain count.
func (o *Outlook) estimate(f *Forecast, letters []int, level float64) error {
	var off []float64 // standard errors, by part
	for _, p := range o.part {
		a, err := p.l.sums([][]int{letters})
		if err != nil {
			return err
		}
		_, square := p.l.moments(a, 0)
		off = append(off, root((square-among(p.share, letters))/p.mean.Draws))
	}
	f.Width = 2 * width(level) * o.all.spread(func(i int) float64 { return off[i] })
	return nil
}

// drawn is the standard error of the share of some outputs: letters are fixed.
func (c *Channel) drawn(records mechanism.Prior, outputs []int) float64 {
	variance, n := 0.0, float64(records.Total())
	for x, k := range records.Counts() {
		p := among(c.p.RawRowView(x), outputs)
		variance += float64(k) / n * p * (1 - p)
	}
	return root(variance / n)
}

// rounding is the difference of shares that counts as none.
const rounding = 1e-9

// within is the chance that a normal number is at most so far from 0.
func within(mean, error, far float64) float64 {
	if error == 0 {
		if math.Abs(mean) <= far {
			return 1
		}
		return 0
	}
	law := distuv.Normal{Mu: mean, Sigma: error}
	return law.CDF(far) - law.CDF(-far)
}

// among adds up what some places have.
func among(of []float64, at []int) (sum float64) {
	for _, i := range at {
		sum += of[i]
	}
	return sum
}
