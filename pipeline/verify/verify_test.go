package verify_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/verify"
)

var skew = strings.Fields(strings.Repeat("a ", 16) + strings.Repeat("b ", 8) + strings.Repeat("c ", 4) + "d d e")

var withNulls = append(slices.Clone(skew), "", "", "")

var numbers = []string{"-3", "2", "2", "2", "10", "10", "10", "10", "7"}

// groups is a hierarchy of the letters of skew.
const groups = "hierarchy\na;ab;abc;*\nb;ab;abc;*\nc;c1;abc;*\nd;de;de1;*\ne;de;de1;*\n"

// jobs are untouched releases of every kind.
var jobs = map[string]job{
	"safe": {cell: skew, rows: 3000, order: "ordered:a,b,c,d,e", options: pipeline.Options{Epsilon: "2.5",
		Design: "safe"}},
	"optimal": {cell: skew, rows: 3000, order: "ordered:a,b,c,d,e", options: pipeline.Options{Epsilon: "1.5",
		Design: "optimal"}},
	"weights": {cell: skew, rows: 3000, order: "circular:a,b,c,d,e", options: pipeline.Options{Epsilon: "0.9",
		Design: "optimal"}},
	"by value": {cell: skew, rows: 3000, order: "circular:a,b,c,d,e", options: pipeline.Options{Epsilon: "1.5",
		FloorBy: "value"}},
	"by level": {cell: skew, rows: 3000, order: groups, options: pipeline.Options{Epsilon: "2.5"}},
	"level": {cell: skew, rows: 3000, order: groups, options: pipeline.Options{Epsilon: "2.5", Design: "blocks",
		FloorBy: "level"}},
	"level by rank": {cell: skew, rows: 3000, order: groups, options: pipeline.Options{Epsilon: "2.5", Design: "blocks",
		FloorBy: "rank"}},
	"floor fixed": {cell: skew, rows: 3000, order: "ordered:a,b,c,d,e", options: pipeline.Options{Epsilon: "log(30)",
		FloorRank: new(3)}},
	"map": {cell: skew, rows: 3000,
		order:   "positions\nlabel,lat,lon\na,10,179\nb,12,-179\nc,40,3\nd,-89,0\ne,51.5,0\n",
		options: pipeline.Options{Epsilon: "1.5"}},
	"plane": {cell: withNulls, rows: 3000, order: "positions\nlabel,x,y\na,1,1\nb,2,2\nc,3,4\nd,5,1\ne,9,9\n",
		options: pipeline.Options{Epsilon: "1.5", Null: "draw"}},
	"matrix": {cell: skew, rows: 3000,
		order:   "matrix\nin,x,\"y,z\",a\na,0,-1,2\nb,1,-inf,0\nc,1.5,0,0\nd,3,3,1\ne,0,1,2\n",
		options: pipeline.Options{Epsilon: "2"}},
	"letters": {cell: withNulls, rows: 3000, order: "ordered:a,b,c,d,e", options: pipeline.Options{Epsilon: "1.5",
		Null: "draw"}},
	"public": {cell: withNulls, rows: 3000, order: "ordered:a,b,c,d,e", options: pipeline.Options{Epsilon: "1.5",
		Null: "public"}},
	"shares": {cell: skew, rows: 3000, order: "circular:a,b,c,d,e", options: pipeline.Options{Epsilon: "0.9",
		MaxShift: "8%"}},
	"kept": {cell: skew, rows: 3000, order: "circular:a,b,c,d,e", options: pipeline.Options{Epsilon: "0.9",
		MaxShift: "8%", Prefer: "values"}},
	"near": {cell: skew, rows: 3000, order: "circular:a,b,c,d,e", options: pipeline.Options{MaxFactor: "5/2",
		FloorRank: new(3), Prefer: "shares"}},
	"shares smooth": {cell: skew, rows: 3000, order: "circular:a,b,c,d,e", options: pipeline.Options{Epsilon: "1.2",
		MaxShift: "8%", Smooth: "50"}},
	"shares merged": {cell: skew, rows: 3000, order: "circular:a,b,c,d,e,f", options: pipeline.Options{Epsilon: "1.2",
		MaxShift: "30%", MinCount: 300, Other: "f"}},
	"no rows": {cell: skew, order: "ordered:a,b", options: pipeline.Options{Epsilon: "1", AllowEmpty: true}},
	"only nulls": {cell: []string{""}, rows: 50, order: "ordered:a,b", options: pipeline.Options{Epsilon: "1",
		Null: "public"}},
	"constant": {cell: []string{"a"}, rows: 50, order: "ordered:a,b", options: pipeline.Options{Epsilon: "0"}},
	"numbers": {typ: arrow.PrimitiveTypes.Int16, cell: numbers, rows: 2000, order: "numeric",
		options: pipeline.Options{Epsilon: "1"}},
	"unsigned": {typ: arrow.PrimitiveTypes.Uint64, cell: []string{"18446744073709551615", "3", "4", "4"}, rows: 900,
		order: "numeric", options: pipeline.Options{Epsilon: "2", AllowUnchanged: true}},
	"bins": {typ: arrow.PrimitiveTypes.Float64, cell: []string{"0.5", "1", "7", "9.5", "20", "0.25", "3", "12", "15",
		"-1"}, rows: 3000, order: "ordered", options: pipeline.Options{Epsilon: "1.5", Bins: "-inf,0,1,5,10,25"}},
	"bins arrow": {arrow: true, typ: arrow.FixedWidthTypes.Timestamp_ms, cell: []string{"2024-02-29T23:59:59.999Z",
		"1969-12-31T00:00:00Z", "2024-03-01T00:00:00Z"}, rows: 900, order: "ordered",
		options: pipeline.Options{Epsilon: "1", Bins: "month"}},
	"bins of integers": {typ: arrow.PrimitiveTypes.Int32, cell: []string{"-3", "4", "17", "29"}, rows: 900,
		order: "ordered", options: pipeline.Options{Epsilon: "1", Bins: "width:10"}},
	"bins of single floats": {typ: arrow.PrimitiveTypes.Float32, cell: []string{"0", "0.1", "0.3", "0.5", "-7", "0.2"},
		rows: 3000, order: "ordered", options: pipeline.Options{Epsilon: "1.5", Bins: "width:0.1"}},
	"bins of half floats": {typ: arrow.FixedWidthTypes.Float16, cell: []string{"0", "0.1", "0.3", "0.5", "7", "0.2"},
		rows: 3000, order: "ordered", options: pipeline.Options{Epsilon: "1.5", Bins: "0,0.1,0.3,1,25"}},
	"bins of wide decimals": {typ: &arrow.Decimal128Type{Precision: 38, Scale: 18}, cell: []string{"-33", "4", "17",
		"1000", "12.000000000000000001"}, rows: 3000, order: "ordered", options: pipeline.Options{Epsilon: "1.5",
		Bins: "-1000,0,10,12.000000000000000001,2000"}},
	"dates": {typ: arrow.FixedWidthTypes.Date32, cell: []string{"2024-02-29", "1969-12-31", "2024-03-01"}, rows: 900,
		order: "numeric", options: pipeline.Options{Epsilon: "1"}},
	"bins of dates": {typ: arrow.FixedWidthTypes.Date64, cell: []string{"2024-02-29", "1969-12-31", "2024-03-01"},
		rows: 900, order: "ordered", options: pipeline.Options{Epsilon: "1", Bins: "month"}},
	"booleans": {typ: arrow.FixedWidthTypes.Boolean, cell: []string{"true", "false", "true"}, rows: 900,
		order: "ordered:false,true", options: pipeline.Options{Epsilon: "0.6"}},
	"as string": {typ: arrow.PrimitiveTypes.Int64, cell: []string{"1", "2", "3"}, rows: 900,
		order: "matrix\n,1-2,3\n1,1,0\n2,1,0\n3,0,1\n", options: pipeline.Options{Epsilon: "0.9"}},
	"binary": {typ: arrow.BinaryTypes.Binary, cell: []string{"/w==", "MHhmZg==", "YQ==", "YQ=="}, rows: 900,
		order: "matrix\n,u,0xff\n0x30786666,1,0\na,0,1\n0xff,1,0\n", options: pipeline.Options{Epsilon: "1"}},
	"columns": {cell: skew, rows: 3000, order: "ordered:a,b,c,d,e", options: pipeline.Options{Epsilon: "1.5",
		Drop: []string{"d"}}},
	"no hash": {cell: skew, rows: 3000, order: "ordered:a,b,c,d,e", options: pipeline.Options{Epsilon: "1.5",
		Hash: "none"}},
	"extension": {extend: true, cell: skew, rows: 3000, order: "ordered:a,b,c,d,e",
		options: pipeline.Options{Epsilon: "1.5"}},
	"beside": {cell: withNulls, rows: 6000, order: "ordered:a,b,c,d,e",
		options: pipeline.Options{Epsilon: "1.5", Null: "public", Audit: "full"}},
	"dictionary": {typ: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String},
		cell: withNulls, rows: 3000, order: "ordered:a,b,c,d,e", options: pipeline.Options{Epsilon: "1.5", Null: "draw"}},
}

