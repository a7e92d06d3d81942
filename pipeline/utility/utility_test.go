package utility

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
)

// file answers every path with one text.
func file(text string) func(string) ([]byte, error) {
	return func(string) ([]byte, error) { return []byte(text), nil }
}

func letters(label ...string) Letters { return Letters{Label: label} }

func withNull(label ...string) Letters { return Letters{Label: label, Null: true} }

func build(t *testing.T, spec string, in Input) *Result {
	t.Helper()
	r, err := Build(spec, in)
	if err != nil {
		t.Fatalf("Build(%q): %v", spec, err)
	}
	if err := consistent(r); err != nil {
		t.Fatalf("Build(%q): %v", spec, err)
	}
	return r
}

// consistent checks what every order promises: its shape, ranks that follow
// from values, nil slices, and the number of rows with ties.
func consistent(r *Result) error {
	n, m := r.Order.Inputs(), r.Order.Outputs()
	if n != r.Inputs.Len() || m != r.Outputs.Len() {
		return fmt.Errorf("order is %d by %d, letters %d by %d", n, m, r.Inputs.Len(), r.Outputs.Len())
	}
	rank, alone, value, follows := make([]uint16, m), make([]uint16, m), make([]float64, m), make([]uint16, m)
	for x := range n {
		r.Order.Row(x, rank, value)
		r.Order.Row(x, alone, nil)
		r.Order.Row(x, nil, nil)
		mechanism.Rank(value, follows)
		if !slices.Equal(rank, alone) || !slices.Equal(rank, follows) {
			return fmt.Errorf("row %d: ranks %v, alone %v, by value %v", x, rank, alone, follows)
		}
		for y, v := range value {
			if math.IsNaN(v) || math.IsInf(v, 1) || v == 0 && math.Signbit(v) {
				return fmt.Errorf("row %d output %d: value %v", x, y, v)
			}
		}
	}
	if tied := mechanism.Tied(r.Order); tied != r.Ties {
		return fmt.Errorf("%d rows with ties, mechanism.Tied counts %d", r.Ties, tied)
	}
	return nil
}

func table2(r *Result) (value [][]float64, rank [][]uint16) {
	for x := range r.Order.Inputs() {
		v, u := make([]float64, r.Order.Outputs()), make([]uint16, r.Order.Outputs())
		r.Order.Row(x, u, v)
		value, rank = append(value, v), append(rank, u)
	}
	return value, rank
}

func wantOutputs(t *testing.T, r *Result, want Letters) {
	t.Helper()
	if !slices.Equal(r.Outputs.Label, want.Label) || r.Outputs.Null != want.Null {
		t.Errorf("outputs %q null %v, want %q null %v", r.Outputs.Label, r.Outputs.Null, want.Label, want.Null)
	}
}

func TestReadFailure(t *testing.T) {
	_, err := Build("matrix:gone.csv", Input{Letters: letters("A"), ReadFile: func(p string) ([]byte, error) {
		return nil, &fs.PathError{Op: "open", Path: p, Err: fs.ErrNotExist}
	}})
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "gone.csv") {
		t.Errorf("error %v", err)
	}
}

func TestExtraAndMissing(t *testing.T) {
	text := "x,A,B,Z\nB,1,2,3\nQ,1,2,3\nR,1,2,3\n"
	if r := build(t, "matrix:f.csv", Input{Letters: letters("B"), ReadFile: file(text)}); r.Extra != 2 ||
		r.File != "f.csv" {
		t.Errorf("extra %d, file %q", r.Extra, r.File)
	}
	in := Input{Letters: letters("A", "B", "secret"), ReadFile: file(text), Known: func(l string) bool { return l == "A" }}
	for _, spec := range []string{"matrix:f.csv", "ordered:B", "positions:f.csv", "hierarchy:f.csv"} {
		if spec == "hierarchy:f.csv" {
			in.ReadFile = file("B;*\nQ;*\nC;*\n")
		}
		_, err := Build(spec, in)
		var missing *MissingError
		var plain *Error
		if !errors.As(err, &missing) || !errors.As(err, &plain) || !slices.Equal(missing.Letters, []int{0, 2}) {
			t.Fatalf("%s: error %v", spec, err)
		}
		if all := err.Error() + plain.Hint + strings.Join(missing.Named, ""); strings.Contains(all, "secret") ||
			!strings.Contains(all, `"A"`) {
			t.Errorf("%s: %q", spec, all)
		}
	}
}

func TestNamed(t *testing.T) {
	for _, c := range []struct {
		spec, text string
		want       []string
	}{
		{"matrix:f", "x,P,Q\nB,1,2\nA,2,1\n", []string{"B", "A"}},
		{"pairs:f", "from,to,utility\nB,P,1\nA,P,1\nB,Q,2\n", []string{"B", "A"}},
		{"positions:f", "label,x\nB,1\nA,2\n", []string{"B", "A"}},
		{"ordered:B,A", "", []string{"B", "A"}},
		{"circular:@f", "B\nA\n", []string{"B", "A"}},
		{"hierarchy:f", "B;*\nA;*\n", []string{"B", "A"}},
		{"tree:f", "code,parent\nB,A\nA,\n", []string{"B", "A"}},
	} {
		l, err := Named(c.spec, file(c.text))
		if err != nil || !slices.Equal(l.Label, c.want) || l.Null {
			t.Errorf("%s: %v, error %v", c.spec, l, err)
		}
	}
	for _, spec := range []string{"numeric", "prefix:naics"} {
		if _, err := Named(spec, nil); !errors.Is(err, ErrNoLetters) {
			t.Errorf("%s: error %v", spec, err)
		}
	}
	var e *Error
	if _, err := Named("tree:f", file("code,parent\nA,A\n")); !errors.As(err, &e) {
		t.Errorf("a broken file: error %v", err)
	}
}

