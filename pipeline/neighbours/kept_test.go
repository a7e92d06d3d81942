package neighbours

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/tacet-privacy/tacet/estimate/judge"
	"github.com/tacet-privacy/tacet/io/dataset"
	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/pipeline/count"
)

// Heaps of tests are small: to collect them seldom saves a fifth of the time.
var _ = debug.SetGCPercent(400)

type row struct {
	Private string   `parquet:"private,dict"`
	Free    int64    `parquet:"free"`          // independent
	Same    string   `parquet:"same,optional"` // the private letter
	Half    int32    `parquet:"half"`          // with Other, the private letter
	Other   int32    `parquet:"other"`
	ID      int64    `parquet:"id"`
	Noise   float64  `parquet:"noise"`
	Lists   []string `parquet:"lists"`
}

type memory struct{ *bytes.Reader }

func (memory) Identity() (string, error) { return "", nil }

func (memory) Close() error { return nil }

// setOf is one file as a set.
func setOf(t *testing.T, in memory) *dataset.Files {
	t.Helper()
	s := &dataset.Set{Members: []dataset.Member{{Rel: "file", Open: func() (table.Content, error) { return in, nil }}}}
	f, err := dataset.Open(context.Background(), s, table.Request{}, count.OpenFile)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// write makes a file of n rows whose private column has 16 letters; sorted
// puts them one after the other.
func write(t *testing.T, n, group int, sorted bool) memory {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 1))
	var b bytes.Buffer
	w := parquet.NewGenericWriter[row](&b, parquet.MaxRowsPerRowGroup(int64(group)))
	for i := range n {
		x := rng.IntN(16)
		if sorted {
			x = i * 16 / n
		}
		r := row{Private: fmt.Sprintf("p%02d", x), Free: rng.Int64N(5), Same: fmt.Sprint(x), ID: int64(i),
			Noise: rng.Float64()}
		r.Half = int32(rng.IntN(16))
		r.Other = (int32(x) + r.Half) % 16
		if i%50 == 0 {
			r.Same = ""
		}
		if _, err := w.Write([]row{r}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return memory{bytes.NewReader(b.Bytes())}
}

func measure(t *testing.T, in memory, full bool, threads int) *Result {
	t.Helper()
	f, err := count.OpenFile(in, table.Request{Private: []string{"private"}})
	if err != nil {
		t.Fatal(err)
	}
	a, count, err := f.Scan(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	prior := make([]float64, a[0].Len())
	for x, n := range count[0] {
		prior[x] = float64(n) / float64(f.Units()[0]*int64(len(f.Units())))
	}
	columns := slices.DeleteFunc(f.Columns(), func(c table.Column) bool { return c.Name == "private" })
	r, err := Measure(context.Background(), setOf(t, in), Request{Private: "private", Columns: columns, Full: full,
		Threads: threads, Prior: prior, Factor: 2, Labels: make([]string, 16)}, a[0])
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func named(r *Result, name ...string) *Column {
	for _, list := range [][]Column{r.Columns, r.Pairs} {
		for i := range list {
			if slices.Equal(list[i].Names, name) {
				return &list[i]
			}
		}
	}
	return &Column{}
}

func TestMeasure(t *testing.T) {
	r := measure(t, write(t, 20_000, 3000, false), true, 1)
	if r.Rows != 20_000 || r.Of != 20_000 || len(r.Columns) != 7 {
		t.Fatalf("%d of %d rows, %d columns", r.Rows, r.Of, len(r.Columns))
	}
	if c := named(r, "free"); c.Verdict.Outcome != judge.Clear {
		t.Errorf("an independent column: %+v", c)
	}
	if c := named(r, "same"); c.Verdict.Outcome != judge.Refuse ||
		!(c.Verdict.Gain > .8 && c.Verdict.GainMost < .96 && c.Verdict.Lift.Factor > 12) {
		t.Errorf("the column itself: %+v", c)
	}
	if a, b, c := named(r, "half"), named(r, "other"), named(r, "half", "other"); a.Verdict.Outcome != judge.Clear ||
		b.Verdict.Outcome != judge.Clear || c.Verdict.Outcome != judge.Refuse {
		t.Errorf("only the pair tells: %v, %v, %v", a.Verdict, b.Verdict, c.Verdict)
	}
	if c := named(r, "id"); c.Verdict.Outcome != judge.Clear || !slices.Equal(r.Restores(), []string{"id"}) {
		t.Errorf("an identifier: %+v, restores %v", c, r.Restores())
	}
	if c := named(r, "noise"); c.Verdict.Outcome != judge.Clear {
		t.Errorf("numbers: %+v", c)
	}
	if c := named(r, "lists"); c.Verdict.Outcome != judge.Clear {
		t.Errorf("a list: %+v", c)
	}
	if p := measure(t, write(t, 20_000, 3000, false), true, 3); !reflect.DeepEqual(p, r) {
		t.Error("the figures depend on threads")
	}
}

func TestJudge(t *testing.T) {
	r := measure(t, write(t, 20_000, 3000, false), true, 0)
	refused := func(found []Finding) (names []string) {
		for _, f := range found {
			if f.Refused {
				names = append(names, strings.Join(f.Names, "+"))
			}
		}
		return names
	}
	for _, c := range []struct {
		allowed, want []string
	}{
		{nil, []string{"same", "half+other"}},
		{[]string{"same"}, []string{"half+other"}},
		{[]string{"same", "half"}, []string{"half+other"}},
		{[]string{"same", "half", "other"}, nil},
	} {
		got := refused(r.Judge(c.allowed, false))
		for _, w := range c.want {
			if !slices.Contains(got, w) {
				t.Errorf("allowed %v: %v is not refused but %v are", c.allowed, w, got)
			}
		}
		if c.want == nil && len(got) > 0 || slices.Contains(c.allowed, "same") &&
			slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, "same") }) {
			t.Errorf("allowed %v: %v are refused", c.allowed, got)
		}
	}
}

// A sorted file is refused by its places and its runs, also where only a
// sample is read; a shuffled one is not mentioned.
func TestPlaces(t *testing.T) {
	for _, f := range measure(t, write(t, 20_000, 3000, false), true, 0).Judge(nil, false) {
		if f.Names == nil {
			t.Errorf("a shuffled file: %s", f.What)
		}
	}
	r := measure(t, write(t, 20_000, 3000, true), true, 0)
	for sorted, want := range map[bool]bool{false: true, true: false} {
		found := r.Judge([]string{"same", "half", "other", "id", "noise"}, sorted)
		at := slices.IndexFunc(found, func(f Finding) bool { return f.Names == nil })
		if at < 0 || found[at].Refused != want || !strings.Contains(found[at].What, "neighbouring rows") ||
			!strings.Contains(found[at].What, "the place") {
			t.Errorf("sorted: %+v", found)
		}
	}
}

func TestSpread(t *testing.T) {
	for _, c := range []struct {
		units []int64
		limit int64
		want  []int
	}{
		{[]int64{5, 5, 5}, 15, []int{0, 1, 2}}, {[]int64{5, 5, 5}, 1, []int{0}}, {[]int64{100}, 10, []int{0}}, {nil, 10, nil},
		{[]int64{1, 1, 1, 1, 1, 1, 1, 1}, 4, []int{0, 2, 4, 6}}, {[]int64{0, 9, 9}, 9, []int{0, 1}},
	} {
		if got := spread(c.units, c.limit); !slices.Equal(got, c.want) {
			t.Errorf("%v within %d: %v, want %v", c.units, c.limit, got, c.want)
		}
	}
}
