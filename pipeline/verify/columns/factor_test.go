package columns

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
)

// TestJointFactor compares the search with every combination of outputs
// written out in fractions, on 1,000 random tables of two or three columns.
// Large totals take the way over floats.
func TestJointFactor(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 5))
	floats, alike := 0, 0
	for trial := range 1000 {
		var rows [][]exact.Row
		size := 1 << 4
		if trial%2 == 1 {
			size = 1 << 40
		}
		for range 2 + rng.IntN(2) {
			outputs := 1 + rng.IntN(3)
			var column []exact.Row
			for range 1 + rng.IntN(3) {
				r := exact.Row{}
				for y := range outputs {
					if w := rng.IntN(size); w%3 > 0 || y == 0 {
						r.Output, r.Weight = append(r.Output, int32(y)), append(r.Weight, int64(w+1))
						r.Total += int64(w + 1)
					}
				}
				column = append(column, r)
			}
			if rng.IntN(2) == 0 { // a letter drawn as another is, and an output that is a multiple of another
				column = append(column, column[0])
				for x, r := range column {
					if y, w := int32(outputs), 3*r.Weight[0]; outputs < 3 {
						column[x] = exact.Row{Output: append(slices.Clone(r.Output), y), Weight: append(slices.Clone(r.Weight), w),
							Total: r.Total + w}
						alike++
					}
				}
			}
			rows = append(rows, column)
		}
		var list []combination
		letters(rows, nil, func(x []int32) {
			if rng.IntN(3) > 0 {
				list = append(list, combination{letter: append([]int32{}, x...), count: 1 + rng.Int64N(9)})
			}
		})
		if len(list) == 0 {
			continue
		}
		if size > 16 {
			floats++
		}
		got, output := jointFactor(rows, list)
		want := new(big.Rat)
		outputs(rows, nil, func(y []int32) {
			if f := chanceOf(rows, list, y, nil); f.Cmp(want) > 0 {
				want = f
			}
		})
		if got == nil || got.Cmp(want) != 0 || chanceOf(rows, list, output, nil).Cmp(want) != 0 {
			t.Fatalf("trial %d: %v at %v, want %v", trial, got, output, want)
		}
	}
	if floats < 300 {
		t.Errorf("only %d tables had large totals", floats)
	}
	if alike < 300 {
		t.Errorf("only %d letters have an output that is a multiple of another", alike)
	}
}

// letters visits the combinations of letters.
func letters(rows [][]exact.Row, so []int32, f func([]int32)) {
	if len(so) == len(rows) {
		f(so)
		return
	}
	for x := range rows[len(so)] {
		letters(rows, append(so, int32(x)), f)
	}
}

// outputs visits the combinations of three outputs a column, some of which
// none gives.
func outputs(rows [][]exact.Row, so []int32, f func([]int32)) {
	if len(so) == len(rows) {
		f(so)
		return
	}
	for y := range int32(3) {
		outputs(rows, append(so, y), f)
	}
}

// TestChanceOf is written out by hand: two columns, each of which keeps its bit
// with chance 3/4, and three records.
func TestChanceOf(t *testing.T) {
	bit := []exact.Row{{Output: []int32{0, 1}, Weight: []int64{3, 1}, Total: 4},
		{Output: []int32{0, 1}, Weight: []int64{1, 3}, Total: 4}}
	list := []combination{{letter: []int32{0, 0}, count: 2}, {letter: []int32{1, 1}, count: 1}}
	// (0,0) gives (0,0) with 9/16, (1,1) with 1/16: 3 (9/16) / (2 9/16 + 1/16).
	if f := chanceOf([][]exact.Row{bit, bit}, list, []int32{0, 0}, nil); f.Cmp(big.NewRat(27, 19)) != 0 {
		t.Errorf("%v, want 27/19", f)
	}
	if f := chanceOf([][]exact.Row{bit, bit}, list, []int32{0, 0}, []int32{1, 1}); f.Cmp(big.NewRat(3, 19)) != 0 {
		t.Errorf("%v, want 3/19", f)
	}
	if f, y := jointFactor([][]exact.Row{bit, bit}, list); f.Cmp(big.NewRat(27, 11)) != 0 || y[0] != 1 || y[1] != 1 {
		t.Errorf("%v at %v, want 27/11 at 1, 1", f, y)
	}
}

// TestMerge is written out by hand: letters 0 and 2 are drawn alike, and output 2 is twice
// as likely as output 0 for all; output 1 is, for letter 1 alone.
func TestMerge(t *testing.T) {
	rows := []exact.Row{{Output: []int32{0, 1, 2}, Weight: []int64{1, 5, 2}, Total: 8},
		{Output: []int32{0, 1, 2}, Weight: []int64{3, 6, 6}, Total: 15},
		{Output: []int32{0, 1, 2}, Weight: []int64{1, 5, 2}, Total: 8}}
	list := []combination{{letter: []int32{0}, count: 2}, {letter: []int32{1}, count: 3}, {letter: []int32{2}, count: 4}}
	few, merged := merge([][]exact.Row{rows}, list)
	if len(merged) != 2 || merged[0].count+merged[1].count != 9 || max(merged[0].count, merged[1].count) != 6 {
		t.Errorf("records %+v, want 6 and 3", merged)
	}
	for _, r := range few[0] {
		if !slices.Equal(r.Output, []int32{0, 1}) {
			t.Errorf("outputs %v are left, want 0 and 1", r.Output)
		}
	}
}

// TestJudged: who states a bound where the factor is known, or none of those that a release
// may state, is found out.
func TestJudged(t *testing.T) {
	bit := []exact.Row{{Output: []int32{0, 1}, Weight: []int64{3, 1}, Total: 4},
		{Output: []int32{0, 1}, Weight: []int64{1, 3}, Total: 4}}
	list := []combination{{letter: []int32{0, 0}, count: 2}, {letter: []int32{1, 1}, count: 1}} // 27/11, at most 3
	for _, k := range []struct {
		beyond, rounds bool
		claim          *big.Rat
		exact, passes  bool
	}{
		{false, false, big.NewRat(27, 11), true, true},
		{false, false, big.NewRat(27, 11), false, false},
		{false, false, big.NewRat(3, 1), false, false},
		{false, false, big.NewRat(26, 11), true, false},
		{false, false, big.NewRat(28, 11), true, false},
		{true, false, big.NewRat(3, 1), false, true},
		{true, false, big.NewRat(27, 11), false, false},
		{true, false, big.NewRat(27, 11), true, true},
		{true, false, big.NewRat(31, 10), false, false},
		{false, true, big.NewRat(27_000_001, 11_000_000), false, true},
		{false, true, big.NewRat(26, 11), false, false},
		{false, true, big.NewRat(28, 11), false, false},
	} {
		g := &presentGroup{columns: []int{0, 1}, rows: [][]exact.Row{bit, bit}, list: list, records: 3, bound: big.NewRat(3, 1),
			beyond: k.beyond, rounds: k.rounds}
		known, w := judged(&jointClaim{factor: k.claim, exact: k.exact}, []*presentGroup{g}, once)
		if !known || (len(w) == 0) != k.passes {
			t.Errorf("%+v: known %v, faults %v", k, known, w)
		}
	}
}
