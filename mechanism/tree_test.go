package mechanism_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
)

// randomTree has inputs at the leaves and inside, outputs that are letters and some
// that are not, and the paths that it was made of.
func randomTree(rng *rand.Rand) (t *mechanism.Tree, naive *mechanism.Matrix) {
	level, above := []int32{int32(2 + rng.IntN(4))}, []int32{-1}
	for len(level) < 2+rng.IntN(12) {
		p := int32(rng.IntN(len(level)))
		if level[p] > 0 {
			level, above = append(level, int32(rng.IntN(int(level[p])))), append(above, p)
		}
	}
	path := func() (nodes []int32) {
		for n := int32(rng.IntN(len(level))); n >= 0; n = above[n] {
			nodes = append(nodes, n)
		}
		slices.Reverse(nodes)
		return nodes
	}
	var in, out [][]int32
	var self []int32
	for range 1 + rng.IntN(12) {
		in, self = append(in, path()), append(self, -1)
	}
	for x := range in {
		if rng.IntN(4) > 0 {
			self[x] = int32(len(out))
			out = append(out, in[x])
		}
	}
	for len(out) == 0 || rng.IntN(3) == 0 {
		out = append(out, path())
	}
	value := make([][]float64, len(in))
	for x, a := range in {
		value[x] = make([]float64, len(out))
		for y, b := range out {
			i := 0
			for i+1 < len(a) && i+1 < len(b) && a[i+1] == b[i+1] {
				i++
			}
			value[x][y] = 0 - float64(level[a[i]])
		}
		if self[x] >= 0 {
			value[x][self[x]] = 0
		}
	}
	naive, err := mechanism.NewMatrix(value)
	if err != nil {
		panic(err)
	}
	return mechanism.NewTree(in, out, level, self), naive
}

// TestTree: a tree says what the table of its utilities says, of rows, of supports,
// of the worst and the mean of mechanisms, and of ties.
func TestTree(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 8))
	for range 1000 {
		tree, table := randomTree(rng)
		n, m := tree.Inputs(), tree.Outputs()
		rank, value := make([]uint16, m), make([]float64, m)
		wantRank, want := make([]uint16, m), make([]float64, m)
		tied, low, bestLow, best := 0, math.Inf(1), math.Inf(-1), math.Inf(1)
		for x := range n {
			tree.Row(x, rank, value)
			table.Row(x, wantRank, want)
			if !slices.Equal(rank, wantRank) || !slices.Equal(value, want) {
				t.Fatalf("row %d is %v %v, want %v %v", x, rank, value, wantRank, want)
			}
			slices.Sort(want)
			if len(slices.Compact(slices.Clone(want))) < m {
				tied++
			}
			low, bestLow, best = min(low, want[0]), max(bestLow, want[0]), min(best, want[m-1])
			if tree.Best(x) != want[m-1] {
				t.Fatalf("the best of row %d is %v, not %v", x, tree.Best(x), want[m-1])
			}
		}
		s := tree.Survey()
		if s.Tied != tied || s.Values[len(s.Values)-1] != low || s.BestLow != bestLow || s.Best != best {
			t.Fatalf("survey %+v, want %d ties, least %v, highest least %v, best %v", s, tied, low, bestLow, best)
		}
		count := make([]int64, n)
		for x := range count {
			count[x] = rng.Int64N(3) * rng.Int64N(20)
		}
		p, err := mechanism.NewPrior(count)
		if err != nil {
			t.Fatal(err)
		}
		for tau := 1.0; tau >= -6; tau-- {
			f := mechanism.ValueFloor(tau)
			a, b := mechanism.SupportOf(tree, f), mechanism.SupportOf(table, f)
			if a.Parts() == nil || b.Parts() != nil {
				t.Fatal("the support of a tree is not of parts, or that of a table is")
			}
			if a.Empty() != b.Empty() || !slices.Equal(a.Mass(p), b.Mass(p)) {
				t.Fatalf("floor %v: empty %d and %d, masses %v and %v", tau, a.Empty(), b.Empty(), a.Mass(p), b.Mass(p))
			}
			for x := range n {
				if !slices.Equal(a.AppendRow(nil, x), b.AppendRow(nil, x)) || a.Size(x) != b.Size(x) {
					t.Fatalf("floor %v: row %d is %v, want %v", tau, x, a.AppendRow(nil, x), b.AppendRow(nil, x))
				}
				for y := range m {
					if a.Allowed(x, y) != b.Allowed(x, y) {
						t.Fatalf("floor %v: cell %d %d", tau, x, y)
					}
				}
			}
			if a.Empty() >= 0 {
				continue
			}
			like(t, p, tree, table, must(mechanism.Uniform(a, f))(t), must(mechanism.Uniform(b, f))(t))
		}
	}
}

