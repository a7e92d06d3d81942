package shares

import (
	"context"
	"math/big"
	"testing"
	"time"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/frontier"
	"github.com/tacet-privacy/tacet/mechanism/mechtest"
)

func TestLeastFactor(t *testing.T) {
	var v vectors
	mechtest.JSON(t, "shares.json", &v)
	p, o := v.flights(t)
	for _, c := range []struct {
		rank  int
		limit float64
		mean  float64
	}{{137, .05, 0}, {137, .1, 0}, {60, .02, 0}, {180, .05, 0}, {220, .05, 0}, {137, .05, 400}, {137, .2, 500}} {
		g := Problem{p, mechanism.SupportOf(o, mechanism.RankFloor(c.rank)), standing(p.Letters())}
		goal := Goal{Limit: new(big.Rat).SetFloat64(c.limit)}
		if c.mean > 0 {
			goal.Weights, goal.Least = mechanism.ValueWeights(o), new(big.Rat).SetFloat64(-c.mean)
		}
		start := time.Now()
		_, b, err := LeastFactor(context.Background(), g, goal, Options{})
		if err != nil {
			t.Error(c, err)
			continue
		}
		t.Log(c, rounded(b.Lower), rounded(b.Upper), rounded(b.Upper)/rounded(b.Lower)-1, b.Proof != nil, b.Weighs, b.Verify(g, goal), rounded(b.Shift), time.Since(start))
	}
}

func TestBestFloor(t *testing.T) {
	var v vectors
	mechtest.JSON(t, "shares.json", &v)
	p, o := v.flights(t)
	for _, byValue := range []bool{false, true} {
		start := time.Now()
		f, err := frontier.NewFloors(context.Background(), p, o, byValue, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Log(f.Len(), time.Since(start))
		for _, limit := range []float64{.05, .1003, .01, 0} {
			start = time.Now()
			_, b, err := BestFloor(context.Background(), p, standing(p.Letters()), f, 0, big.NewRat(4, 1), new(big.Rat).SetFloat64(limit), Options{})
			t.Log(b.Place, b.Refused, err, time.Since(start))
			if b.Place < f.Len() {
				t.Log(f.At(b.Place))
			}
			if b.Bracket != nil {
				t.Log(rounded(b.Bracket.Lower))
			}
			if b.Factor != nil {
				t.Log(b.Factor)
			}
		}
	}
}
