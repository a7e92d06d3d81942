package verify_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/tacet-privacy/tacet/pipeline/verify"
	"github.com/tacet-privacy/tacet/test/torture"
)

// TestUntouched: every kind of release passes, in both formats, with and
// without the input.
func TestUntouched(t *testing.T) {
	withoutInput := []string{"input hash", "input file", "counts", "forbidden cells", "copied columns"}
	for name := range jobs {
		for _, inArrow := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s arrow=%v", name, inArrow), func(t *testing.T) {
				t.Parallel()
				of := name
				if inArrow {
					of = "arrow " + name
				}
				q := made(t, of).request(t)
				unhashed, empty := name == "no hash", name == "only nulls" || name == "no rows"
				passes(t, q, map[string]bool{"input hash": unhashed, "output hash": unhashed, "support": empty, "floor": empty,
					"fit": empty, "prior and scale": empty, "utility": empty})
				q.Input = ""
				got, err := verify.Run(t.Context(), q)
				must(t, err)
				if failed := got.Failed(); failed != nil {
					t.Errorf("without the input: %v", failed)
				}
				for _, c := range got.Checks {
					unmade := c.Outcome.String() == "not checked" && c.Detail == "no input"
					if slices.Contains(withoutInput, c.Name) != unmade && c.Name != "nulls" && c.Name != "neighbours in sample" {
						t.Errorf("without the input: %s: %v: %s", c.Name, c.Outcome, c.Detail)
					}
				}
			})
		}
	}
}

// passes wants every check to pass but those named, which cannot be made.
func passes(t *testing.T, q verify.Request, unchecked map[string]bool) {
	t.Helper()
	got, err := verify.Run(t.Context(), q)
	must(t, err)
	for _, c := range got.Checks {
		want := "passed"
		if unchecked[c.Name] {
			want = "not checked"
		}
		if c.Outcome.String() != want {
			t.Errorf("%s: %v, want %v: %s", c.Name, c.Outcome, want, c.Detail)
		}
	}
	if len(got.Checks) < 31 {
		t.Errorf("only %d checks were made", len(got.Checks))
	}
}

// TestDeclaredDomain: letters without records keep the floor.
func TestDeclaredDomain(t *testing.T) {
	for name, rows := range map[string]int{"records": 3000, "none": -1} {
		t.Run(name, func(t *testing.T) {
			j := job{rows: rows, order: ordered + ",f", domain: "a\nb\nc\nd\ne\nf\n",
				options: options{Epsilon: "1.5", Design: "optimal", AllowEmpty: rows < 0}}
			passes(t, j.make(t).request(t), map[string]bool{"fit": rows < 0})
		})
	}
}

// TestRowsLeftOut: the rows of a safe design are made from order and floor
// where the plan leaves them out.
func TestRowsLeftOut(t *testing.T) {
	r := copied(t, "safe")
	delete(r.law(), "rows")
	hash := r.plan["design_sha256"]
	r.save(t, true)
	retell(t, r.path(""))
	if r.plan["design_sha256"] != hash {
		t.Fatal("the design hash is another")
	}
	passes(t, r.request(t), nil)
}

// TestWeightsApart: a plan whose rows lie beside it passes.
func TestWeightsApart(t *testing.T) {
	r := copied(t, "weights")
	r.setApart(t, func(b []byte) []byte { return b })
	retell(t, r.path(""))
	passes(t, r.request(t), nil)
}

// TestOrderIsNoTable: where order.csv is the spec's own file, what needs the
// table is said not to be checked. A small order must be a table.
func TestOrderIsNoTable(t *testing.T) {
	var many []string
	for i := range 3200 {
		many = append(many, strconv.Itoa(1000+i))
	}
	r := job{typ: arrow.PrimitiveTypes.Int32, cell: many, rows: 6500, order: "prefix:1,2",
		options: options{Epsilon: "5", Design: "safe"}}.make(t)
	passes(t, r.request(t), map[string]bool{"order": true, "support": true, "floor": true, "utility": true,
		"certificate": true})
}

// TestNothingIsQuoted: no check and no refusal quotes a label or a cell.
func TestNothingIsQuoted(t *testing.T) {
	secret := []string{"Xerxes", "Yolanda", "Zacharias"}
	base := job{cell: secret, order: "ordered:" + strings.Join(secret, ","),
		options: options{Epsilon: "0.9"}}.make(t)
	for i, alter := range []change{
		asItLies,
		put("plan.counts[0]", "7"),
		put("plan.inputs[0]", "Xanthippe"),
		put("plan.outputs[0]", "Xanthippe"),
		put("report.outputs", []any{}),
		reordered(func(s string) string { return strings.ReplaceAll(s, "Xerxes", "Xanthippe") }),
		reordered(become("Xerxes")),
		put("report.floor.in_words", "Xanthippe"),
		func(t *testing.T, r *release) {
			r.redraw(t, append(secret, "Xanthippe"), func(row int64, y int32) int32 { return int32(row % 4) })
		},
		put("report.schema", "Xerxes"),
		put("report.binding.output", []any{"Xerxes"}),
	} {
		r := base.copyTo(t, filepath.Join(t.TempDir(), "copy"))
		each(alter, hashed)(t, r)
		var said strings.Builder
		got, err := verify.Run(t.Context(), r.request(t))
		if err != nil {
			said.WriteString(err.Error())
		} else {
			must(t, got.WriteText(&said))
			if i > 0 && got.Failed() == nil {
				t.Errorf("alteration %d passes", i)
			}
		}
		for _, word := range append(secret, "Xanthippe") {
			if strings.Contains(said.String(), word) {
				t.Errorf("alteration %d: a label is quoted:\n%s", i, said.String())
			}
		}
	}
}

// TestDamagedOutput: a flipped bit anywhere before the footer is found though
// the report names the hash of the damaged file, and one in the footer is
// never more than a failed check or a refusal.
func TestDamagedOutput(t *testing.T) {
	tries := 80
	if torture.Long() {
		tries = 200
	}
	for _, arrow := range []bool{false, true} {
		j := jobs["weights"]
		j.arrow, j.rows = arrow, 400
		r := j.make(t)
		whole := []byte(mustRead(t, r.output))
		tail := 8
		if arrow {
			tail = 10
		}
		end := len(whole) - tail - int(binary.LittleEndian.Uint32(whole[len(whole)-tail:]))
		rng := rand.New(rand.NewPCG(1, 1))
		missed := 0
		for i := range tries {
			at := rng.IntN(end)
			if i >= tries*7/10 {
				at = end + rng.IntN(len(whole)-end)
			}
			damaged := slices.Clone(whole)
			damaged[at] ^= 1 << rng.IntN(8)
			must(t, os.WriteFile(r.output, damaged, 0o666))
			r.saveReport(t, true)
			got, err := verify.Run(t.Context(), r.request(t))
			if err == nil && got.Failed() == nil {
				missed++
				if i < tries*7/10 && !arrow { // heads and padding of Arrow messages have room that nothing reads
					t.Errorf("byte %d of %d: nothing is found", at, end)
				}
			}
		}
		if missed > tries/5 {
			t.Errorf("arrow=%v: %d of %d are not found", arrow, missed, tries)
		}
	}
}
