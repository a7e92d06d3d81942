package frontier

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/mechtest"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
)

func mustFrontiers(t *testing.T, ctx context.Context, p mechanism.Prior, o mechanism.Order, opt Options) *Curves {
	t.Helper()
	c, err := Search(ctx, p, o, opt)
	must(t, err)
	return c
}

// tinyOrder is a small order with values with ties, and forbidden outputs where holes is true.
func tinyOrder(t *testing.T, rng *rand.Rand, holes bool) (mechanism.Prior, mechanism.Order) {
	n, m := 1+rng.IntN(6), 1+rng.IntN(6)
	count, value := make([]int64, n), make([][]float64, n)
	for x := range value {
		count[x] = 1 + int64(rng.IntN(1000))
		value[x] = make([]float64, m)
		for y := range value[x] {
			if value[x][y] = float64(-rng.IntN(5)); holes && rng.IntN(4) == 0 {
				value[x][y] = math.Inf(-1)
			}
		}
		value[x][rng.IntN(m)] = 0
	}
	return mechtest.Prior(count...), mechtest.Matrix(value)
}

// Optimal <= safe, monotone, proven, and the least factor of every
// floor is that of a search of its own; one worker and three find the same.
func TestFrontiersRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 14))
	for i := range 120 {
		p, o := tinyOrder(t, rng, i%3 == 0)
		opt := Options{ByValue: i%4 == 0, Workers: 3}
		curves := mustFrontiers(t, context.Background(), p, o, opt)
		last := one
		for k := range curves.Points {
			q := &curves.Points[k]
			s := mechanism.SupportOf(o, q.Floor)
			_, alone, err := optimum.Least(context.Background(), p, s, optimum.Options{})
			must(t, err)
			switch {
			case q.Lower.Cmp(q.Upper) > 0 || q.Open() || !mechtest.Close(q.Upper, alone.Upper) || q.Lower.Cmp(alone.Upper) > 0:
				t.Errorf("%d, %v: bracket %v..%v, alone %v..%v", i, q.Floor, q.Lower, q.Upper, alone.Lower, alone.Upper)
			case q.Upper.Cmp(last) < 0 || q.Upper.Cmp(q.Safe.Factor) > 0 || q.Safe.Factor.Cmp(q.Here) > 0:
				t.Errorf("%d, %v: not in order", i, q.Floor)
			}
			if err := (optimum.Certificate{Weight: q.Weight, Lower: q.Lower}).Verify(p, s); err != nil {
				t.Errorf("%d, %v: %v", i, q.Floor, err)
			}
			f, _ := new(big.Rat).Quo(q.Optimal.Factor, q.Upper).Float64()
			if !(f <= 1.0001+1e-12) || !opt.ByValue && q.Optimal.WorstRank < q.Floor.Rank || opt.ByValue &&
				q.Optimal.WorstValue < q.Floor.Value {
				t.Errorf("%d, %v: the mechanism shown has factor %v, worst %d, %v", i, q.Floor, q.Optimal.Factor,
					q.Optimal.WorstRank, q.Optimal.WorstValue)
			}
			last = q.Upper
		}
		opt.Workers = 1
		if serial := mustFrontiers(t, context.Background(), p, o, opt); !reflect.DeepEqual(serial, curves) {
			t.Errorf("%d: one worker finds other curves", i)
		}
	}
}

