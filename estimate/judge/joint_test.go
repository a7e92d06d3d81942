package judge

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
)

// response keeps a bit with chance 3/4.
func response(t *testing.T) *mechanism.Mechanism {
	t.Helper()
	m, err := mechanism.New(2, []mechanism.Row{mechanism.WeightedRow([]uint16{0, 1}, []int64{3, 1}),
		mechanism.WeightedRow([]uint16{0, 1}, []int64{1, 3})})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func pairCell(count int64, letter ...int32) Cell { return Cell{letter, count} }

func TestJoint(t *testing.T) {
	c, r := circulant(t, 3, 2), response(t)
	for name, k := range map[string]struct {
		m     []*mechanism.Mechanism
		cells []Cell
		want  *big.Rat
	}{
		// Equal columns are two draws of one letter: 3, not (3/2)^2.
		"equal": {[]*mechanism.Mechanism{c, c}, []Cell{pairCell(1, 0, 0), pairCell(1, 1, 1), pairCell(1, 2, 2)},
			big.NewRat(3, 1)},
		"independent": {[]*mechanism.Mechanism{c, c}, []Cell{pairCell(1, 0, 0), pairCell(1, 0, 1), pairCell(1, 0, 2),
			pairCell(1, 1, 0),
			pairCell(1, 1, 1), pairCell(1, 1, 2),
			pairCell(1, 2, 0), pairCell(1, 2, 1), pairCell(1, 2, 2)}, big.NewRat(9, 4)},
		// The third bit is the exclusive or of two: pairs are independent, all three are not.
		"pair of exclusive or": {[]*mechanism.Mechanism{r, r}, []Cell{pairCell(1, 0, 0), pairCell(1, 0, 1), pairCell(1, 1, 0),
			pairCell(1, 1, 1)}, big.NewRat(9, 4)},
		"exclusive or": {[]*mechanism.Mechanism{r, r, r},
			[]Cell{pairCell(1, 0, 0, 0), pairCell(1, 0, 1, 1), pairCell(1, 1, 0, 1), pairCell(1, 1, 1, 0)}, big.NewRat(3, 1)},
		"one column": {[]*mechanism.Mechanism{c}, []Cell{pairCell(1, 0), pairCell(1, 1), pairCell(1, 2)},
			big.NewRat(3, 2)},
		"no record": {[]*mechanism.Mechanism{c}, nil, big.NewRat(1, 1)},
	} {
		if j := NewJoint(k.m, k.cells); !j.Exact || j.Factor.Cmp(k.want) != 0 {
			t.Errorf("%s: %v, want %v", name, j.Factor, k.want)
		}
	}
	j := NewJoint([]*mechanism.Mechanism{c, c}, []Cell{pairCell(5, 0, 0), pairCell(4, 1, 1), pairCell(1, 2, 2)})
	if top := j.Explain([]*mechanism.Mechanism{c, c}, []Cell{pairCell(5, 0, 0), pairCell(4, 1, 1), pairCell(1, 2, 2)},
		1); j.Factor.Cmp(big.NewRat(10, 1)) != 0 || len(top) != 1 || top[0].Letter[0] != 2 ||
		top[0].Factor.Cmp(j.Factor) != 0 {
		t.Errorf("%+v explained by %v", j, top)
	}
}

// The joint leakage of random tables equals that of one mechanism over the
// pairs, and where it is too large to compute, the bound is above it.
func TestJointIsThatOfPairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 8))
	for range 300 {
		a, b := 2+rng.IntN(3), 2+rng.IntN(4)
		m := []*mechanism.Mechanism{circulant(t, a, 1+rng.IntN(a)), circulant(t, b, 1+rng.IntN(b))}
		var cells []Cell
		var count []int64
		var rows []mechanism.Row
		least, n := int64(1<<60), int64(0)
		for x := range a {
			for z := range b {
				k := 1 + rng.Int64N(9)
				cells, count = append(cells, pairCell(k, int32(x), int32(z))), append(count, k)
				least, n = min(least, k), n+k
				var out []uint16
				for _, y := range m[0].Row(x).Output {
					for _, v := range m[1].Row(z).Output {
						out = append(out, y*uint16(b)+v)
					}
				}
				rows = append(rows, mechanism.UniformRow(out))
			}
		}
		p, err := mechanism.NewPrior(count)
		if err != nil {
			t.Fatal(err)
		}
		pairs, err := mechanism.New(a*b, rows)
		if err != nil {
			t.Fatal(err)
		}
		_, want := pairs.Leakage(p).Max()
		j := NewJoint(m, cells)
		if j.Factor.Cmp(want) != 0 || big.NewRat(n, least).Cmp(want) < 0 {
			t.Fatalf("%v, want %v", j.Factor, want)
		}
	}
	ties := circulant(t, 20, 1)
	var diagonal []Cell
	for x := range int32(20) {
		for z := range int32(20) {
			diagonal = append(diagonal, pairCell(1, x, z))
		}
	}
	if j := NewJoint([]*mechanism.Mechanism{ties, ties}, diagonal); !j.Exact || j.Factor.Cmp(big.NewRat(400, 1)) != 0 {
		t.Errorf("%v with 400 equal combinations", j.Factor)
	}
	wide := circulant(t, 5000, 2)
	if j := NewJoint([]*mechanism.Mechanism{wide, wide}, []Cell{pairCell(3, 0, 0), pairCell(1, 1, 1)}); j.Exact ||
		j.Factor.Cmp(big.NewRat(4, 1)) != 0 {
		t.Errorf("%+v beyond the limit", j)
	}
}

// circulant lets letter x become one of the next k of n letters.
func circulant(t *testing.T, n, k int) *mechanism.Mechanism {
	t.Helper()
	row := make([]mechanism.Row, n)
	for x := range row {
		var out []uint16
		for y := range n {
			if (y-x+n)%n < k {
				out = append(out, uint16(y))
			}
		}
		row[x] = mechanism.UniformRow(out)
	}
	m, err := mechanism.New(n, row)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
