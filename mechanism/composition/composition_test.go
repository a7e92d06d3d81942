package composition

import (
	"math/big"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
)

func prior(t testing.TB, count ...int64) mechanism.Prior {
	p, err := mechanism.NewPrior(count)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// law makes a mechanism of a dense matrix of weights.
func law(t testing.TB, rows ...[]int64) *mechanism.Mechanism {
	out := make([]mechanism.Row, len(rows))
	for x, r := range rows {
		var output []uint16
		var weight []int64
		for y, w := range r {
			if w > 0 {
				output, weight = append(output, uint16(y)), append(weight, w)
			}
		}
		out[x] = mechanism.WeightedRow(output, weight)
	}
	m, err := mechanism.New(len(rows[0]), out)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// cyclic allows letter x the m outputs from x on.
func cyclic(t testing.TB, n, m int) *mechanism.Mechanism {
	rows := make([][]int64, n)
	for x := range rows {
		rows[x] = make([]int64, n)
		for k := range m {
			rows[x][(x+k)%n] = 1
		}
	}
	return law(t, rows...)
}

func uniform(t testing.TB, n int) mechanism.Prior {
	count := make([]int64, n)
	for i := range count {
		count[i] = 1
	}
	return prior(t, count...)
}

func make1(t testing.TB, p mechanism.Prior, c ...Channel) *Series {
	s, err := New(p, c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func equal(t *testing.T, what string, got *big.Rat, num, den int64) {
	t.Helper()
	if got == nil || got.Cmp(big.NewRat(num, den)) != 0 {
		t.Errorf("%s is %v, want %d/%d", what, got, num, den)
	}
}

// Letters a, b with P(a) = .9; a becomes b with chance .1 and b stays. Under a
// pure-noise design every output has factor 1, but under one key y1 != y2 is
// possible only for a record that changed, which then holds b: the true factor
// is 1/.19. The state has none.
func TestVisibleChangeHasNoFactor(t *testing.T) {
	noise := Channel{Law: law(t, []int64{1, 1}, []int64{1, 1})}
	s := make1(t, prior(t, 9, 1), noise, Channel{Law: law(t, []int64{1, 0}, []int64{0, 1})}, noise)
	st := s.Start().After(0, 1)
	equal(t, "noise", st.Factor(), 1, 1)
	changed := st.Changed()
	if !changed.Visible() || changed.Factor() != nil {
		t.Errorf("a visible change has the factor %v", changed.Factor())
	}
	// P(X1 = a, X2 = b) / P(X2 = b) by hand, from the joint law of (X1, X2).
	ab, bb := big.NewRat(9, 100), big.NewRat(10, 100)
	both := new(big.Rat).Add(ab, bb)
	equal(t, "the true factor", new(big.Rat).Inv(both), 100, 19)

	for _, order := range [][]*State{{st.After(1, 1), changed, st}, {st, changed, st.After(1, 1)}} {
		var a, b, none Peak
		a.Add(order[0])
		b.Add(order[1])
		b.Add(order[2])
		none.Merge(a)
		a.Merge(b)
		b.Merge(none)
		for _, p := range []*Peak{&a, &b} {
			if equal(t, "the largest", p.Factor(), 10, 1); p.Visible != 1 {
				t.Errorf("%d visible", p.Visible)
			}
		}
	}
	// Outputs that no letter can give together.
	if st := s.Start().After(1, 0); !st.After(1, 1).Visible() {
		t.Error("a then b is not visible")
	}
	if !s.Start().After(1, 7).Visible() {
		t.Error("an output of no design is not visible")
	}
}

// P = (.9, .1), p(.|a) = (0, 1), p(.|b) = (1/2, 1/2), total log 5: showing the
// last output where a draw would pass the total happens if and only if x = b and
// is a factor 10. The rule decides before the draw, and tells nothing.
func TestKeepingTellsNothing(t *testing.T) {
	m := law(t, []int64{0, 1}, []int64{1, 1})
	five := mechanism.LogOf(big.NewRat(5, 1))
	noise := Channel{Law: law(t, []int64{1, 1}, []int64{1, 1}), Total: &five}
	s := make1(t, prior(t, 9, 1), noise, Channel{Law: m, Total: &five})
	st := s.Start().After(0, 1)
	if a := st.Decide(1); a != Keep {
		t.Errorf("a record is drawn beyond the total: %v", a)
	}
	equal(t, "what was told", st.After(1, 1).Factor(), 1, 1)
	if a := s.Start().Decide(1); a != Refused {
		t.Errorf("a record without an output shows one: %v", a)
	}
	if a := st.Changed().Decide(1); a != Keep {
		t.Errorf("a record that changed visibly: %v", a)
	}
}

// A total that is met exactly is kept: 3x3 circulant, first output 0, total
// log 3/2 and log 3.
func TestTotalMetExactly(t *testing.T) {
	for _, c := range []struct {
		num, den int64
		action   Action
	}{{3, 2, Keep}, {2999999999999999, 1000000000000000, Keep}, {3, 1, Draw}} {
		total := mechanism.LogOf(big.NewRat(c.num, c.den))
		ch := Channel{Law: cyclic(t, 3, 2), Total: &total}
		s := make1(t, uniform(t, 3), ch, ch)
		st := s.Start().After(0, 0)
		equal(t, "first", st.Factor(), 3, 2)
		if a := st.Decide(1); a != c.action {
			t.Errorf("total %v: action %d, want %d", total, a, c.action)
		}
	}
}

// Other alphabets: a later plan has its letters in another order, lacks one and
// knows another.
func TestOtherAlphabets(t *testing.T) {
	first := Channel{Law: law(t, []int64{1, 1, 0}, []int64{0, 1, 1}, []int64{1, 0, 1})}
	second := Channel{Law: law(t, []int64{1, 3}, []int64{1, 1}), Letter: []int32{1, -1, 0}}
	s := make1(t, prior(t, 1, 2, 3), first, second)
	st := s.Start().After(0, 0) // letters 0 and 2
	equal(t, "first", st.Factor(), 6, 4)
	// L(0) = 1/2 1/2, L(2) = 1/2 3/4 for output 1; mean 1/6 1/4 + 1/2 3/8 = 11/48.
	equal(t, "second", st.After(1, 1).Factor(), 18, 11)
	for _, bad := range []Channel{{}, {Law: second.Law}, {Law: first.Law, Letter: []int32{0, 1, 3}}} {
		if _, err := New(prior(t, 1, 2, 3), []Channel{bad}); err == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
	if _, err := New(prior(t, 0, 0), nil); err == nil {
		t.Error("a prior without records is accepted")
	}
}

func randomLaw(t testing.TB, rng *rand.Rand, n, m int) *mechanism.Mechanism {
	rows := make([][]int64, n)
	for x := range rows {
		rows[x] = make([]int64, m)
		for y := range rows[x] {
			if rng.IntN(4) > 0 {
				rows[x][y] = 1 + rng.Int64N(6)
			}
		}
		rows[x][rng.IntN(m)] = 2
	}
	return law(t, rows...)
}

// States that are made again are the same.
func TestStatesBeyondTheRoom(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	a, b := randomLaw(t, rng, 5, 4), randomLaw(t, rng, 5, 4)
	channel := []Channel{{Law: a}, {Law: b}}
	p := prior(t, 5, 4, 3, 2, 1)
	kept, none := make1(t, p, channel...), make1(t, p, channel...)
	for y := range int32(4) {
		for z := range int32(4) {
			none.room = 0
			u, v := kept.Start().After(0, y).After(1, z), none.Start().After(0, y).After(1, z)
			if u.Visible() != v.Visible() || !u.Visible() && u.Factor().Cmp(v.Factor()) != 0 {
				t.Errorf("outputs %d, %d: %v and %v", y, z, u.Factor(), v.Factor())
			}
			if u != kept.Start().After(0, y).After(1, z) || v == none.Start().After(0, y).After(1, z) {
				t.Errorf("outputs %d, %d: kept wrongly", y, z)
			}
		}
	}
}

// Likelihoods of sixty channels that differ by 2^60 to 1 are beyond
// floats and still exact.
func TestLikelihoodsBeyondFloats(t *testing.T) {
	c := Channel{Law: law(t, []int64{1 << 60, 1}, []int64{1, 1 << 60})}
	all := make([]Channel, 60)
	for i := range all {
		all[i] = c
	}
	s := make1(t, prior(t, 1, 9), append(all, Channel{Law: law(t, []int64{1, 0}, []int64{0, 1})})...)
	st := s.Start()
	for k := range all {
		st = st.After(k, int32(k%2))
	}
	equal(t, "balanced", st.Factor(), 1, 1)
	st = s.Start()
	for k := range all {
		st = st.After(k, 0)
	}
	ten := big.NewRat(10, 1)
	if st.Visible() || st.Factor().Cmp(ten) >= 0 || !(mechanism.Nats(st.Factor()) >= 2.3025) {
		t.Errorf("factor %v", st.Factor().FloatString(20))
	}
	equal(t, "the letter that is hardly possible, alone", st.After(len(all), 1).Factor(), 10, 9)
}

// Many goroutines meet at new states and find the same ones.
func TestStatesAreShared(t *testing.T) {
	total := mechanism.LogOf(big.NewRat(3, 1))
	c := Channel{Law: cyclic(t, 9, 4), Total: &total}
	s := make1(t, uniform(t, 9), c, c, c)
	found := make([]map[[3]int32]*State, 4)
	var group sync.WaitGroup
	for g := range found {
		found[g] = map[[3]int32]*State{}
		group.Add(1)
		go func() {
			defer group.Done()
			rng := rand.New(rand.NewPCG(35, uint64(g)))
			for range 3000 {
				h := [3]int32{rng.Int32N(9), rng.Int32N(9), rng.Int32N(9)}
				st := s.Start()
				for k, z := range h {
					st = st.After(k, z)
				}
				st.Factor()
				found[g][h] = st
			}
		}()
	}
	group.Wait()
	for h, st := range found[0] {
		for _, other := range found[1:] {
			if o := other[h]; o != nil && o != st {
				t.Fatalf("history %v has two states", h)
			}
		}
	}
}
