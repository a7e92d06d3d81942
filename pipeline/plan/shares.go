package plan

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/composition"
	"github.com/tacet-privacy/tacet/mechanism/design"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
	"github.com/tacet-privacy/tacet/pipeline/utility"
)

// Shares are what a plan decides of the shares of its published values, there where
// it was asked to: they are off by Shift at the most, see mechanism.Shares. With
// strata that holds in each group.
type Shares struct {
	Limit *big.Rat `json:"limit,omitempty"` // of the shift, nil for none
	Asked string   `json:"asked,omitempty"` // it as the user wrote it; "" where the shift was only made small
	// Room is by how much the rows stay below Limit, nil for none. Another file whose shares of
	// values differ from those of the plan by d, the largest difference of any set, keeps Limit
	// while d <= Room/2: with pi the shares, q = pi W those that rows W publish, and V the total
	// variation, V(pi' W, pi') <= V(pi' W, pi W) + V(pi W, pi) + V(pi, pi'), and rows bring no two
	// distributions further apart, so that the first is at most d, as the last is.
	// TestRoomIsKept checks it.
	Room  *big.Rat `json:"room,omitempty"`
	Keep  bool     `json:"keep_values,omitempty"` // every value of a record is published with at least half of its share
	Shift *big.Rat `json:"shift"`                 // of the rows; the largest of a group
	Open  int      `json:"undecided_floors,omitempty"`
	// The bounds hold for all mechanisms at the floor within Factor, which is not
	// below e^epsilon; nil where nothing is proven.
	Factor *big.Rat `json:"factor,omitempty"`
	Within *big.Rat `json:"within,omitempty"` // the shift for which Worth holds
	Worth  *Bound   `json:"worth,omitempty"`  // of what is preferred, from above
	Least  *Bound   `json:"least,omitempty"`  // of the shift, from below; nil where a limit is all that was asked for
	// Refused bounds the shift at another floor from below, by more than Limit. Its place is At,
	// as a number of the kind of the plan's floor.
	Refused *Bound          `json:"refused,omitempty"`
	Place   float64         `json:"refused_at,omitempty"`
	At      mechanism.Floor `json:"-"`
}

// A Bound is a number with its proof in units of 2^-Scale; where it needs none, there is no
// Base.
type Bound struct {
	Value *big.Rat `json:"value"`
	Price numbers  `json:"price,omitempty"` // by input
	Level numbers  `json:"level,omitempty"` // by output
	Base  *int64   `json:"base,string,omitempty"`
	Scale int      `json:"scale,omitempty"`
}

// newBound is one with a proof, nil for none.
func newBound(value *big.Rat, p *optimum.Proof) *Bound {
	if p == nil {
		return &Bound{Value: value}
	}
	return &Bound{value, p.Price, p.Level, &p.Base, p.Scale}
}

// proof is that of the bound, nil where it needs none.
func (b *Bound) proof() *optimum.Proof {
	if b.Base == nil {
		return nil
	}
	return &optimum.Proof{Price: b.Price, Level: b.Level, Base: *b.Base, Scale: b.Scale}
}

// Stands is the letter that each output is called like, -1 for none.
func Stands(in, out utility.Letters) []int {
	at := make(map[string]int, len(in.Label))
	for x, label := range in.Label {
		at[label] = x
	}
	stands := make([]int, out.Len())
	for y := range stands {
		x, ok := len(in.Label), in.Null
		if y < len(out.Label) {
			x, ok = at[out.Label[y]]
		}
		if stands[y] = x; !ok {
			stands[y] = -1
		}
	}
	return stands
}

// Unchanged weighs 1 the outputs that are called like their letter, and 0 all others.
func Unchanged(in, out utility.Letters) mechanism.Weights {
	return mechanism.MatchWeights(Stands(out, in))
}

// MaxShift is the limit of the shift as it was asked for, "" for none.
func (p *Plan) MaxShift() string {
	if p.Shares == nil {
		return ""
	}
	return p.Shares.Asked
}

// Limit is the limit of the shift, nil for none.
func (p *Plan) Limit() *big.Rat {
	if p.Shares == nil {
		return nil
	}
	return p.Shares.Limit
}

// Counted says how far counts of the published column are off among the records.
func (p *Plan) Counted() mechanism.Shares {
	return mechanism.SharesOf(p.ofRecords(), Stands(p.Inputs, p.Outputs))
}

