package judge

import (
	"math/big"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
)

// Ties of all combinations are exact, no record tells nothing, and where the joint leakage is
// too large to compute it is bounded by the rarest combination.
func TestJoint(t *testing.T) {
	ties, wide := circulant(t, 20, 1), circulant(t, 5000, 2)
	var all []Cell
	for x := range int32(400) {
		all = append(all, Cell{[]int32{x / 20, x % 20}, 1})
	}
	for name, k := range map[string]struct {
		m     *mechanism.Mechanism
		cells []Cell
		want  int64
		exact bool
	}{
		"no record": {ties, nil, 1, true},
		"ties":      {ties, all, 400, true},
		"too many":  {wide, []Cell{{[]int32{0, 0}, 3}, {[]int32{1, 1}, 1}}, 4, false},
	} {
		j := NewJoint([]*mechanism.Mechanism{k.m, k.m}, k.cells)
		if j.Exact != k.exact || j.Factor.Cmp(big.NewRat(k.want, 1)) != 0 {
			t.Errorf("%s: %+v, want %d", name, j, k.want)
		}
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
