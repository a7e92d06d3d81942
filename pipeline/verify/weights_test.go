package verify

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline/verify/files"
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
	r.plan["design_sha256"] = r.designSum(t)
	at(r.report, "plan")["design_sha256"] = r.plan["design_sha256"]
	data = change(data)
	delete(r.law(), "rows")
	r.law()["weights_sha256"] = files.Hex(data)
	must(t, os.WriteFile(r.path(files.WeightsFile), data, 0o600))
	r.save(t, true)
}

// TestWeightsApart: a plan whose rows lie beside it passes, and no change of these does,
// even where every hash fits.
func TestWeightsApart(t *testing.T) {
	same := func(b []byte) []byte { return b }
	base := map[string]*release{"weights": jobs["weights"].make(t), "floor fixed": jobs["floor fixed"].make(t)}
	copied := func(t *testing.T, of string) *release {
		return base[of].copyTo(t, filepath.Join(t.TempDir(), "copy"))
	}
	t.Run("untouched", func(t *testing.T) {
		r := copied(t, "weights")
		r.setApart(t, same)
		passes(t, r.request(), nil)
		counts := filepath.Join(t.TempDir(), "counts.csv")
		must(t, writeText(counts, "label,count\na,16\nb,8\nc,4\nd,2\ne,1\n"))
		e, err := EdgeOf(r.path("plan.json"), "", counts)
		must(t, err)
		if want := at(r.plan, "epsilon")["factor"]; e.Factor.RatString() != want {
			t.Errorf("its own factor is %s, want %s", e.Factor.RatString(), want)
		}
	})
	for _, f := range []struct {
		name, want, of string
		before         func(*testing.T, *release)
		change         func([]byte) []byte
		after          func(*testing.T, *release)
	}{
		{name: "cut short", want: "row sums", change: func(b []byte) []byte { return b[:len(b)-1] }},
		{name: "empty", want: "row sums", change: func([]byte) []byte { return nil }},
		{name: "a byte more", want: "row sums", change: func(b []byte) []byte { return append(b, 1) }},
		{name: "another mark", want: "row sums",
			change: func(b []byte) []byte { return bytes.Replace(b, []byte("w1"), []byte("w2"), 1) }},
		{name: "an output twice", want: "row sums", change: func(b []byte) []byte { b[9] = 0; return b }},
		{name: "more outputs than there are", want: "row sums", change: func(b []byte) []byte { b[8] = 9; return b }},
		{name: "a weight changed", want: "design hash", change: func(b []byte) []byte { b[10] ^= 1; return b }},
		{name: "a weight changed, and the design's hash", want: "factors", before: func(_ *testing.T, r *release) {
			a, b := r.cellsOf(0)[0].([]any), r.cellsOf(0)[1].([]any)
			a[1], b[1] = b[1], a[1]
		}},
		{name: "a forbidden output", of: "floor fixed", want: "support", before: func(_ *testing.T, r *release) {
			r.setCells(0, [2]any{"a", int64(1)}, [2]any{"e", int64(1)})
		}},
		{name: "rows swapped", of: "floor fixed", want: "support", before: func(_ *testing.T, r *release) {
			a, b := r.rowOf(0), r.rowOf(4)
			a["outputs"], b["outputs"] = b["outputs"], a["outputs"]
		}},
		{name: "rows in the plan, too", want: "row sums", after: func(t *testing.T, r *release) {
			r.law()["rows"] = []any{map[string]any{"input": "a", "total": "1", "outputs": []any{[]any{"a", "1"}}}}
			r.save(t, true)
		}},
		{name: "another file than the plan's", want: "row sums", after: func(t *testing.T, r *release) {
			r.law()["weights_sha256"] = files.Hex(nil)
			r.save(t, true)
		}},
		{name: "a file that the plan does not name", want: "stated weights", after: func(t *testing.T, r *release) {
			delete(r.law(), "weights_sha256")
			r.save(t, true)
		}},
		{name: "no file", want: `"plan.weights cannot be read"`, after: func(t *testing.T, r *release) {
			must(t, os.Remove(r.path(files.WeightsFile)))
			restate(t, r.path(""))
		}},
	} {
		t.Run(f.name, func(t *testing.T) {
			if f.of == "" {
				f.of = "weights"
			}
			r := copied(t, f.of)
			if f.before != nil {
				f.before(t, r)
			}
			if f.change == nil {
				f.change = same
			}
			r.setApart(t, func(b []byte) []byte { return f.change(slices.Clone(b)) })
			if f.after != nil {
				f.after(t, r)
			}
			r.refused(t, f.want)
		})
	}
}