// ofRecords are the groups with the counts of their records, and without leakage.
func (p *Plan) ofRecords() (part []mechanism.Part) {
	for i, g := range p.Groups {
		part = append(part, mechanism.Part{Mechanism: g.Mechanism, Prior: p.RecordsOf(i)})
	}
	return part
}

// ShiftOf is the largest shift that the rows have in a group.
func (p *Plan) ShiftOf() *big.Rat {
	most, stands := new(big.Rat), Stands(p.Inputs, p.Outputs)
	for _, g := range p.ofRecords() {
		if d := g.Mechanism.Shares(g.Prior, stands).Shift; d.Cmp(most) > 0 {
			most = d
		}
	}
	return most
}

// Made is the limit that the rows were made for: Limit less Room, nil for none.
func (s *Shares) Made() *big.Rat {
	if s.Limit == nil || s.Room == nil {
		return s.Limit
	}
	return new(big.Rat).Sub(s.Limit, s.Room)
}

// Narrow reports whether there is a limit that leaves no room for other files.
func (s *Shares) Narrow() bool { return s != nil && s.Limit != nil && s.Room == nil }

// Drift is how far the shares of values are from those that the plan was made from: the
// largest difference of any set of values, and of any group.
func (p *Plan) Drift() *big.Rat {
	most, made := new(big.Rat), p.AsMade()
	for i := range p.Groups {
		if d := mechanism.Apart(p.RecordsOf(i), made.RecordsOf(i)); d.Cmp(most) > 0 {
			most = d
		}
	}
	return most
}

// SetShares keeps what the design proved, at a factor that is not below that which it
// was made for.
func (p *Plan) SetShares(asked string, limit, room *big.Rat, keep bool, e *design.Shares) (err error) {
	s := &Shares{Asked: asked, Limit: limit, Room: room, Keep: keep, Shift: p.ShiftOf()}
	if p.Shares = s; e == nil {
		return nil
	}
	target, err := p.designed()
	if err != nil {
		return err
	}
	if s.Factor = target.Factor(); !target.Exact() {
		if s.Factor.SetFloat64(target.FactorUp()) == nil {
			s.Factor = nil // beyond the floats, where nothing is to be proven
			return nil
		}
	}
	var here optimum.Problem
	if e.Worth != nil || e.Least != nil { // which takes a table
		here = p.problem(p.Floor)
	}
	if w := e.Worth; w != nil {
		s.Within, s.Worth = e.Within, newBound(w.Upper, w.Proof)
		if w.Proof != nil {
			if s.Worth.Value, err = w.Proof.Weight(here, s.Factor, e.Within, p.weights()); err != nil {
				return err
			}
		}
	}
	if e.Least != nil {
		if s.Least, err = lower(here, s.Factor, e.Least.Proof); err != nil {
			return err
		}
	}
	s.Open = e.Open
	if r := e.Refused; r != nil {
		if s.Refused, err = lower(p.problem(r.Floor), s.Factor, r.Bracket.Proof); err != nil {
			return err
		}
		s.At, s.Place = r.Floor, at(r.Floor)
		if s.Refused.Value.Cmp(s.Made()) <= 0 { // only at what the factor was rounded up by
			s.Refused, s.Place, s.Open = nil, 0, s.Open+1
		}
	}
	return nil
}

// lower is a bound of the shift from below. A proof may count an output as worth more
// than 1 by what its factor was rounded up by, which a larger base takes off again.
func lower(g optimum.Problem, factor *big.Rat, proof *optimum.Proof) (*Bound, error) {
	if proof == nil {
		return newBound(new(big.Rat), nil), nil
	}
	own := *proof
	v, err := own.Shift(g, factor)
	for step := int64(1); err != nil && step < 1<<20; step *= 2 {
		own.Base += step
		v, err = own.Shift(g, factor)
	}
	return newBound(v, &own), err
}

// designed is the epsilon that the mechanism was made for.
func (p *Plan) designed() (mechanism.Epsilon, error) {
	if p.Headroom == nil {
		return p.Epsilon, nil
	}
	return composition.Target(p.Epsilon, p.Headroom)
}

func (p *Plan) problem(f mechanism.Floor) optimum.Problem {
	return optimum.Problem{Prior: p.Prior, Support: mechanism.SupportOf(p.Order, f), Stands: Stands(p.Inputs, p.Outputs)}
}

