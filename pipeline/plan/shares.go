package plan

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/composition"
	"github.com/tacet-privacy/tacet/mechanism/design"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/utility"
)

// Shares are what a plan decides of the shares of its published values, there where
// it was asked to: they are off by Shift at the most, see mechanism.Shares. With
// strata that holds in each group.
type Shares struct {
	Asked string   // the limit as the user wrote it; "" where the shift was only made small
	Limit *big.Rat // the same, nil for none
	// Room is by how much the rows stay below Limit, nil for none. Another file whose shares of
	// values differ from those of the plan by d, the largest difference of any set, keeps Limit
	// while d <= Room/2: with pi the shares, q = pi W those that rows W publish, and V the total
	// variation, V(pi' W, pi') <= V(pi' W, pi W) + V(pi W, pi) + V(pi, pi'), and rows bring no two
	// distributions further apart, so that the first is at most d, as the last is.
	// TestRoomIsKept checks it.
	Room  *big.Rat
	Shift *big.Rat // of the rows; the largest of a group
	Keep  bool     // every value of a record is published with at least half of its share
	Open  int      // floors better than that of the plan that are undecided

	// The bounds hold for all mechanisms at the floor within Factor, which is not
	// below e^epsilon; nil where nothing is proven.
	Factor *big.Rat
	Within *big.Rat // the shift for which Worth holds
	Worth  *Bound   // of what is preferred, from above
	Least  *Bound   // of the shift, from below; nil where a limit is all that was asked for

	// Refused bounds the shift at another floor from below, by more than Limit.
	Refused *Bound
	At      mechanism.Floor // of Refused
}

// A Bound is a number with its proof, nil where it needs none.
type Bound struct {
	Value *big.Rat
	Proof *optimum.Proof
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

// JointShift is how far a table of strata and published values is off.
func (p *Plan) JointShift() *big.Rat {
	return mechanism.JointShift(p.ofRecords(), Stands(p.Inputs, p.Outputs))
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
		s.Within, s.Worth = e.Within, &Bound{w.Upper, w.Proof}
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
		if s.At = r.Floor; s.Refused.Value.Cmp(s.Made()) <= 0 { // only at what the factor was rounded up by
			s.Refused, s.Open = nil, s.Open+1
		}
	}
	return nil
}

