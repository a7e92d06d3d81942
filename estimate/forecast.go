package estimate

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/tacet-privacy/tacet/mechanism"
)

// rounding is the difference of shares that counts as none.
const rounding = 1e-9

// A Set is some letters, and the outputs that a plain count takes for them.
type Set struct{ Letters, Outputs []int }

// A Forecast is what releases of a known file tell of the share of a set. Intervals are
// about the file.
type Forecast struct {
	Share   float64 // of the letters in the file
	Counted float64 // of the outputs, on average over releases
	Error   float64 // standard error of the outputs' share
	Plain   float64 // half the width of the plain count's interval

	Told  bool    // the share can be estimated
	Width float64 // of the interval about the estimate

	PlainCovers float64     // part of the simulated releases in which the interval holds the share
	Covers      float64     // likewise of the estimate's interval; 0 where not Told
	weights     [][]float64 // of outputs, by part of the file; nil where not Told
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
			f.weights = nil
			return err
		}
		_, square := p.l.moments(a, 0)
		f.weights = append(f.weights, a.RawMatrix().Data)
		off = append(off, root((square-among(p.share, letters))/p.mean.Draws))
	}
	f.Width = 2 * width(level) * o.all.spread(func(i int) float64 { return off[i] })
	return nil
}

// Repeat simulates releases by a seed and counts how often intervals hold the shares.
// Estimates have the weights that are best for the mean of releases, near which those
// for a single one come as rows grow in number.
func (o *Outlook) Repeat(ctx context.Context, sets []Set, all []Forecast, level, limit float64, releases int,
	seed uint64) error {
	src, z := rand.NewPCG(seed, 0), width(level)
	var raffles []*raffle
	var share [][]float64 // of outputs, by part
	for _, p := range o.part {
		raffles, share = append(raffles, newRaffle(p, src)), append(share, make([]float64, p.c.Outputs()))
	}
	for range releases {
		if err := ctx.Err(); err != nil {
			return err
		}
		for i, r := range raffles {
			r.release(share[i])
		}
		for i := range all {
			f := &all[i]
			plain := o.all.Mean(func(k int) float64 { return among(share[k], sets[i].Outputs) })
			if math.Abs(plain-f.Share) <= limit+z*root(plain*(1-plain)/o.all.Draws())+rounding {
				f.PlainCovers++
			}
			if !f.Told {
				continue
			}
			if sum, off := o.estimated(f, share); math.Abs(sum-f.Share) <= z*off+rounding {
				f.Covers++
			}
		}
	}
	for i := range all {
		all[i].PlainCovers /= float64(max(1, releases))
		all[i].Covers /= float64(max(1, releases))
	}
	return nil
}

// estimated is the estimate from the outputs of a release, with its standard error.
func (o *Outlook) estimated(f *Forecast, share [][]float64) (sum, off float64) {
	sums, squares := make([]float64, len(share)), make([]float64, len(share))
	for i, of := range share {
		for y, a := range f.weights[i] {
			sums[i] += a * of[y]
			squares[i] += a * a * of[y]
		}
	}
	return o.all.Mean(func(i int) float64 { return sums[i] }),
		o.all.spread(func(i int) float64 { return root((squares[i] - sums[i]) / o.part[i].mean.Draws) })
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

// among adds up what some places have.
func among(of []float64, at []int) (sum float64) {
	for _, i := range at {
		sum += of[i]
	}
	return sum
}

// A raffle draws the outputs of all records of a file.
type raffle struct {
	rows []ticket
	n    float64
	src  rand.Source
	r    *rand.Rand
}

// A ticket is a letter with records: its outputs, the likeliest first, and the chance of
// each among those from it on.
type ticket struct {
	records int64
	output  []uint16
	chance  []float64
	upto    []float64 // chance of it or one before
}

func newRaffle(o *prospect, src rand.Source) *raffle {
	r := &raffle{n: o.mean.rows, src: src, r: rand.New(src)}
	for x, k := range o.records.Counts() {
		if k == 0 {
			continue
		}
		row, t := o.c.law.Row(x), ticket{records: k}
		order := make([]int, len(row.Output))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(row.At(j), row.At(i)) })
		left := row.Total
		for _, i := range order {
			t.output = append(t.output, row.Output[i])
			t.chance = append(t.chance, float64(row.At(i))/float64(left))
			left -= row.At(i)
			t.upto = append(t.upto, float64(row.Total-left)/float64(row.Total))
		}
		r.rows = append(r.rows, t)
	}
	return r
}

// release draws once, and sets the share of every output.
func (r *raffle) release(share []float64) {
	clear(share)
	for _, t := range r.rows {
		if t.records <= int64(len(t.output)) {
			for range t.records {
				i, _ := slices.BinarySearch(t.upto, r.r.Float64())
				share[t.output[min(i, len(t.output)-1)]]++
			}
			continue
		}
		left := float64(t.records)
		for i := 0; left > 0; i++ {
			k := left
			if t.chance[i] < 1 {
				k = distuv.Binomial{N: left, P: t.chance[i], Src: r.src}.Rand()
			}
			share[t.output[i]] += k
			left -= k
		}
	}
	for y := range share {
		share[y] /= r.n
	}
}
