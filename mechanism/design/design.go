// Package design answers a Goal with a mechanism: the best floor within
// epsilon, the largest expected utility there, the least factor. A design is
// one way to do so; designs, in task.go, is the registry of them, and all that
// a new one needs is its file here and its entry there. TestDesigns then
// runs on it at once.
package design

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
)

// A Goal says what a mechanism must keep.
type Goal struct {
	Epsilon mechanism.Epsilon // the most that any output may leak

	// Also are further priors under which Epsilon holds, for every letter that
	// is possible under each: p_xy <= e^eps min_k q^k_y. The utility is that
	// under the prior that is given beside the goal.
	Also []mechanism.Prior

	// Floor, if set, is the worst that may occur. Without it the best floor
	// within Epsilon is searched, over ranks or, if ByValue, over the distinct
	// utilities.
	Floor   *mechanism.Floor
	ByValue bool

	Kind string // a name of Kinds, or "auto" or "" for the best of them

	// Weights are what the second stage makes largest in expectation, at the
	// best floor within Epsilon; nil means the values u'(x,y).
	Weights mechanism.Weights

	// MaxShift, if set, is the most that the shares of published values may be off,
	// see mechanism.Shares: the best floor is then that at which a mechanism within
	// Epsilon and MaxShift was found. Nearest makes the shift least at the floor, and
	// what Weights say large after that. Both go with no priors in Also. Stands is
	// the letter that each output stands for, -1 for none.
	MaxShift *big.Rat
	Nearest  bool
	Stands   []int

	// Recover makes the shares of letters that outputs tell as sure as possible.
	Recover bool

	// Keep asks for a mechanism by which every letter with records is published with at least
	// half of its share, see mechanism.KeepsHalf. It goes with a limit of the shift.
	Keep bool
}

// Evidence is what is known of a designed mechanism.
type Evidence struct {
	Kind       string
	Floor      mechanism.Floor // the floor that shaped the support
	WorstRank  int             // the worst rank that can occur; never below Floor
	WorstValue float64         // the worst value that can occur

	Leakage mechanism.Leakage   // of every output, exactly
	Also    []mechanism.Leakage // the same under the goal's further priors
	Factor  *big.Rat            // e^eps reached, the largest under any prior

	// Lower <= the least factor of any mechanism at Floor <= Upper.
	Lower, Upper *big.Rat

	// Certificate proves Lower where the design "optimal" made the mechanism,
	// and Worth its UtilityUpperBound; nil otherwise. Both are of all mechanisms within
	// the factor under the first prior; under further ones the mechanism is the best
	// found, and no optimum.
	Certificate *optimum.Certificate
	Worth       *optimum.Bracket

	ExpectedUtility   float64 // sum_x P_x sum_y p_xy u'(x,y)
	UtilityUpperBound float64 // of any mechanism at Floor within Epsilon

	// Weighted is sum_x P_x sum_y p_xy w_xy for the goal's weights; it is
	// ExpectedUtility where these are the values.
	Weighted float64
	// UtilityGap is what of Worth stays open, in shares of the
	// range that the weights have at Floor; 0 where Worth is nil. Close to the
	// least factor the second stage is ill-conditioned and leaves some.
	UtilityGap float64

	Shares *Shares // nil where the goal says nothing of the shift

	// Next is the next better floor and a factor that the kinds searched can
	// keep there; nil where the floor was given or is the best there is, or where the
	// shift is limited.
	Next *Threshold

	Sampled bool // not every distinct utility was tried as a value floor
	Stopped bool // the context ended the search before it was complete
}

// A Threshold is a floor with the factor it needs.
type Threshold struct {
	Floor  mechanism.Floor
	Factor *big.Rat
}

// An UnreachableError says that no mechanism of the kinds asked for keeps both
// epsilon and the floor.
type UnreachableError struct {
	Epsilon mechanism.Epsilon
	Least   *big.Rat         // the least factor found that does fit; nil where there is none
	AtFloor mechanism.Floor  // the floor at which Least fits
	Best    *mechanism.Floor // the best floor within Epsilon; nil where there is none
}

func (e *UnreachableError) Error() string {
	s := fmt.Sprintf("mechanism: epsilon %v is not reachable at %v", e.Epsilon, e.AtFloor)
	if e.Least != nil {
		s += ": the least is "
		if f := e.Least.RatString(); len(f) <= 40 {
			s += "log(" + f + ") = "
		}
		s += fmt.Sprintf("%v nats", mechanism.Nats(e.Least))
	}
	if e.Best != nil {
		s += fmt.Sprintf("; the best floor within epsilon is %v", *e.Best)
	}
	return s
}

