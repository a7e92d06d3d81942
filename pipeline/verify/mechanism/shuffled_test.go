package mechanism

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
	"github.com/tacet-privacy/tacet/pipeline/verify/files"
)

// TestMayBe: a value may be what its row has, and a null that stays a null.
func TestMayBe(t *testing.T) {
	to, err := files.NewLetters(files.Type{Kind: files.Text}, []files.Label{{Text: "a"}, {Text: "b"}, {Null: true}})
	if err != nil {
		t.Fatal(err)
	}
	v := document.NewView(&document.Report{})
	v.Rows = []exact.Row{{Output: []int32{1}}}
	for pair, want := range map[[2]int32]bool{{0, 1}: true, {0, 0}: false, {0, 2}: false, {0, files.Null}: false,
		{0, files.Stranger}: false, {files.Null, files.Null}: true, {files.Null, 2}: true, {files.Null, 0}: false,
		{files.Stranger, files.Null}: false, {files.Stranger, 1}: false} {
		if got := mayBe(v, pair[0], pair[1], to); got != want {
			t.Errorf("input %d may be output %d: %v", pair[0], pair[1], got)
		}
	}
}

// TestMatch compares the rows that are given an allowed output with the most of all orders
// of small groups, and holds the outputs to be the same ones.
func TestMatch(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	outputs := []files.Label{{Text: "a"}, {Text: "b"}, {Text: "c"}, {Text: "d"}}
	to, err := files.NewLetters(files.Type{Kind: files.Text}, outputs)
	if err != nil {
		t.Fatal(err)
	}
	rerouted := 0
	for range 3000 {
		v := document.NewView(&document.Report{})
		for range 4 {
			var row exact.Row
			for y := range int32(4) {
				if r.IntN(2) == 0 {
					row.Output = append(row.Output, y)
				}
			}
			v.Rows = append(v.Rows, row)
		}
		in, out := make([]int32, 2+r.IntN(5)), []int32(nil)
		for i := range in {
			in[i] = int32(r.IntN(5)) - 1
			out = append(out, int32(r.IntN(5))-1)
		}
		allowed := func(out []int32) (n int) {
			for i, y := range out {
				if mayBe(v, in[i], y, to) {
					n++
				}
			}
			return n
		}
		most := 0
		var all func(k int, out []int32)
		all = func(k int, out []int32) {
			if k == len(out) {
				most = max(most, allowed(out))
				return
			}
			for i := k; i < len(out); i++ {
				out[k], out[i] = out[i], out[k]
				all(k+1, out)
				out[k], out[i] = out[i], out[k]
			}
		}
		all(0, slices.Clone(out))
		got, left := slices.Clone(out), flowSteps
		if !match(v, in, got, to, &left) || allowed(got) != most {
			t.Fatalf("%d of %d rows have an allowed output, %d can: %v, %v", allowed(got), len(in), most, in, out)
		}
		if !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(out))) {
			t.Fatalf("%v is no order of %v", got, out)
		}
		if most > allowed(out) {
			rerouted++
		}
	}
	if rerouted < 500 {
		t.Errorf("only %d groups had to be ordered", rerouted)
	}
	left := 1
	if match(document.NewView(&document.Report{}), []int32{-1, -2}, []int32{-1, -2}, to, &left) {
		t.Error("no bound on the steps")
	}
}