// What is measured of the utility-safe mechanism without making it is what
// the mechanism itself says.
func TestFrontiersSafeMeasures(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 71))
	for i := range 60 {
		p, o := tinyOrder(t, rng, i%2 == 0)
		for _, byValue := range []bool{false, true} {
			stands := make([]int, o.Outputs())
			for y := range stands {
				if stands[y] = y; y >= o.Inputs() || y%3 == 2 {
					stands[y] = -1
				}
			}
			for _, q := range mustFrontiers(t, context.Background(), p, o, Options{ByValue: byValue, Stands: stands}).Points {
				m, err := mechanism.Safe(p, o, q.Safe.At)
				must(t, err)
				if p.Total() > 0 && (q.Safe.Shift == nil || q.Safe.Shift.Cmp(m.Shares(p, stands).Shift) != 0) {
					t.Errorf("%d, %v at %v: shift %v", i, q.Floor, q.Safe.At, q.Safe.Shift)
				}
				if p.Total() > 0 && (q.Optimal.Shift == nil || q.Optimal.Shift.Sign() < 0) {
					t.Errorf("%d, %v: the optimum has no shift", i, q.Floor)
				}
				_, guess := m.BayesVulnerability(p)
				_, factor := m.Leakage(p).Max()
				if d := math.Abs(guess-q.Safe.Guess) + math.Abs(m.MutualInformation(p)-q.Safe.Information) +
					math.Abs(m.ExpectedUtility(p, o)-q.Safe.ExpectedUtility); !(d <= 1e-12) || factor.Cmp(q.Safe.Factor) != 0 {
					t.Errorf("%d, %v at %v: %+v", i, q.Floor, q.Safe.At, q.Safe)
				}
			}
		}
	}
}

// endingContext is over after so many looks at it.
type endingContext struct {
	context.Context
	looks atomic.Int64
}

func (c *endingContext) Err() error {
	if c.looks.Add(-1) < 0 {
		return context.DeadlineExceeded
	}
	return nil
}

func (c *endingContext) Deadline() (time.Time, bool) { return time.Time{}, false }

// However early it ends, every bracket holds what the full search finds.
func TestFrontiersCutShort(t *testing.T) {
	p, o := mechtest.Plane(40)
	full := mustFrontiers(t, context.Background(), p, o, Options{})
	if full.Stopped {
		t.Error("a full search says that it was stopped")
	}
	wide := 0
	for _, looks := range []int64{0, 1, 5, 20, 60, 200, 2000} {
		ctx := &endingContext{Context: context.Background()}
		ctx.looks.Store(looks)
		cut := mustFrontiers(t, ctx, p, o, Options{})
		if !cut.Stopped && looks < 2000 {
			t.Errorf("after %d looks: not stopped", looks)
		}
		for i := range cut.Points {
			a, b := &cut.Points[i], &full.Points[i]
			if a.Lower.Cmp(b.Upper) > 0 || b.Lower.Cmp(a.Upper) > 0 || a.Optimal.Factor == nil || a.Lower.Cmp(a.Upper) > 0 {
				t.Errorf("after %d looks, %v: %v..%v, in full %v..%v", looks, a.Floor, a.Lower, a.Upper, b.Lower, b.Upper)
			}
			if err := (optimum.Certificate{Weight: a.Weight, Lower: a.Lower}).Verify(p,
				mechanism.SupportOf(o, a.Floor)); err != nil {
				t.Errorf("after %d looks, %v: %v", looks, a.Floor, err)
			}
			if a.Open() {
				wide++
			}
		}
	}
	if wide == 0 {
		t.Error("no bracket was left open: nothing was tested")
	}
}

func TestFrontiersFew(t *testing.T) {
	p, o := mechtest.Plane(60)
	few := mustFrontiers(t, context.Background(), p, o, Options{Floors: 5})
	all := mustFrontiers(t, context.Background(), p, o, Options{})
	if len(few.Points) != 5 || few.Points[0].Floor != mechanism.RankFloor(1) ||
		few.Points[4].Floor != mechanism.RankFloor(60) {
		t.Fatalf("%d points", len(few.Points))
	}
	for _, q := range few.Points {
		if r := all.Points[q.Floor.Rank-1]; !mechtest.Close(q.Upper, r.Upper) || q.Safe.Factor.Cmp(r.Safe.Factor) != 0 {
			t.Errorf("%v: %v and %v among five, %v and %v among all", q.Floor, q.Upper, q.Safe.Factor, r.Upper, r.Safe.Factor)
		}
	}
	if by := mustFrontiers(t, context.Background(), p, o, Options{Floors: 9, ByValue: true}); len(by.Points) != 9 ||
		!by.Sampled {
		t.Errorf("%d value floors, sampled %v", len(by.Points), by.Sampled)
	}
}