// weights are what the plan made large.
func (p *Plan) weights() mechanism.Weights {
	if p.Prefer != "unchanged" {
		return mechanism.ValueWeights(p.Order)
	}
	return Unchanged(p.Inputs, p.Outputs)
}

// Kept reports whether every value of a record is published with at least half of its share.
func (p *Plan) Kept() bool {
	stands := Stands(p.Inputs, p.Outputs)
	return !slices.ContainsFunc(p.ofRecords(), func(g mechanism.Part) bool {
		return !g.Mechanism.KeepsHalf(g.Prior, stands)
	})
}

// Keeps reports whether the plan was made to keep all values.
func (p *Plan) Keeps() bool { return p.Shares != nil && p.Shares.Keep }

// verifyShares recomputes the shift and what is proven of it.
func (p *Plan) verifyShares() error {
	s := p.Shares
	if s == nil {
		return nil
	}
	if d := p.ShiftOf(); d.Cmp(s.Shift) != 0 {
		return fmt.Errorf("its rows do not have the shift it states")
	}
	made := s.Made()
	if made != nil && s.Shift.Cmp(made) > 0 {
		return fmt.Errorf("its shift is above its own limit")
	}
	if s.Keep && !p.Kept() {
		return fmt.Errorf("it does not keep all values")
	}
	if s.Factor == nil {
		if s.Worth != nil || s.Least != nil || s.Refused != nil {
			return fmt.Errorf("its bounds of shares hold for no factor")
		}
		return nil
	}
	target, err := p.designed()
	if err != nil {
		return err
	}
	if len(p.Groups) > 1 || target.Admits(s.Factor) && (!target.Exact() || target.Factor().Cmp(s.Factor) != 0) {
		return fmt.Errorf("its bounds of shares do not hold for all that is within its epsilon")
	}
	var here optimum.Problem
	if s.Worth != nil || s.Least != nil { // which takes a table
		here = p.problem(p.Floor)
	}
	if b := s.Worth; b != nil {
		if s.Within == nil || s.Shift.Cmp(s.Within) > 0 || made != nil && s.Least == nil && s.Within.Cmp(made) != 0 {
			return fmt.Errorf("its bound of what is preferred is for another shift")
		}
		w := optimum.Bracket{Upper: b.Value, Proof: b.proof()}
		if err := w.Verify(here, s.Factor, s.Within, p.weights()); err != nil {
			return fmt.Errorf("what is preferred: %w", err)
		}
	}
	if b := s.Least; b != nil {
		if err := (optimum.Bracket{Lower: b.Value, Proof: b.proof()}).Verify(here, s.Factor, nil, nil); err != nil {
			return fmt.Errorf("least shift: %w", err)
		}
	}
	b := s.Refused
	if b == nil {
		return nil
	}
	if made == nil || b.Value.Cmp(made) <= 0 {
		return fmt.Errorf("it refuses a floor whose shift may be within its limit")
	}
	if s.At.ByValue != p.Floor.ByValue || s.At.Rank <= p.Floor.Rank && s.At.Value <= p.Floor.Value {
		return fmt.Errorf("it refuses a floor that is not better than its own")
	}
	if err := (optimum.Bracket{Lower: b.Value, Proof: b.proof()}).Verify(p.problem(s.At), s.Factor, nil, nil); err != nil {
		return fmt.Errorf("refused floor: %w", err)
	}
	return nil
}

// restore completes what was read of a file.
func (s *Shares) restore(byValue bool) error {
	if s == nil {
		return nil
	}
	for _, b := range []*Bound{s.Worth, s.Least, s.Refused} {
		if b != nil && b.Value == nil {
			return fmt.Errorf("a bound of its shares has no value")
		}
	}
	switch {
	case s.Shift == nil:
		return fmt.Errorf("it states no shift")
	case s.Room != nil && (s.Limit == nil || s.Room.Sign() <= 0 || s.Room.Cmp(s.Limit) > 0):
		return fmt.Errorf("its room is not within the limit of the shift")
	case (s.Limit == nil) != (s.Asked == ""):
		return fmt.Errorf("its limit of the shift is stated in one way only")
	}
	s.At = floorAt(s.Place, byValue)
	return nil
}