// Make makes the mechanism of the goal's kind that has, in this order, the
// best floor within epsilon (where none is given), the largest expected
// utility (or weight) found there, and the least factor. A floor that is given is kept or
// bettered: the safe design takes the floor at or above it of largest expected
// utility. Every number that decides is exact.
//
// It fails with *UnreachableError, or *ShiftError where the shift stands in the way,
// with *NoOutputError where the floor leaves
// a letter without output, and with the context's error if that ends before
// anything was found.
func Make(ctx context.Context, p mechanism.Prior, o mechanism.Order, g Goal) (*mechanism.Mechanism, Evidence, error) {
	chosen, err := chosen(g.Kind)
	if g.Keep && len(chosen) == 1 && g.Kind == (optimalDesign{}).kind() {
		chosen = append(chosen, mixedDesign{}) // which the optimum becomes
	}
	if g.Recover {
		chosen = []design{recoveryDesign{}}
	}
	if err != nil {
		return nil, Evidence{}, err
	}
	if err := g.check(o.Inputs(), o.Outputs()); err != nil {
		return nil, Evidence{}, err
	}
	if wide(o, &g) {
		if m, e := blocksAlone(p, o, g); m != nil {
			return m, e, nil
		}
	}
	t, err := newTask(ctx, p, o, g)
	if err != nil {
		return nil, Evidence{}, err
	}
	t.again = func(ctx context.Context, g Goal) (*mechanism.Mechanism, Evidence, error) { return Make(ctx, p, o, g) }
	var best *offer
	stopped := false
	for _, d := range chosen {
		if len(chosen) > 1 && !d.fits(t) {
			continue
		}
		c, err := d.make(ctx, t, best)
		switch {
		case errors.Is(err, errNothingFits):
			continue
		case err != nil && ctx.Err() != nil:
			stopped = true
			continue
		case err != nil:
			return nil, Evidence{}, err
		}
		if t.goal.Keep && !c.mechanism.KeepsHalf(t.prior, t.stands()) {
			continue
		}
		if c.Kind = d.kind(); best == nil || t.better(c, best) {
			best = c
		}
		stopped = stopped || c.cut
		if t.settles(d) && ctx.Err() == nil && !c.cut {
			break
		}
	}
	stopped = stopped || ctx.Err() != nil && (len(chosen) > 1 || best != nil && best.Kind == optimalDesign{}.kind())
	if best == nil && stopped {
		return nil, Evidence{}, fmt.Errorf("mechanism: designing: %w", ctx.Err())
	}
	if best == nil {
		return nil, Evidence{}, t.unreachable(ctx, chosen)
	}
	err = t.evidence(ctx, best, chosen)
	best.Stopped = stopped
	return best.mechanism, best.Evidence, err
}

// EstimateBytes is about the most memory that Make takes for the order
// itself, its supports and the mechanism; what Order holds is not in it. The
// prefixes and a uniform mechanism take 2 N M bytes each, two supports N M/4.
func EstimateBytes(inputs, outputs int) int64 {
	n, m := int64(inputs), int64(outputs)
	return 4*n*m + n*m/4 + 64*(n+m) + 1<<20
}

// An offer is one design's answer, with what is known of it.
type offer struct {
	Evidence
	mechanism *mechanism.Mechanism
	spread    float64 // of the estimated shares, for one record, where the goal is to recover them
	cut       bool    // time ended the search for a better floor
}

var errNothingFits = errors.New("mechanism: nothing fits")

// Kinds are the names of the designs that can be asked for, in the order "auto" tries
// them.
func Kinds() []string {
	var k []string
	for _, d := range designs {
		if !slices.Contains([]design{groupedDesign{}, mixedDesign{}, recoveryDesign{}}, d) { // which goals ask for
			k = append(k, d.kind())
		}
	}
	return k
}

// Words say what the design of a name is, "" where there is none.
func Words(kind string) string {
	for _, d := range designs {
		if d.kind() == kind {
			return d.words()
		}
	}
	return ""
}

func chosen(kind string) ([]design, error) {
	if kind == "" || kind == "auto" {
		return designs, nil
	}
	for _, d := range designs {
		if d.kind() == kind {
			return []design{d}, nil
		}
	}
	return nil, fmt.Errorf("mechanism: no design %q: there are auto, %s", kind, strings.Join(Kinds(), ", "))
}
