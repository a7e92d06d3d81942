package figures

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/design"

	"github.com/tacet-privacy/tacet/mechanism/optimum"
)

// A FloorPoint is Example 1 at one rank floor: the factors e^eps of the
// utility-safe mechanism and of the best one, the latter proven from below.
type FloorPoint struct {
	Floor                int
	Safe, Optimal, Below *big.Rat
	Worst                float64 // the worst value that the floor leaves
}

// A ValuePoint is the least factor at a value floor, proven from below.
type ValuePoint struct {
	Floor          float64
	Optimal, Below *big.Rat
}

// An Outcome is what a mechanism gives.
type Outcome struct {
	Worst, Mean float64 // worst value that can occur, expected utility
	Leakage     float64 // reached, in nats
}

// A CountingPoint is the counting query at one epsilon.
type CountingPoint struct {
	Text    string // epsilon as written
	Epsilon float64

	Safe    Outcome // the utility-safe mechanism at its best floor
	Optimal Outcome // best rank floor, then expected utility, then leakage
	ByValue Outcome // the same with the floor on values

	// The baselines: at the level of local differential privacy that
	// guarantees epsilon, and at the level where they leak epsilon. Free says
	// that epsilon is so large that they need no noise.
	Exponential, ExponentialTuned Outcome
	Response, ResponseTuned       Outcome
	Free                          bool
}

func (a *Paper) counting(ctx context.Context) error {
	c := a.Counting
	p, err := mechanism.NewPrior(c.Counts)
	if err != nil {
		return err
	}
	o, err := mechanism.NewMatrix(c.Value)
	if err != nil {
		return err
	}
	for h := range c.Value {
		f := mechanism.RankFloor(h + 1)
		safe, err := mechanism.Safe(p, o, f)
		if err != nil {
			return err
		}
		_, least, err := optimum.Least(ctx, p, mechanism.SupportOf(o, f), optimum.Options{})
		if err != nil {
			return err
		}
		_, worst := safe.Floor(o)
		a.Floors = append(a.Floors, FloorPoint{h + 1, safe.Factor(p), least.Upper, least.Lower, worst})
	}
	for text := range c.Floor {
		tau, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return fmt.Errorf("figures: value floor %s: %w", text, err)
		}
		_, least, err := optimum.Least(ctx, p, mechanism.SupportOf(o, mechanism.ValueFloor(tau)), optimum.Options{})
		if err != nil {
			return err
		}
		a.Values = append(a.Values, ValuePoint{tau, least.Upper, least.Lower})
	}
	slices.SortFunc(a.Values, func(l, r ValuePoint) int { return int(l.Floor - r.Floor) })
	for _, at := range c.Figure1.Safe {
		q, err := countingPoint(ctx, p, o, c.Value, strconv.FormatFloat(at[0], 'g', -1, 64))
		if err != nil {
			return err
		}
		a.One = append(a.One, q)
	}
	for _, s := range c.Lexicographic {
		q, err := countingPoint(ctx, p, o, c.Value, s.Epsilon)
		if err != nil {
			return err
		}
		a.Lexical = append(a.Lexical, q)
	}
	return nil
}

func countingPoint(ctx context.Context, p mechanism.Prior, o mechanism.Order, value [][]float64,
	text string) (CountingPoint, error) {
	q := CountingPoint{Text: text}
	e, err := mechanism.ParseEpsilon(text)
	if err != nil {
		return q, err
	}
	q.Epsilon = e.Nats()
	for _, d := range []struct {
		to      *Outcome
		kind    string
		byValue bool
	}{{&q.Safe, "safe", false}, {&q.Optimal, "optimal", false}, {&q.ByValue, "optimal", true}} {
		if *d.to, err = designed(ctx, p, o, design.Goal{Epsilon: e, Kind: d.kind, ByValue: d.byValue}); err != nil {
			return q, err
		}
	}
	level := guaranteed(p, e)
	q.Free = math.IsInf(level, 1)
	for _, d := range []struct {
		by        local
		to, tuned *Outcome
	}{{exponential(value), &q.Exponential, &q.ExponentialTuned}, {response, &q.Response, &q.ResponseTuned}} {
		*d.to, *d.tuned = d.by.at(level, p, value), d.by.tuned(e, p, value)
	}
	return q, nil
}

// designed is lexicographic: the best floor within epsilon, then the largest
// expected utility there, then the least leakage.
func designed(ctx context.Context, p mechanism.Prior, o mechanism.Order, g design.Goal) (Outcome, error) {
	_, e, err := design.Make(ctx, p, o, g)
	if err != nil {
		return Outcome{}, fmt.Errorf("figures: epsilon %v: %w", g.Epsilon, err)
	}
	return Outcome{e.WorstValue, e.ExpectedUtility, mechanism.Nats(e.Factor)}, nil
}
