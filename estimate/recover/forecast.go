package recover

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

// A Set is some letters, and the outputs that a plain count takes for them.
type Set struct{ Letters, Outputs []int }

// A Forecast is what releases of a known file tell of the share of a set. Intervals are
// about the file.
type Forecast struct {
	Share   float64 // of the letters in the file
	Counted float64 // of the outputs, on average over releases
	Error   float64 // standard error of the outputs' share
	Plain   float64 // half the width of the plain count's interval

	Told        bool    // the share can be estimated
	Width       float64 // of the interval about the estimate, or about the range where there is none
	Least, Most float64 // the range where not Told: every share within fits as well
	Lost        bool    // floats find neither

	PlainCovers float64 // part of the simulated releases in which the interval holds the share
	Covers      float64 // likewise of the estimate's interval; 0 where not Told
	weights     []float64
}

// Bias is by how much a plain count is off, on average over releases.
func (f *Forecast) Bias() float64 { return f.Counted - f.Share }

// An Outlook is on the releases of a known file.
type Outlook struct {
	c       *Channel
	records mechanism.Prior
	share   []float64 // by letter
	mean    *Sample   // of all releases
	l       *Linear   // with the weights that are best for the mean
}

// Outlook needs at least one record.
func (c *Channel) Outlook(records mechanism.Prior) (*Outlook, error) {
	o := &Outlook{c: c, records: records, share: make([]float64, c.Letters()), mean: c.expected(records)}
	for x := range o.share {
		o.share[x] = float64(records.Count(x)) / o.mean.rows
	}
	var err error
	o.l, err = c.Linear(o.mean)
	return o, err
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
	out := make([]Forecast, len(sets))
	z := width(level)
	for i, set := range sets {
		f := &out[i]
		f.Share, f.Counted = among(o.share, set.Letters), among(o.mean.share, set.Outputs)
		f.Error = o.c.drawn(o.records, set.Outputs)
		f.Plain = limit + z*root(f.Counted*(1-f.Counted)/o.mean.Draws)
		err := o.estimate(f, set.Letters, level)
		if f.Lost = errors.Is(err, ErrIllConditioned); err != nil && !f.Lost {
			return nil, err
		}
	}
	return out, nil
}

// estimate finds what is told beyond the plain count.
func (o *Outlook) estimate(f *Forecast, letters []int, level float64) error {
	if o.c.Estimable(letters) {
		a, err := o.l.sums([][]int{letters})
		if err != nil {
			return err
		}
		_, square := o.l.moments(a, 0)
		f.Told, f.weights = true, a.RawMatrix().Data
		f.Width = 2 * width(level) * root((square-f.Share)/o.mean.Draws)
		return nil
	}
	// The file's own shares are as likely as any under the mean.
	b, err := (&Fit{Share: o.share, c: o.c, s: o.mean}).Bounds(o.l, [][]int{letters})
	if err != nil {
		return err
	}
	in := b[0].Within(level)
	f.Least, f.Most, f.Width = b[0].Low, b[0].High, in.High-in.Low
	return nil
}

// Repeat simulates releases by a seed and counts how often intervals hold the shares.
// Estimates have the weights that are best for the mean of releases, near which those
// for a single one come as rows grow in number.
func (o *Outlook) Repeat(ctx context.Context, sets []Set, all []Forecast, level, limit float64, releases int,
	seed uint64) error {
	r, z := newRaffle(o, seed), width(level)
	share := make([]float64, o.c.Outputs())
	for range releases {
		if err := ctx.Err(); err != nil {
			return err
		}
		r.release(share)
		for i := range all {
			f := &all[i]
			plain := among(share, sets[i].Outputs)
			if math.Abs(plain-f.Share) <= limit+z*root(plain*(1-plain)/o.mean.Draws)+rounding {
				f.PlainCovers++
			}
			if !f.Told {
				continue
			}
			sum, square := 0.0, 0.0
			for y, a := range f.weights {
				sum += a * share[y]
				square += a * a * share[y]
			}
			if math.Abs(sum-f.Share) <= z*root((square-sum)/o.mean.Draws)+rounding {
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

// Cell is half the width of the interval about the share of a forecast's set in a part of
// the file, as a share of the whole, by the weights for the whole; false where the share
// cannot be estimated.
func (o *Outlook) Cell(f *Forecast, set Set, part mechanism.Prior, level float64) (half float64, ok bool) {
	if !f.Told {
		return 0, false
	}
	n, held, square := float64(part.Total()), 0.0, 0.0
	for y, q := range o.c.law.OutputLaw(part) {
		square += f.weights[y] * f.weights[y] * q
	}
	for _, x := range set.Letters {
		held += float64(part.Count(x)) / n
	}
	return width(level) * root((square-held)/n) * n / o.mean.rows, true
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

func newRaffle(o *Outlook, seed uint64) *raffle {
	src := rand.NewPCG(seed, 0)
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
