package frontier

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/mechtest"
)

// TestExtremes: what the utility-safe candidate of a floor says, that it leaves the
// data unchanged or tells nothing, is so in its rows, for records that need not be
// those of the prior.
func TestExtremes(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	single, nothing := 0, 0
	for i := range 200 {
		p, o := tinyOrder(t, rng, i%2 == 0)
		held := p.Counts()
		for x := range held {
			held[x] *= int64(rng.IntN(2))
		}
		records := p
		opt := Options{ByValue: i%3 == 0}
		if i%4 > 1 {
			records = mechtest.Prior(held...)
			opt.Records = &records
		}
		for _, q := range mustFrontiers(t, context.Background(), p, o, opt).Points {
			s := mechanism.SupportOf(o, q.Safe.At)
			giver, letters, alone := map[uint16]bool{}, 0, true
			for x := range o.Inputs() {
				if records.Count(x) == 0 {
					continue
				}
				letters++
				for _, y := range s.AppendRow(nil, x) {
					alone = alone && !giver[y]
					giver[y] = true
				}
			}
			if want := alone && letters > 1; q.Safe.Single != want {
				t.Errorf("%v: unchanged %v, want %v", q.Floor, q.Safe.Single, want)
			}
			if want := records.Total() > 0 && q.Safe.Factor.RatString() == "1"; q.Safe.Nothing != want {
				t.Errorf("%v: tells nothing %v, want %v", q.Floor, q.Safe.Nothing, want)
			}
			// The optimum at one extreme has the figures of that.
			if q.Optimal.Single && records.Total() == p.Total() && !(q.Optimal.Guess > 1-1e-9) ||
				q.Optimal.Nothing && !(q.Optimal.Information < 1e-9) {
				t.Errorf("%v: %+v", q.Floor, q.Optimal)
			}
			if q.Safe.Single {
				single++
			}
			if q.Safe.Nothing {
				nothing++
			}
		}
	}
	if single < 20 || nothing < 20 {
		t.Errorf("control: %d unchanged, %d tell nothing", single, nothing)
	}
}
