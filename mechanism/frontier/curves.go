// Package frontier says what every floor costs. Search gives the utility-safe
// mechanism at every floor, exactly and without a search, and traces the
// optimum with proven brackets of the least factor;
// Advise says why a floor costs what it costs. Floors is what a design is
// searched over.
package frontier

import (
	"context"
	"math/big"
	"runtime"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
)

// Curves are what every floor costs and keeps under each kind of design: the
// curves of leakage and utility against the floor.
type Curves struct {
	Points []CurvePoint // by floor, the worst first
	Guess  float64      // the chance that the best guess of a letter is right without any output
	// Sampled says that not every distinct utility is a point (value floors).
	Sampled bool
	// Stopped says that the context ended before all was searched. What stands
	// is proven either way.
	Stopped bool
	Large   bool // too large for the search: only the utility-safe curve is there
}

// A CurvePoint is one floor. A mechanism that keeps a better floor keeps this
// one too, so both candidates are each the cheapest of its kind at this
// or a better floor among the points, the better floor on a tie.
type CurvePoint struct {
	Floor       mechanism.Floor
	Least, Most int     // outputs allowed per letter at this floor
	WorstValue  float64 // the worst that is allowed

	// Here is the factor of the utility-safe mechanism of this very floor; it
	// is not monotone in the floor.
	Here *big.Rat

	Safe Candidate // the utility-safe mechanism [SO, Theorem 1]

	// Optimal has a factor between Upper and 1.0001 Upper: at the least factor
	// itself there is hardly room for utility, so it is the mechanism of
	// largest expected weight just above.
	Optimal Candidate

	// The least factor of any mechanism at this floor lies in Lower..Upper.
	// Lower is proven by Weight as in a Certificate, for this floor's support;
	// with Options.Also, Weight proves what the first prior alone demands.
	Lower, Upper *big.Rat
	Weight       []int64
}

// Open reports whether the least factor is not known to a relative 1e-9.
func (q *CurvePoint) Open() bool { return !nearly(q.Upper, q.Lower) }

// Proven is the bracket of the least factor.
func (q *CurvePoint) Proven() *optimum.Certificate {
	return &optimum.Certificate{Weight: q.Weight, Lower: q.Lower, Upper: q.Upper}
}

// A Candidate is one mechanism, measured. The zero value is none.
type Candidate struct {
	At     mechanism.Floor // the floor that shaped its support
	Factor *big.Rat        // e^eps, exact

	WorstRank       int
	WorstValue      float64
	ExpectedUtility float64 // sum_x P_x sum_y p_xy u'(x,y)
	Information     float64 // I(X;Y) in nats
	Guess           float64 // the chance that the best guess of a letter is right after its output is seen
	// by which shares of the records are off; nil where the outputs stand for nothing known, the order is
	// too large, or there is no record
	Shift *big.Rat

	Single  bool // every output that occurs has one possible letter: the data are unchanged, up to names
	Nothing bool // the factor is 1: the output tells nothing
}

// Options bound a search over all floors. The zero value is usual.
type Options struct {
	ByValue bool // value floors instead of rank floors
	// about how many floors to look at, spread, the ends among them; 0: all, but 256 value floors
	Floors  int
	Also    []mechanism.Prior // under which every factor is counted, too: a factor is the largest under any
	Records *mechanism.Prior  // of the file, where the prior is of something else; nil: it is of the file
	Stands  []int             // the letter that each output stands for, -1 for none; nil: not known
	Weights mechanism.Weights // what Optimal makes large; nil: the values u'
	Workers int               // floors worked on at once; 0: one per processor
	Bytes   int64             // the most memory the float solvers may take together; 0: 4 GiB

	// Progress is told how many of total searches have ended; it may be
	// called from several goroutines.
	// Large orders are read before: then it is told of cells.
	Progress func(done, total int64)
}

const (
	frontierGap  = 1e-9 // relative width of a bracket that counts as closed
	valueFloors  = 256  // listed unless told otherwise
	coarseFloors = 17   // that get both stages before others get any
)

// Search computes the curves over rank floors or value floors, the coarse
// shape first: the ends, then halves, quarters and so on, so that there is
// something of use whenever ctx ends. The least factor never falls along the
// floors; hence bounds of a floor hold for its neighbours, and a floor that
// was not searched in time still has a proven bracket. The result depends on
// nothing but the input where ctx does not end; it fails with *NoOutputError
// where a row forbids everything, and with the error of ctx where that ends
// before the utility-safe curve of a large order is there. Orders too large for the optimum (see
// optimum.Fits) get the utility-safe curve and brackets of it.
func Search(ctx context.Context, p mechanism.Prior, o mechanism.Order, opt Options) (*Curves, error) {
	if p.Letters()*o.Outputs() <= optimum.FitCells {
		o = mechanism.Tabulate(o)
	}
	cells := int64(o.Inputs()) * int64(o.Outputs())
	stop := &stopper{ctx: ctx, tell: opt.Progress, total: 5 * cells}
	t, err := newFloors(p, o, opt.ByValue, nil, true, stop, opt.Also)
	if err != nil {
		return nil, err
	}
	s := &survey{Floors: t, opt: opt}
	if s.opt.Workers == 0 {
		s.opt.Workers = runtime.GOMAXPROCS(0)
	}
	if s.opt.Weights == nil {
		s.opt.Weights = mechanism.ValueWeights(o)
	}
	if s.opt.Bytes == 0 {
		s.opt.Bytes = 4 << 30
	}
	s.safe()
	if err := stop.err(); err != nil {
		return nil, err
	}
	if err := s.failed.Load(); err != nil {
		return nil, *err
	}
	t.stop = nil // what follows looks at ctx itself
	if optimum.Fits(o.Inputs(), o.Outputs()) && p.Total() > 0 {
		if err := s.search(ctx); err != nil {
			return nil, err
		}
	}
	s.settle()
	c := &Curves{Sampled: t.Sampled() || t.levels == nil && t.ByValue() && len(s.spot) < t.Len(), Stopped: s.stopped,
		Large: s.levels == nil && !optimum.Fits(o.Inputs(), o.Outputs())}
	if p.Total() > 0 {
		_, most := p.Most()
		c.Guess = float64(most) / float64(p.Total())
	}
	for i := range s.spot {
		c.Points = append(c.Points, s.spot[i].CurvePoint)
	}
	return c, nil
}

// measure fills in all that is known of m at floor f.
func (s *survey) measure(m *mechanism.Mechanism, f mechanism.Floor) Candidate {
	c := Candidate{At: f, Factor: m.Factor(append([]mechanism.Prior{s.prior}, s.also...)...)}
	c.WorstRank, c.WorstValue = m.Floor(s.order)
	c.ExpectedUtility = m.ExpectedUtility(s.prior, s.order)
	c.Information = m.MutualInformation(s.prior)
	_, c.Guess = m.BayesVulnerability(s.prior)
	s.tell(&c, func(x int) []uint16 { return m.Row(x).Output })
	s.count(&c, m)
	return c
}

// nearly reports whether a <= b up to the relative width of a closed bracket.
func nearly(a, b *big.Rat) bool {
	if a.Cmp(b) <= 0 {
		return true
	}
	r, _ := new(big.Rat).Quo(a, b).Float64()
	return r-1 <= frontierGap
}