// lower is a bound of the shift from below. A proof may count an output as worth more
// than 1 by what its factor was rounded up by, which a larger base takes off again.
func lower(g optimum.Problem, factor *big.Rat, proof *optimum.Proof) (*Bound, error) {
	if proof == nil {
		return &Bound{Value: new(big.Rat)}, nil
	}
	own := *proof
	v, err := own.Shift(g, factor)
	for step := int64(1); err != nil && step < 1<<20; step *= 2 {
		own.Base += step
		v, err = own.Shift(g, factor)
	}
	return &Bound{v, &own}, err
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
	same := make([]int, p.Inputs.Len())
	for x := range same {
		same[x] = -1
	}
	for y, x := range Stands(p.Inputs, p.Outputs) {
		if x >= 0 {
			same[x] = y
		}
	}
	return mechanism.MatchWeights(same)
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
		w := optimum.Bracket{Upper: b.Value, Proof: b.Proof}
		if err := w.Verify(here, s.Factor, s.Within, p.weights()); err != nil {
			return fmt.Errorf("what is preferred: %w", err)
		}
	}
	if b := s.Least; b != nil {
		if err := (optimum.Bracket{Lower: b.Value, Proof: b.Proof}).Verify(here, s.Factor, nil, nil); err != nil {
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
	if err := (optimum.Bracket{Lower: b.Value, Proof: b.Proof}).Verify(p.problem(s.At), s.Factor, nil, nil); err != nil {
		return fmt.Errorf("refused floor: %w", err)
	}
	return nil
}

// sharesFile is the member "shares" of plan.json.
type sharesFile struct {
	Limit   string     `json:"limit,omitempty"`
	Asked   string     `json:"asked,omitempty"`
	Room    string     `json:"room,omitempty"` // that rows leave below the limit
	Keep    bool       `json:"keep_values,omitempty"`
	Shift   string     `json:"shift"`
	Open    int        `json:"undecided_floors,omitempty"`
	Factor  string     `json:"factor,omitempty"` // that the bounds hold for
	Within  string     `json:"within,omitempty"` // shift that worth holds for
	Worth   *boundFile `json:"worth,omitempty"`
	Least   *boundFile `json:"least,omitempty"`
	Refused *boundFile `json:"refused,omitempty"`
	At      float64    `json:"refused_at,omitempty"` // floor, of the kind of floor.at
}

// boundFile is a bound: value by numbers in units of 2^-scale.
type boundFile struct {
	Value string   `json:"value"`
	Price []string `json:"price,omitempty"` // by input
	Level []string `json:"level,omitempty"` // by output
	Base  string   `json:"base,omitempty"`
	Scale int      `json:"scale,omitempty"`
}

func (b *Bound) file() *boundFile {
	if b == nil {
		return nil
	}
	f := &boundFile{Value: b.Value.RatString()}
	if q := b.Proof; q != nil {
		f.Base, f.Scale = strconv.FormatInt(q.Base, 10), q.Scale
		f.Price, f.Level = report.Counts(q.Price), report.Counts(q.Level)
	}
	return f
}

func (f *boundFile) restore() (b *Bound, err error) {
	if f == nil {
		return nil, nil
	}
	b = &Bound{}
	if b.Value, err = fraction(f.Value); err != nil || f.Base == "" {
		return b, err
	}
	b.Proof = &optimum.Proof{Scale: f.Scale}
	if b.Proof.Base, err = strconv.ParseInt(f.Base, 10, 64); err != nil {
		return nil, fmt.Errorf("the base of a proof of shares is not a number")
	}
	if b.Proof.Price, err = numbersOf(f.Price); err != nil {
		return nil, fmt.Errorf("a proof of shares: price %w", err)
	}
	if b.Proof.Level, err = numbersOf(f.Level); err != nil {
		return nil, fmt.Errorf("a proof of shares: level %w", err)
	}
	return b, nil
}

// sharesFile is nil where nothing was asked for.
func (p *Plan) sharesFile() *sharesFile {
	s := p.Shares
	if s == nil {
		return nil
	}
	f := &sharesFile{Asked: s.Asked, Keep: s.Keep, Shift: s.Shift.RatString(), Open: s.Open, Worth: s.Worth.file(),
		Least: s.Least.file(), Refused: s.Refused.file()}
	for _, r := range []struct {
		of *big.Rat
		to *string
	}{{s.Limit, &f.Limit}, {s.Room, &f.Room}, {s.Factor, &f.Factor}, {s.Within, &f.Within}} {
		if r.of != nil {
			*r.to = r.of.RatString()
		}
	}
	if s.Refused != nil {
		if f.At = float64(s.At.Rank); s.At.ByValue {
			f.At = s.At.Value
		}
	}
	return f
}

func (f *sharesFile) restore(p *Plan) (err error) {
	if f == nil {
		return nil
	}
	s := &Shares{Asked: f.Asked, Keep: f.Keep, Open: f.Open}
	p.Shares = s
	for _, r := range []struct {
		text string
		to   **big.Rat
	}{{f.Shift, &s.Shift}, {f.Limit, &s.Limit}, {f.Room, &s.Room}, {f.Factor, &s.Factor}, {f.Within, &s.Within}} {
		if r.text == "" && r.to != &s.Shift {
			continue
		}
		if *r.to, err = fraction(r.text); err != nil {
			return err
		}
	}
	if s.Room != nil && (s.Limit == nil || s.Room.Sign() <= 0 || s.Room.Cmp(s.Limit) > 0) {
		return fmt.Errorf("its room is not within the limit of the shift")
	}
	if (s.Limit == nil) != (s.Asked == "") {
		return fmt.Errorf("its limit of the shift is stated in one way only")
	}
	for _, b := range []struct {
		of *boundFile
		to **Bound
	}{{f.Worth, &s.Worth}, {f.Least, &s.Least}, {f.Refused, &s.Refused}} {
		if *b.to, err = b.of.restore(); err != nil {
			return err
		}
	}
	if s.Refused == nil {
		return nil
	}
	if s.At = mechanism.RankFloor(int(f.At)); p.Floor.ByValue {
		s.At = mechanism.ValueFloor(f.At)
	}
	return nil
}

// maxFraction bounds the text of a fraction.
const maxFraction = 4000

func fraction(text string) (*big.Rat, error) {
	v, ok := new(big.Rat), len(text) <= maxFraction
	if ok {
		_, ok = v.SetString(text)
	}
	if !ok || v.RatString() != text {
		return nil, fmt.Errorf("a figure of its shares is not a fraction in lowest terms")
	}
	return v, nil
}
