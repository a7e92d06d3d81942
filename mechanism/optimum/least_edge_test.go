package optimum

import (
	"context"
	"math/big"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/mechtest"
)

func allow(outputs int, rows ...[]int) *mechanism.Support {
	s := mechanism.NewSupport(len(rows), outputs)
	for x, row := range rows {
		for _, y := range row {
			s.Allow(x, y)
		}
	}
	return s
}

// TestLeastCounting: the paper's counting query has the exact least factors
// 1, 1, 1, 1, 2, 7/2, 7 at rank floors 1 to 7, and log 2, log 3, log 4 at the
// value floors -4, -2, -1, each proven as a fraction from both sides.
func TestLeastCounting(t *testing.T) {
	p, o := mechtest.Counting()
	check := func(s *mechanism.Support, want string) {
		t.Helper()
		m, c, err := Least(context.Background(), p, s, Options{})
		must(t, err)
		checkBracket(t, want, p, s, m, c)
		if w := mechtest.Ratio(want); c.Upper.Cmp(w) != 0 || c.Lower.Cmp(w) != 0 {
			t.Errorf("least factor in %s .. %s, want %s", c.Lower.RatString(), c.Upper.RatString(), want)
		}
	}
	for h, want := range []string{"1", "1", "1", "1", "2", "7/2", "7"} {
		check(mechanism.SupportOf(o, mechanism.RankFloor(h+1)), want)
	}
	for tau, want := range map[float64]string{-4: "2", -2: "3", -1: "4"} {
		check(mechanism.SupportOf(o, mechanism.ValueFloor(tau)), want)
	}
}

// TestLeastEdges: supports and priors at the edge give exact answers.
func TestLeastEdges(t *testing.T) {
	many, one := make([]int, 1000), make([]int64, 1000)
	for i := range many {
		many[i], one[i] = i, 1
	}
	all := make([][]int, 1000)
	for i := range all {
		all[i] = many
	}
	cases := []struct {
		name  string
		count []int64
		s     *mechanism.Support
		want  string
	}{
		{"one letter, one output", []int64{3}, allow(1, []int{0}), "1"},
		{"no records", []int64{0, 0}, allow(2, []int{0}, []int{1}), "1"},
		{"a thousand ties", one, allow(1000, all...), "1"},
		{"a letter without records does not count", []int64{1, 1, 0}, allow(3, []int{0}, []int{0, 1}, []int{2}), "1"},
		{"it does when it has one", []int64{1, 1, 1}, allow(3, []int{0}, []int{0, 1}, []int{2}), "3"},
		{"probability 1e-12", []int64{1, 1_000_000_000_000}, allow(2, []int{0}, []int{1}), "1000000000001"},
		{"equal columns", []int64{1, 2}, allow(4, []int{0, 1}, []int{2, 3}), "3"},
		{"equal rows", []int64{1, 2, 3, 4}, allow(3, []int{0, 1}, []int{0, 1}, []int{1, 2}, []int{1, 2}), "1"},
		{"the largest counts", []int64{1 << 61, 1<<61 - 1}, allow(2, []int{0}, []int{1}),
			"4611686018427387903/2305843009213693951"},
		{"a cycle of tiny letters", []int64{1, 1, 1, 1_000_000_000_000}, allow(4, []int{0, 1}, []int{1, 2}, []int{2, 3},
			[]int{3, 0}), "1000000000003/2"},
	}
	for _, c := range cases {
		p := mechtest.Prior(c.count...)
		m, got, err := Least(context.Background(), p, c.s, Options{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		checkBracket(t, c.name, p, c.s, m, got)
		if want := mechtest.Ratio(c.want); got.Upper.Cmp(want) != 0 || got.Lower.Cmp(want) != 0 {
			t.Errorf("%s: %s .. %s, want %s", c.name, got.Lower.RatString(), got.Upper.RatString(), c.want)
		}
	}
}

// TestLeastWithoutSolver: an ended context, and a support too large for the
// memory allowed, give a wide bracket that is proven all the same.
func TestLeastWithoutSolver(t *testing.T) {
	p := mechtest.Prior(4, 1, 2, 3)
	s := allow(4, []int{0, 1}, []int{1, 2}, []int{2, 3}, []int{3, 0})
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for _, c := range []struct {
		ctx context.Context
		opt Options
	}{{ended, Options{}}, {context.Background(), Options{Bytes: 1}}} {
		m, got, err := Least(c.ctx, p, s, c.opt)
		must(t, err)
		checkBracket(t, "no solver", p, s, m, got)
		if got.Lower.Cmp(got.Upper) >= 0 {
			t.Errorf("bracket %s .. %s closed without a solver", got.Lower.RatString(), got.Upper.RatString())
		}
	}
}

// TestLeastNear: a neighbour's mechanism and certificate that match are the
// answer; one outside the support, or for other letters, is not used.
func TestLeastNear(t *testing.T) {
	p := mechtest.Prior(60, 25, 15)
	s := allow(3, []int{0, 1}, []int{1, 2}, []int{0, 2})
	m, c, err := Least(context.Background(), p, s, Options{})
	must(t, err)
	again, d, err := Least(context.Background(), p, s, Options{Near: m, Weight: c.Weight})
	if err != nil || again != m || d.Lower.Cmp(c.Lower) != 0 {
		t.Errorf("the neighbour itself was not taken: %v", err)
	}
	narrow := allow(3, []int{0}, []int{1}, []int{2})
	other, d, err := Least(context.Background(), p, narrow, Options{Near: m, Weight: []int64{1}})
	must(t, err)
	checkBracket(t, "narrow", p, narrow, other, d)
}

// TestVerifyIsStrict: weights in proportion to the prior prove nothing, since
// the knapsack then equals sum W at every factor. A verifier that accepts
// equality would take any bound from them.
func TestVerifyIsStrict(t *testing.T) {
	p := mechtest.Prior(60, 25, 15)
	s := allow(3, []int{0, 1}, []int{1, 2}, []int{0, 2})
	c := Certificate{Weight: []int64{60, 25, 15}, Lower: big.NewRat(3, 2)}
	if c.Verify(p, s) == nil {
		t.Error("weights in proportion to the prior proved 3/2")
	}
	for _, weight := range [][]int64{{1, 2}, {1 << 62, 1, 0}, {-1, 1, 1}} {
		c := Certificate{Weight: weight, Lower: big.NewRat(1, 1)}
		if c.Verify(p, s) == nil {
			t.Errorf("weights %v accepted", weight)
		}
	}
	// The first output is worth as much as all weights from factor 2 on.
	c = Certificate{Weight: []int64{4, 4, 0}, Lower: big.NewRat(3, 1)}
	if c.Verify(mechtest.Prior(1, 4, 3), allow(2, []int{1}, []int{0}, []int{0})) == nil {
		t.Error("weights that prove 2 proved 3")
	}
	if (Certificate{Weight: []int64{1, 1}, Lower: big.NewRat(1, 1)}).Verify(mechtest.Prior(5, 0),
		allow(1, []int{0}, []int{0})) == nil {
		t.Error("weight on a letter without records accepted")
	}
}
