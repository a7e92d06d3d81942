package utility

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

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
