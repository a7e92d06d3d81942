package verify_test

import (
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"
)

// setApart puts the rows of the plan into a file of their own, as plans have them with
// millions of weights. The documents are hashed and stated anew.
func (r *release) setApart(t *testing.T, change func([]byte) []byte) {
	t.Helper()
	place := map[string]int{}
	for y, l := range r.plan["outputs"].([]any) {
		place[fmt.Sprint(l)] = y
	}
	data := []byte("tacetw1\n")
	for x := range r.plan["inputs"].([]any) {
		cells, last := r.cellsOf(x), -1
		data = binary.AppendUvarint(data, uint64(len(cells)))
		for _, c := range cells {
			pair := c.([]any)
			y := place[fmt.Sprint(pair[0])]
			w, err := strconv.ParseUint(pair[1].(string), 10, 64)
			must(t, err)
			data, last = binary.AppendUvarint(binary.AppendUvarint(data, uint64(y-last)), w), y
		}
	}
	r.redesign()
	data = change(data)
	delete(r.law(), "rows")
	r.law()["weights_sha256"] = hexSum(data)
	must(t, os.WriteFile(r.path("plan.weights"), data, 0o600))
	r.save(t, true)
}

// apart changes the weights that stand beside a plan.
func apart(change func([]byte) []byte) change {
	return func(t *testing.T, r *release) {
		r.setApart(t, func(b []byte) []byte { return change(slices.Clone(b)) })
	}
}

// claimed says otherwise in the plan what stands beside it.
func claimed(member string, value any) change {
	return each(apart(slices.Clone), put("plan.mechanisms[0]."+member, value), hashed)
}

// ofWeights change rows that stand beside the plan.
var ofWeights = of(asItLies, []row{
	{"weights", "weights apart: cut short", "row sums", apart(func(b []byte) []byte { return b[:len(b)-1] })},
	{"weights", "weights apart: empty", "row sums", apart(func([]byte) []byte { return nil })},
	{"weights", "weights apart: a byte more", "row sums", apart(func(b []byte) []byte { return append(b, 1) })},
	{"weights", "weights apart: more outputs than there are", "row sums",
		apart(func(b []byte) []byte { b[8] = 9; return b })},
	{"weights", "weights apart: a weight changed", "told again", apart(func(b []byte) []byte { b[10] ^= 1; return b })},
	{"weights", "weights apart: rows in the plan, too", "row sums", claimed("rows",
		[]any{map[string]any{"input": "a", "total": "1", "outputs": []any{[]any{"a", "1"}}}})},
	{"weights", "weights apart: another file than the plan's", "row sums", claimed("weights_sha256", hexSum(nil))},
	{"weights", "weights apart: a file that the plan does not name", "stated weights", claimed("weights_sha256", gone{})},
})