// TestNullOfLevels: null of a large order with levels is one level above all others, where the rule puts it
// in the table of such an order, too.
func TestNullOfLevels(t *testing.T) {
	var codes []string
	for i := range 400 {
		codes = append(codes, fmt.Sprintf("%03d", i))
	}
	plain := build(t, "prefix", Input{Letters: letters(codes...)})
	got := build(t, "prefix", Input{Letters: withNull(codes...)})
	if _, ok := got.Order.(*mechanism.Tree); !ok {
		t.Fatalf("the order is a %T", got.Order)
	}
	want := &nullRule{base: plain.Order, others: below(min(0, plain.Lowest))}
	one, other := make([]float64, 401), make([]float64, 401)
	for x := range 401 {
		got.Order.Row(x, nil, one)
		if want.Row(x, nil, other); !slices.Equal(one, other) {
			t.Fatalf("row %d is %v, not %v", x, one, other)
		}
	}
}

func csvOf(t *testing.T, r *Result) string {
	t.Helper()
	b, err := CSV(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// roundTrip writes r and reads it back as a matrix.
func roundTrip(t *testing.T, r *Result) {
	t.Helper()
	text := csvOf(t, r)
	back, err := Build("matrix:order.csv", Input{Letters: r.Inputs, Outputs: r.Outputs.Label, ReadFile: file(text)})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	v, u := table2(r)
	bv, bu := table2(back)
	if fmt.Sprint(v, u) != fmt.Sprint(bv, bu) || back.Ties != r.Ties || back.Extra != 0 || back.NullRule {
		t.Errorf("order\n%v\n%v\nread back\n%v\n%v\nfrom\n%s", v, u, bv, bu, text)
	}
	wantOutputs(t, back, r.Outputs)
	if again := csvOf(t, back); again != text {
		t.Errorf("written again\n%s, first\n%s", again, text)
	}
	if all, err := csv.NewReader(bytes.NewBufferString(text)).ReadAll(); err != nil || len(all) != r.Inputs.Len()+1 {
		t.Errorf("another reader finds %d records, error %v", len(all), err)
	}
}

func TestRoundTrip(t *testing.T) {
	odd := []string{"", " lead", "a,b", "a\nb", "a\r\nb", "a\rb", "q\"q", "\"", "\r", "ü", "\ufeff"}
	random := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		n := 1 + random.IntN(len(odd))
		l := Letters{Label: slices.Clone(odd), Null: random.IntN(2) == 0}
		random.Shuffle(len(odd), func(i, j int) { l.Label[i], l.Label[j] = l.Label[j], l.Label[i] })
		l.Label = l.Label[:n]
		if l.Null && slices.Contains(l.Label, "") { // keep the empty string before null
			slices.Sort(l.Label)
		}
		value := make([][]float64, l.Len())
		for x := range value {
			for range l.Len() {
				v := float64(random.IntN(5)) / 3
				if random.IntN(4) == 0 {
					v = math.Inf(-1)
				}
				if random.IntN(4) == 0 {
					v = math.Float64frombits(random.Uint64() &^ (1 << 62)) // any magnitude below 2
				}
				value[x] = append(value[x], v)
			}
		}
		r := &Result{Inputs: l, Outputs: l, Order: matrixOf(t, value)}
		r.Ties = surveyOf(r.Order, false).tied
		roundTrip(t, r)
	}
	roundTrip(t, build(t, "positions:f.csv", Input{Letters: withNull("JFK", "LHR", "SYD"), ReadFile: file(cities)}))
	roundTrip(t, build(t, "ordered:A,B,C", Input{Letters: withNull("A", "B", "C")}))
}

func TestWriteRefusesLargeTables(t *testing.T) {
	labels := make([]string, 10_001)
	for i := range labels {
		labels[i] = fmt.Sprint(i)
	}
	r := &Result{Inputs: letters(labels...), Outputs: letters(labels...)}
	if _, err := CSV(r); err == nil {
		t.Error("10,001 by 10,001 letters were written")
	}
}

func TestNearest(t *testing.T) {
	r := build(t, "matrix:f.csv", Input{Letters: letters("A"), ReadFile: file("x,A,B,C,D\nA,0,-inf,5,0\n")})
	if got, want := fmt.Sprint(Nearest(r, 0, 10)), "[{2 4 5} {3 3 0} {0 2 0}]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := Nearest(r, 0, 1); len(got) != 1 || got[0].Output != 2 {
		t.Error(got)
	}
}
