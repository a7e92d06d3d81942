package neighbours

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/tacet-privacy/tacet/estimate/judge"
	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// Heaps of tests are small: to collect them seldom saves a fifth of the time.
var _ = debug.SetGCPercent(400)

// A record is a row of a small table: its letter, two kept columns, and the
// stratum that decides which mechanism redraws it.
type record struct {
	X string `parquet:"x"`
	A string `parquet:"a"`
	B string `parquet:"b"`
	G string `parquet:"g"`
}

// agree compares the figures of a column.
func agree(t *testing.T, what string, got *Column, want judge.Figures) {
	t.Helper()
	if !got.Measured || got.Records != want.Records || got.Figures.Strata != want.Strata {
		t.Fatalf("%s: %+v, want %d records in %d strata", what, got, want.Records, want.Strata)
	}
	for _, c := range []struct {
		name string
		a, b float64
	}{
		{"alone", got.Alone, want.Alone}, {"given", got.Given, want.Given}, {"total", got.Total, want.Total},
		{"guess", got.GuessNone, want.GuessNone}, {"guess by w", got.GuessAlone, want.GuessAlone},
		{"guess by y", got.GuessDrawn, want.GuessDrawn}, {"guess by both", got.GuessBoth, want.GuessBoth},
		{"certain by w", got.CertainAlone, want.CertainAlone}, {"certain by y", got.CertainDrawn, want.CertainDrawn},
		{"certain by both", got.CertainBoth, want.CertainBoth},
		{"entropy", got.Entropy, want.Entropy}, {"removed", got.Removed, want.Removed},
	} {
		if !(math.Abs(c.a-c.b) <= 1e-9) {
			t.Fatalf("%s, %s: %v, want %v", what, c.name, c.a, c.b)
		}
	}
}

// randomLaw has rows of random weights over random outputs.
func randomLaw(t *testing.T, rng *rand.Rand, letters, outputs int) *mechanism.Mechanism {
	t.Helper()
	var rows []mechanism.Row
	for range letters {
		var output []uint16
		var weight []int64
		for y := range outputs {
			if rng.IntN(2) > 0 || y+1 == outputs && output == nil {
				output, weight = append(output, uint16(y)), append(weight, 1+rng.Int64N(5))
			}
		}
		rows = append(rows, mechanism.WeightedRow(output, weight))
	}
	m, err := mechanism.New(outputs, rows)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestBrute compares the figures of columns and pairs of 1,000 small files with
// the joint law written out, where one mechanism redraws all rows and where
// strata have their own, by a column that stays or by one that does not.
func TestBrute(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 4))
	pairs, apart, tables := 0, 0, 300
	if os.Getenv("TACET_TORTURE") == "1" {
		tables = 1000
	}
	for trial := range tables {
		letters, outputs, laws := 2+rng.IntN(3), 1+rng.IntN(4), 1+rng.IntN(3)
		var m []*mechanism.Mechanism
		for range laws {
			m = append(m, randomLaw(t, rng, letters, outputs))
		}
		var rows []record
		letter := func() int { return rng.IntN(1 + rng.IntN(letters)) }
		for i := range 60 + rng.IntN(200) {
			x := letter()
			if i < letters {
				x = i // so that every letter occurs
			}
			rows = append(rows, record{string(rune('a' + x)), fmt.Sprint((x + rng.IntN(2)) % 3),
				fmt.Sprint(rng.IntN(3) * rng.IntN(2)), fmt.Sprint(min(laws-1, rng.IntN(3)*rng.IntN(2)+x%2))})
		}
		law := func(g string) *mechanism.Mechanism { return m[int(g[0]-'0')] }
		var b bytes.Buffer
		w := parquet.NewGenericWriter[record](&b, parquet.MaxRowsPerRowGroup(100))
		if _, err := w.Write(rows); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		in := memory{bytes.NewReader(b.Bytes())}
		f, err := count.OpenFile(in, table.Request{Private: []string{"x"}})
		if err != nil {
			t.Fatal(err)
		}
		a, _, err := f.Scan(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		stays := map[string]bool{"a": true, "b": true, "g": trial%2 == 0}
		q := Request{Private: "x", Full: true, Threads: 1, Prior: make([]float64, letters), Factor: 2}
		for _, c := range f.Columns() {
			if stays[c.Name] {
				q.Columns = append(q.Columns, c)
			}
		}
		if laws > 1 {
			apart++
			// groups in another order than mechanisms
			place := func(l report.Label) int32 { return int32(laws-1) - int32(l.Text[0]-'0') }
			q.Strata = Strata{Column: "g", Reader: func() *plan.Reader { return plan.NewReader(plan.Spec{Column: "g"}, place) }}
			for g := range laws {
				q.Strata.Law = append(q.Strata.Law, laws-1-g)
			}
		}
		r, err := Measure(context.Background(), setOf(t, in), q, a[0], m...)
		if err != nil {
			t.Fatal(err)
		}
		sees := func(what func(record) string) (out []seen) {
			for _, r := range rows {
				out = append(out, seen{int(r.X[0] - 'a'), what(r), law(r.G)})
			}
			return out
		}
		cell := map[string]func(record) string{"a": func(r record) string { return r.A },
			"b": func(r record) string { return r.B }, "g": func(r record) string { return r.G }}
		for i := range r.Columns {
			name := r.Columns[i].Names[0]
			agree(t, fmt.Sprintf("table %d, column %s of %d laws", trial, name, laws), &r.Columns[i],
				brute(sees(cell[name]), letters, outputs))
		}
		for i := range r.Pairs {
			if !r.Pairs[i].Measured { // it is here for what its held-out rows say
				continue
			}
			pairs++
			one, two := cell[r.Pairs[i].Names[0]], cell[r.Pairs[i].Names[1]]
			agree(t, fmt.Sprintf("table %d, columns %v of %d laws", trial, r.Pairs[i].Names, laws), &r.Pairs[i],
				brute(sees(func(r record) string { return one(r) + " " + two(r) }), letters, outputs))
		}
		f.Close()
	}
	if pairs < tables || apart < tables*3/10 {
		t.Errorf("%d pairs, %d tables with several mechanisms", pairs, apart)
	}
}
