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
	r.plan["design_sha256"] = r.designSum()
	at(r.report, "plan")["design_sha256"] = r.plan["design_sha256"]
	data = change(data)
	delete(r.law(), "rows")
	r.law()["weights_sha256"] = hexSum(data)
	must(t, os.WriteFile(r.path("plan.weights"), data, 0o600))
	r.save(t, true)
}

// apart is a row whose weights stand beside the plan, and are changed there, before or
// after that.
func apart(name, base, want string, before func(*testing.T, *release), change func([]byte) []byte,
	after func(*testing.T, *release)) alteration {
	return alteration{name: "weights apart: " + name, base: base, want: want, raw: true,
		do: func(t *testing.T, r *release) {
			if before != nil {
				before(t, r)
			}
			r.setApart(t, func(b []byte) []byte {
				if change != nil {
					return change(slices.Clone(b))
				}
				return b
			})
			if after != nil {
				after(t, r)
			}
		}}
}

// ofWeights change rows that stand beside the plan.
var ofWeights = []alteration{
	apart("cut short", "weights", "row sums", nil, func(b []byte) []byte { return b[:len(b)-1] }, nil),
	apart("empty", "weights", "row sums", nil, func([]byte) []byte { return nil }, nil),
	apart("a byte more", "weights", "row sums", nil, func(b []byte) []byte { return append(b, 1) }, nil),
	apart("more outputs than there are", "weights", "row sums", nil, func(b []byte) []byte { b[8] = 9; return b }, nil),
	apart("a weight changed", "weights", "told again", nil, func(b []byte) []byte { b[10] ^= 1; return b }, nil),
	apart("rows in the plan, too", "weights", "row sums", nil, nil, func(t *testing.T, r *release) {
		r.law()["rows"] = []any{map[string]any{"input": "a", "total": "1", "outputs": []any{[]any{"a", "1"}}}}
		r.save(t, true)
	}),
	apart("another file than the plan's", "weights", "row sums", nil, nil, func(t *testing.T, r *release) {
		r.law()["weights_sha256"] = hexSum(nil)
		r.save(t, true)
	}),
	apart("a file that the plan does not name", "weights", "stated weights", nil, nil, func(t *testing.T, r *release) {
		delete(r.law(), "weights_sha256")
		r.save(t, true)
	}),
}
