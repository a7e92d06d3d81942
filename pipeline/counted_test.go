package pipeline_test

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/tacet-privacy/tacet/pipeline"
)

// A countedRow has a private text and number, and what strata are of.
type countedRow struct {
	X string  `parquet:"x"`
	N *int32  `parquet:"n,optional"`
	W *string `parquet:"w,optional"`
	D int32   `parquet:"d,date"`
	E int32   `parquet:"e,date"`
	U uint64  `parquet:"u"`
	B bool    `parquet:"b"`
	R []byte  `parquet:"r"`
}

// countedRows are random; every third has a null here and there.
func countedRows(n int) (rows []countedRow) {
	r := rand.New(rand.NewPCG(15, 2))
	texts := []string{"a", "b", "2", "10", "c,\"d\"", "e\r\nf", "0xff"}
	strata := []string{"s", "t", "", "10", "9", "u\r\nv"}
	for range n {
		row := countedRow{X: texts[min(r.IntN(len(texts)), r.IntN(len(texts)))], D: int32(r.IntN(1000) - 300),
			E: int32(r.IntN(4) - 2), U: math.MaxUint64 - uint64(r.IntN(3)), B: r.IntN(3) > 0,
			R: [][]byte{{0xff}, {0x30, 0x78}, {0}}[r.IntN(3)]}
		if k := int32(r.IntN(6) * r.IntN(3)); r.IntN(5) > 0 {
			row.N = &k
		}
		if w := strata[min(r.IntN(6), r.IntN(6))]; r.IntN(8) > 0 {
			row.W = &w
		}
		rows = append(rows, row)
	}
	return rows
}

// parquetOf is a file with these rows.
func parquetOf[T any](t *testing.T, rows []T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "in.parquet")
	must(t, parquet.WriteFile(path, rows))
	return path
}

// estimated are the counts of a file.
func estimated(t *testing.T, input string, o pipeline.Options) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "counts.csv")
	if _, err := pipeline.Estimate(context.Background(), pipeline.Options{Input: input, Column: o.Column, Null: o.Null,
		Strata: o.Strata, Domain: o.Domain, WriteCounts: path}); err != nil {
		t.Fatal(err)
	}
	return path
}

// planOf is the plan with its order, or the message that there is none.
func planOf(t *testing.T, o pipeline.Options) string {
	t.Helper()
	dir := t.TempDir()
	o.WritePlan = filepath.Join(dir, "plan.json")
	if _, _, err := pipeline.Design(context.Background(), o); err != nil {
		return err.Error()
	}
	return string(read(t, o.WritePlan)) + string(read(t, filepath.Join(dir, "order.csv")))
}

// TestCountsMakeThePlan: counts give the plan of the file, byte for byte, and so do
// those of its parts, in any order.
func TestCountsMakeThePlan(t *testing.T) {
	rows := countedRows(900)
	whole := parquetOf(t, rows)
	var parts []string
	at := []int{0, 3, 3, 41, 900} // one is empty
	for i := 1; i < len(at); i++ {
		parts = append(parts, parquetOf(t, rows[at[i-1]:at[i]]))
	}
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		must(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	order := "matrix:" + write("order.csv", ",p,q,r\n2,3,2,1\n10,2,3,1\na,1,2,3\nb,1,3,2\n\"c,\"\"d\"\"\",0,1,2\n"+
		"\"e\r\nf\",1,2,0\n0x30786666,2,1,0\nz,1,1,1\n")
	domain, prior := write("domain.txt", "z\na\n"), write("prior.csv", "label,probability\n2,0.1\n10,0.2\na,0.1\nb,0.1\n"+
		"\"c,\"\"d\"\"\",0.2\n0x30786666,0.1\nz,0.1\n\"e\r\nf\",0.1\n")
	x := func(o pipeline.Options) pipeline.Options {
		o.Column, o.Utility, o.MaxFactor = "x", order, "9/4"
		return o
	}
	of := func(column, utility string) pipeline.Options {
		return pipeline.Options{Column: column, Utility: utility, MaxFactor: "5/2", Strata: "w"}
	}
	n := func(o pipeline.Options) pipeline.Options {
		o.Column, o.Utility, o.MaxFactor = "n", "numeric", cmp.Or(o.MaxFactor, "9/4")
		return o
	}
	for i, o := range []pipeline.Options{
		x(pipeline.Options{}),
		x(pipeline.Options{Domain: domain}),
		x(pipeline.Options{Other: "z", MinCount: 60}),
		x(pipeline.Options{Prior: prior}),
		x(pipeline.Options{Strata: "w"}),
		x(pipeline.Options{Strata: "w", Smooth: "1/2"}),
		x(pipeline.Options{Strata: "w", Drop: []string{"w"}}), // merges
		x(pipeline.Options{Strata: "w", StrataMin: 200, Keep: []string{"d"}, GivenOnly: true}),
		x(pipeline.Options{Strata: "w", Domain: domain}),
		x(pipeline.Options{Strata: "w", Other: "z", MinCount: 60}),
		x(pipeline.Options{Strata: "w", Design: "safe", FloorBy: "value", Drop: []string{"w"}, StrataMin: 80}),
		n(pipeline.Options{Null: "draw"}),
		n(pipeline.Options{Null: "public"}),
		n(pipeline.Options{Null: "public", Strata: "w", Headroom: "10%"}),
		n(pipeline.Options{Null: "draw", Strata: "w", Prefer: "unchanged", Confidence: "0.05"}),
		n(pipeline.Options{Null: "draw", Strata: "d", StrataMin: 1, Drop: []string{"d"}, MaxFactor: "5"}),
		of("e", "numeric"), of("u", "numeric"), of("b", "ordered:false,true"), of("r", "ordered:0xff,0x,\x00"),
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			o.Input = whole
			want := planOf(t, o)
			if !strings.HasPrefix(want, "{") {
				t.Fatal(want)
			}
			o.Input = ""
			o.Counts = []string{estimated(t, whole, o)}
			if got := planOf(t, o); got != want {
				t.Errorf("from counts:\n%s\nfrom the file:\n%s", got, want)
			}
			o.Counts = nil
			for _, p := range parts {
				o.Counts = append(o.Counts, estimated(t, p, o))
			}
			r := rand.New(rand.NewPCG(7, uint64(i)))
			r.Shuffle(len(o.Counts), func(a, b int) { o.Counts[a], o.Counts[b] = o.Counts[b], o.Counts[a] })
			if got := planOf(t, o); got != want {
				t.Errorf("from parts:\n%s\nfrom the file:\n%s", got, want)
			}
		})
	}
}