func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// like holds the figures of shared rows under a tree to those of rows of their own
// under a table.
func like(t *testing.T, p mechanism.Prior, tree *mechanism.Tree, table *mechanism.Matrix, a, b *mechanism.Mechanism) {
	t.Helper()
	near := func(what string, v, w float64) {
		if !(math.Abs(v-w) <= 1e-12*(1+math.Abs(w))) {
			t.Fatalf("%s: %v, want %v", what, v, w)
		}
	}
	ra, va := a.Floor(tree)
	rb, vb := b.Floor(table)
	if ra != rb || va != vb {
		t.Fatalf("floor: rank %d value %v, want %d and %v", ra, va, rb, vb)
	}
	near("utility", a.ExpectedUtility(p, tree), b.ExpectedUtility(p, table))
	near("information", a.MutualInformation(p), b.MutualInformation(p))
	before, after := a.BayesVulnerability(p)
	was, is := b.BayesVulnerability(p)
	near("best guess", before, was)
	near("best guess after", after, is)
	la, lb := a.Leakage(p), b.Leakage(p)
	for y := range la.Output {
		if (la.Output[y] == nil) != (lb.Output[y] == nil) || la.Output[y] != nil && la.Output[y].Cmp(lb.Output[y]) != 0 {
			t.Fatalf("output %d leaks %v, want %v", y, la.Output[y], lb.Output[y])
		}
	}
	if v, w := a.Beliefs(p), b.Beliefs(p); !slices.Equal(v, w) {
		t.Fatalf("beliefs %v, want %v", v, w)
	}
}

// TestSplit: the parts of a floor keep it, are groups of the floor or lie within one,
// leak no more than the factor where the floor itself does not, and are no less useful
// than its groups. Where every letter is common enough alone, nothing but the letter
// is left.
func TestSplit(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 21))
	parted, alone := 0, 0
	for range 1000 {
		tree, table := randomTree(rng)
		count := make([]int64, tree.Inputs())
		for x := range count {
			count[x] = rng.Int64N(4) * rng.Int64N(20)
		}
		p := must(mechanism.NewPrior(count))(t)
		if p.Total() == 0 {
			continue
		}
		prior := []mechanism.Prior{p}
		if rng.IntN(3) == 0 {
			slices.Reverse(count)
			prior = append(prior, must(mechanism.NewPrior(count))(t))
		}
		stands := slices.Repeat([]int{-1}, tree.Outputs())
		for tau := 0.0; tau >= -6; tau-- {
			f := mechanism.ValueFloor(tau)
			s := mechanism.SupportOf(tree, f)
			if s.Empty() >= 0 {
				continue
			}
			whole := must(s.Parts().InProportion(p, stands))(t)
			least := whole.Factor(prior...)
			factor := new(big.Rat).Mul(least, big.NewRat(1+rng.Int64N(40), 1+rng.Int64N(10)))
			part := tree.Split(tau, factor, prior...)
			m := must(part.InProportion(p, stands))(t)
			if x, y, ok := m.Within(s); !ok {
				t.Fatalf("floor %v does not allow %d to become %d", tau, x, y)
			}
			if got := m.Factor(prior...); got.Cmp(factor) > 0 && got.Cmp(least) > 0 {
				t.Fatalf("floor %v: factor %v is above %v and %v", tau, got, factor, least)
			}
			if len(part.Set) > len(s.Parts().Set) {
				parted++
			}
			like(t, p, tree, table, m, must(mechanism.New(m.Outputs(), apart(m)))(t))
			for c, set := range part.Set {
				for _, y := range set {
					if part.Out[y] != int32(c) {
						t.Fatalf("output %d of part %d is said to be in part %d", y, c, part.Out[y])
					}
				}
			}
			all := new(big.Rat).SetInt64(p.Total())
			if own := tree.Split(tau, all, p); len(own.Set) == tree.Inputs() {
				alone++
			}
		}
	}
	if parted < 200 || alone < 20 {
		t.Errorf("%d floors were parted, %d down to letters", parted, alone)
	}
}

// TestApart: one more letter is itself at 0, one level above the root with all others, and
// changes nothing between these; groups and parts are those of the table of such an order.
func TestApart(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 22))
	for range 300 {
		tree, table := randomTree(rng)
		n, m := tree.Inputs(), tree.Outputs()
		lowest := 0.0
		value := make([][]float64, n+1)
		for x := range n {
			value[x] = make([]float64, m+1)
			table.Row(x, nil, value[x][:m])
		}
		for lowest = 0; !tree.Reaches(lowest); lowest-- {
		}
		value[n] = slices.Repeat([]float64{lowest - 1}, m+1)
		for x := range n {
			value[x][m] = lowest - 1
		}
		value[n][m] = 0
		want := must(mechanism.NewMatrix(value))(t)
		got, row := tree.Apart(), make([]float64, m+1)
		for x := range n + 1 {
			if got.Row(x, nil, row); !slices.Equal(row, value[x]) {
				t.Fatalf("row %d is %v, not %v", x, row, value[x])
			}
		}
		for tau := 0.0; tau >= lowest-1; tau-- {
			f := mechanism.ValueFloor(tau)
			a, b := mechanism.SupportOf(got, f), mechanism.SupportOf(want, f)
			for x := range n + 1 {
				if !slices.Equal(a.AppendRow(nil, x), b.AppendRow(nil, x)) {
					t.Fatalf("floor %v allows letter %d %v, not %v", tau, x, a.AppendRow(nil, x), b.AppendRow(nil, x))
				}
			}
		}
	}
}

// apart are the rows of a mechanism, each its own.
func apart(m *mechanism.Mechanism) []mechanism.Row {
	row := make([]mechanism.Row, m.Inputs())
	for x := range row {
		r := m.Row(x)
		row[x] = mechanism.Row{Output: slices.Clone(r.Output), Weight: slices.Clone(r.Weight), Total: r.Total}
	}
	return row
}