// TestUntouched: every kind of release passes, in both formats, with and
// without the input.
func TestUntouched(t *testing.T) {
	for name, j := range jobs {
		for _, inArrow := range []bool{false, true} {
			j := j // the parallel tests read it when the loop is over
			j.arrow = inArrow
			t.Run(fmt.Sprintf("%s arrow=%v", name, inArrow), func(t *testing.T) {
				t.Parallel()
				r := j.make(t)
				q := r.request(t)
				passes(t, q, map[string]bool{
					"input hash": name == "no hash", "output hash": name == "no hash",
					"support": name == "only nulls" || name == "no rows", "floor": name == "only nulls" || name == "no rows",
					"fit": name == "only nulls" || name == "no rows", "prior and scale": name == "only nulls" || name == "no rows",
					"utility": name == "only nulls" || name == "no rows",
				})
				q.Input = ""
				got, err := verify.Run(t.Context(), q)
				must(t, err)
				if failed := got.Failed(); failed != nil {
					t.Errorf("without the input: %v", failed)
				}
				for _, c := range got.Checks {
					if slices.Contains([]string{"input hash", "input file", "counts", "forbidden cells", "copied columns"},
						c.Name) != (c.Outcome.String() == "not checked" && c.Detail == "no input") {
						if c.Name != "nulls" && c.Name != "neighbours in sample" {
							t.Errorf("without the input: %s: %v: %s", c.Name, c.Outcome, c.Detail)
						}
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
	dir := t.TempDir()
	domain := filepath.Join(dir, "domain.txt")
	must(t, writeText(domain, "a\nb\nc\nd\ne\nf\n"))
	for name, j := range map[string]job{
		"records": {cell: skew, rows: 3000}, "none": {cell: skew},
	} {
		t.Run(name, func(t *testing.T) {
			j.order, j.options = "ordered:a,b,c,d,e,f", pipeline.Options{Epsilon: "1.5", Domain: domain, Design: "optimal",
				AllowEmpty: name == "none"}
			passes(t, j.make(t).request(t), map[string]bool{"fit": name == "none"})
		})
	}
}

// TestRowsLeftOut: the rows of a safe design are made from order and floor
// where the plan leaves them out.
func TestRowsLeftOut(t *testing.T) {
	j := jobs["safe"]
	j.options.Epsilon = "2.5"
	r := j.make(t)
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
	r := jobs["weights"].make(t)
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
		options: pipeline.Options{Epsilon: "5", Design: "safe"}}.make(t)
	passes(t, r.request(t), map[string]bool{"order": true, "support": true, "floor": true, "utility": true,
		"certificate": true})
}

// TestNothingIsQuoted: no check and no refusal quotes a label or a cell.
func TestNothingIsQuoted(t *testing.T) {
	secret := []string{"Xerxes", "Yolanda", "Zacharias"}
	base := job{cell: secret, rows: 3000, order: "ordered:" + strings.Join(secret, ","),
		options: pipeline.Options{Epsilon: "0.9"}}.make(t)
	for i, alter := range []func(r *release){
		func(r *release) {},
		func(r *release) { r.counts()[0] = "7" },
		func(r *release) { r.plan["inputs"].([]any)[0] = "Xanthippe" },
		func(r *release) { r.plan["outputs"].([]any)[0] = "Xanthippe" },
		func(r *release) { r.report["outputs"] = []any{} },
		func(r *release) { r.order = []byte(strings.ReplaceAll(string(r.order), "Xerxes", "Xanthippe")) },
		func(r *release) { r.order = []byte("Xerxes") },
		func(r *release) { at(r.report, "floor")["in_words"] = "Xanthippe" },
		func(r *release) {
			r.redraw(t, append(secret, "Xanthippe"), func(row int64, y int32) int32 { return int32(row % 4) })
		},
		func(r *release) { r.report["schema"] = "Xerxes" },
		func(r *release) { at(r.report, "binding")["output"] = []any{"Xerxes"} },
	} {
		r := base.copyTo(t, filepath.Join(t.TempDir(), "copy"))
		alter(r)
		r.save(t, true)
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
