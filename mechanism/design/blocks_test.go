package design

import (
	"context"
	"errors"
	"math/big"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/mechtest"
)

// grown is a random tree of uneven depth: the path of every leaf, and the order of
// its leaves by height of the lowest common ancestor, as of a taxonomy.
func grown(rng *rand.Rand) (paths [][]int, value [][]float64) {
	node := 0
	var grow func(above []int, depth int) (height int)
	heights := map[int]int{}
	grow = func(above []int, depth int) int {
		path := append(append([]int{}, above...), node)
		at := node
		node++
		if depth == 0 || len(above) > 1 && rng.IntN(3) == 0 {
			paths = append(paths, path)
			return 0
		}
		most := 0
		for range 1 + rng.IntN(3) {
			most = max(most, grow(path, depth-1)+1)
		}
		heights[at] = most
		return most
	}
	grow(nil, 1+rng.IntN(4))
	for _, a := range paths {
		var row []float64
		for _, b := range paths {
			common := 0
			for common+1 < min(len(a), len(b)) && a[common+1] == b[common+1] {
				common++
			}
			row = append(row, -float64(heights[a[common]]))
		}
		value = append(value, row)
	}
	return paths, value
}

// TestBlocksOfTrees: at every floor of levels the design has at most the factor
// 1 / min P(G), and shift 0, and searched it takes the finest level within epsilon.
// The groups are found from the tree's own paths.
func TestBlocksOfTrees(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	finest, exact := 0, 0
	for range 400 {
		_, value := grown(rng)
		n := len(value)
		count, total := make([]int64, n), int64(0)
		stands := rng.Perm(n)
		for x := range count {
			count[x] = rng.Int64N(4) * rng.Int64N(40)
			total += count[x]
		}
		if total == 0 {
			count[0], total = 1, 1
		}
		// Outputs come in another order than letters.
		for x := range value {
			row := make([]float64, n)
			for y, k := range stands {
				row[y] = value[x][k]
			}
			value[x] = row
		}
		p, o := mechtest.Prior(count...), mechtest.Matrix(value)
		least := map[float64]*big.Rat{} // 1 / min P(G) by floor
		for h := 0.0; h >= -5; h-- {
			factor := big.NewRat(1, 1)
			for x := range value {
				group := int64(0)
				for y, v := range value[x] {
					if v >= h {
						group += count[stands[y]]
					}
				}
				if f := big.NewRat(total, max(group, 1)); group > 0 && f.Cmp(factor) > 0 {
					factor = f
				}
			}
			least[h] = factor
			floor := mechanism.ValueFloor(h)
			m, e := mustDesign(t, p, o, Goal{Epsilon: mechanism.LogOf(factor), Floor: &floor, Kind: "blocks", Stands: stands})
			if e.WorstValue == h && e.Factor.Cmp(factor) != 0 || e.Lower.Cmp(e.Factor) != 0 {
				t.Fatalf("floor %v: factor %v between %v and %v, 1 / min P(G) is %v", h, e.Factor, e.Lower, e.Upper, factor)
			}
			if d := m.Shares(p, stands).Shift; d.Sign() != 0 {
				t.Fatalf("floor %v of %v: shift %v", h, value, d)
			}
			var far *UnreachableError
			below := new(big.Rat).Mul(factor, big.NewRat(999, 1000))
			below.Add(below, big.NewRat(1, 1000))
			_, _, err := Make(context.Background(), p, o, Goal{Epsilon: mechanism.LogOf(below), Floor: &floor, Kind: "blocks",
				Stands: stands})
			if e.WorstValue == h && factor.Cmp(oneOf) > 0 && !errors.As(err, &far) {
				t.Fatalf("floor %v below the factor %v: error %v", h, factor, err)
			}
		}
		e := mechanism.LogOf(big.NewRat(1+rng.Int64N(30), 1))
		_, found := mustDesign(t, p, o, Goal{Epsilon: e, ByValue: true, Kind: "blocks", Stands: stands})
		for h := 0.0; h >= -5; h-- {
			if e.Admits(least[h]) {
				if found.WorstValue < h {
					t.Fatalf("level %v is within %v, and %v was found", h, e, found.WorstValue)
				}
				finest++
				// A limit of 0 for the shift is kept at the finest level, too.
				m, all := mustDesign(t, p, o, Goal{Epsilon: e, ByValue: true, MaxShift: new(big.Rat), Stands: stands})
				if all.WorstValue < h || m.Shares(p, stands).Shift.Sign() != 0 {
					t.Fatalf("level %v keeps all shares within %v, and %v was found", h, e, all.WorstValue)
				}
				exact++
				break
			}
		}
	}
	if exact < 300 {
		t.Errorf("only %d limits of 0 were kept at the finest level", exact)
	}
	if finest < 300 {
		t.Errorf("only %d trees have a level within epsilon", finest)
	}
}

// A limit of the shift that no search had the time to keep is kept by blocks.
func TestBlocksNeedNoTime(t *testing.T) {
	late, cancel := context.WithDeadline(context.Background(), time.Now().Add(-time.Second))
	defer cancel()
	p := mechtest.Prior(6, 2, 1, 4)
	o := mechtest.Matrix([][]float64{{0, -1, -2, -2}, {-1, 0, -2, -2}, {-2, -2, 0, -1}, {-2, -2, -1, 0}})
	m, e, err := Make(late, p, o, Goal{Epsilon: mechtest.Epsilon("log(3)"), ByValue: true, MaxShift: new(big.Rat),
		Stands: []int{0, 1, 2, 3}})
	if err != nil || e.Kind != "blocks" || e.WorstValue != -1 || m.Shares(p, []int{0, 1, 2, 3}).Shift.Sign() != 0 {
		t.Errorf("%s at %v: %v", e.Kind, e.WorstValue, err)
	}
}
